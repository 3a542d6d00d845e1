import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openPostgres,
  type PostgresProjectionOptions,
  postgresProjection,
} from '../../../src/adapters/postgres/index.js'
import { type FaultSeen, type KnownEvent, type Projection, StoreFault } from '../../../src/index.js'
import {
  addSamples,
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  refusal,
  start,
} from '../../application/host.js'
import { type PostgresServer, startPostgres } from '../../postgres-server.js'
import { newSchema } from './test-schemas.js'

let server: PostgresServer
/** For what tests do beside the projections. */
let admin: pg.Pool

const newPool = (config: pg.PoolConfig = {}): pg.Pool => {
  const { connectionString } = server
  const pool = new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true, ...config })
  pool.on('error', () => undefined)
  return pool
}

beforeAll(async () => {
  server = await startPostgres({ settings: ['fsync=off'] })
  admin = newPool()
})

afterAll(async () => {
  await admin.end()
  await server[Symbol.asyncDispose]()
})

type Apply = PostgresProjectionOptions<pg.Pool>['apply']

/** A table of a host's own, and a projection that writes the names of projects there. */
const namesOfProjects = async (
  options: Partial<PostgresProjectionOptions<pg.Pool>> = {},
  constraint = 'UNIQUE (position)',
) => {
  const schema = newSchema()
  const table = `names_of_${schema}`
  await admin.query(`CREATE TABLE ${table} (position bigint, name text, ${constraint})`)
  const insert: Apply = async (client, events) => {
    for (const event of events) {
      if (event.type !== 'project.added' && event.type !== 'project.updated') continue
      const values = [event.position, event.data.name]
      await client.query(`INSERT INTO ${table} VALUES ($1, $2)`, values)
    }
  }
  const more = (others: Partial<PostgresProjectionOptions<pg.Pool>> = {}): Projection =>
    postgresProjection({
      pool: newPool(),
      name: 'names',
      schema,
      apply: insert,
      ...options,
      ...others,
    })
  const names = async (): Promise<readonly string[]> => {
    const { rows } = await admin.query(`SELECT name FROM ${table} ORDER BY position`)
    return rows.map(({ name }) => name)
  }
  return { schema, table, insert, names, more, projection: more() }
}

/** The samples, and a project that was renamed `count` times. */
const renamed = async (count: number) => {
  const { iam, store } = start()
  await addSamples(iam)
  for (let n = 0; n < count; n++) await rename(iam, `name ${n}`)
  return { iam, store, log: (await logOf(store)) as readonly KnownEvent[] }
}

const rename = (iam: Iam, name: string) => good(iam.projects.patch({ id: 'portal', name }, context))

describe('A projection into PostgreSQL', () => {
  test('keeps rows and checkpoint, for every process', async () => {
    const { iam, store } = await renamed(2)
    const { projection, more, names } = await namesOfProjects()
    expect(projection.name).toBe('names')
    expect(await projection.checkpoint()).toBe(0n)
    expect(await good(iam.catchUp(projection))).toBe(await store.lastPosition())
    expect(await names()).toEqual(['Portal', 'name 0', 'name 1'])
    await rename(iam, 'later')
    const other = more()
    expect(await good(iam.catchUp(other))).toBe(await store.lastPosition())
    expect(await projection.checkpoint()).toBe(await store.lastPosition())
    expect(await names()).toEqual(['Portal', 'name 0', 'name 1', 'later'])
  })

  test('applies nothing from another checkpoint than its own', async () => {
    const { log } = await renamed(1)
    const { projection, names } = await namesOfProjects()
    const [first, second, third] = log.map(({ position }) => position) as [bigint, bigint, bigint]
    expect(await projection.apply(first, log.slice(1))).toBe(false)
    expect(await projection.apply(0n, log.slice(0, 2))).toBe(true)
    for (const wrong of [0n, first, third])
      expect(await projection.apply(wrong, log.slice(2))).toBe(false)
    expect(await projection.checkpoint()).toBe(second)
    expect(await names()).toEqual(['Portal'])
    expect(await projection.apply(second, [])).toBe(true)
    expect(await projection.checkpoint()).toBe(second)
  })

  test('changes rows and checkpoint both or neither', async () => {
    const { iam, log } = await renamed(2)
    const bug = new TypeError('of the host')
    const { insert, more, names } = await namesOfProjects()
    const failing = more({
      apply: async (client, events) => {
        await insert(client, events)
        if (events.some(({ position }) => position === log[3]?.position)) throw bug
      },
    })
    expect(await refusal(iam.catchUp(failing))).toMatchObject({
      kind: 'ProjectionFailed',
      projection: 'names',
      position: log[3]?.position,
      cause: bug,
    })
    expect(await failing.checkpoint()).toBe(log[2]?.position)
    expect(await names()).toEqual(['Portal'])
    await good(iam.catchUp(more()))
    expect(await names()).toEqual(['Portal', 'name 0', 'name 1'])
  })

  test('counts each event once, however many processes begin at once', async () => {
    const { iam, store, log } = await renamed(20)
    const { more, names } = await namesOfProjects()
    // Small batches, so that all of them have something to do.
    const paged = { ...store, readAll: (after: bigint) => store.readAll(after, 3) }
    const processes = Array.from({ length: 6 }, () => more())
    const head = await store.lastPosition()
    const reached = await Promise.all(
      processes.map((projection) => good(iamOn(paged).catchUp(projection))),
    )
    expect(reached).toEqual(processes.map(() => head))
    const added = log.filter(({ type }) => /^project\.(added|updated)/.test(type))
    expect(await names()).toHaveLength(added.length)
    await good(iam.catchUp(more()))
    expect(await names()).toHaveLength(added.length)
  })

  test('has a checkpoint for each name', async () => {
    const { iam } = await renamed(1)
    const { projection, more, names } = await namesOfProjects({}, 'CHECK (true)')
    await good(iam.catchUp(projection))
    const other = more({ name: 'names, too' })
    expect(await other.checkpoint()).toBe(0n)
    await good(iam.catchUp(other))
    expect(await names()).toEqual(['Portal', 'Portal', 'name 0', 'name 0'])
  })

  test('is READ COMMITTED, regardless of the default of the database', async () => {
    const { iam } = await renamed(0)
    const levels: unknown[] = []
    const options = '-c default_transaction_isolation=serializable'
    const { projection } = await namesOfProjects({
      pool: newPool({ options }),
      apply: async (client) => {
        const { rows } = await client.query('SHOW transaction_isolation')
        levels.push(rows[0]?.transaction_isolation)
      },
    })
    await good(iam.catchUp(projection))
    expect(levels).toEqual(['read committed'])
  })

  test('reads its checkpoint even if the host parses numbers differently', async () => {
    const { iam, store } = await renamed(0)
    const types = { getTypeParser: () => (text: unknown) => `parsed: ${text}` }
    const { projection } = await namesOfProjects({ pool: newPool({ types }) })
    expect(await good(iam.catchUp(projection))).toBe(await store.lastPosition())
  })

  test('is rebuilt after a reset, in which the host empties its rows', async () => {
    const { iam, store } = await renamed(1)
    const { projection, more, names, table } = await namesOfProjects()
    await good(iam.catchUp(projection))
    const failing = more({
      reset: async (client) => {
        await client.query(`DELETE FROM ${table}`)
        throw new Error('not now')
      },
    })
    await expect(failing.reset()).rejects.toThrow('not now')
    expect(await projection.checkpoint()).toBe(await store.lastPosition())
    expect(await names()).toHaveLength(2)
    const emptied = more({ reset: (client) => client.query(`DELETE FROM ${table}`) })
    await emptied.reset()
    expect(await names()).toEqual([])
    expect(await projection.checkpoint()).toBe(0n)
    await good(iam.catchUp(projection))
    expect(await names()).toEqual(['Portal', 'name 0'])
  })

  test('keeps its rows in a reset without code of the host', async () => {
    const { iam } = await renamed(1)
    const { projection, names } = await namesOfProjects()
    await projection.reset()
    await good(iam.catchUp(projection))
    await projection.reset()
    expect(await projection.checkpoint()).toBe(0n)
    expect(await names()).toHaveLength(2)
  })

  test('refuses an event whose rows the database would refuse at the commit', async () => {
    const { iam, log } = await renamed(1)
    const deferred = 'UNIQUE (name) DEFERRABLE INITIALLY DEFERRED'
    const { projection, names } = await namesOfProjects({}, deferred)
    await rename(iam, 'Portal')
    expect(await refusal(iam.run(projection))).toMatchObject({
      kind: 'ProjectionFailed',
      type: 'project.updated',
      cause: { code: '23505' },
    })
    expect(await projection.checkpoint()).toBe(log.at(-1)?.position)
    expect(await names()).toEqual(['Portal', 'name 0'])
  })

  test('refuses an event when a statement failed and its error was swallowed', async () => {
    const { iam } = await renamed(0)
    const { projection } = await namesOfProjects({
      apply: (client) => client.query('SELECT 1 / 0').catch(() => undefined),
    })
    expect(await refusal(iam.run(projection))).toMatchObject({
      kind: 'ProjectionFailed',
      cause: { code: '25P02' },
    })
    expect(await projection.checkpoint()).toBe(0n)
  })
})

describe('The checkpoints of projections', () => {
  test('share a schema with a store, in any order', async () => {
    const { connectionString } = server
    const { schema, projection, more } = await namesOfProjects()
    await projection.checkpoint()
    await using opened = await openPostgres({ connectionString, schema })
    const iam = iamOn(opened.store, { readModel: opened.readModel })
    await addSamples(iam)
    expect(await good(iam.catchUp(projection))).toBe(await opened.store.lastPosition())

    const later = newSchema()
    await using first = await openPostgres({ connectionString, schema: later })
    await addSamples(iamOn(first.store))
    const other = more({ schema: later, name: 'other', apply: async () => undefined })
    await good(iamOn(first.store).catchUp(other))
    await using _ = await openPostgres({ connectionString, schema: later, migrate: false })
  })

  test('are made by one of many processes, and need no right once they exist', async () => {
    const { iam } = await renamed(0)
    const { schema, more, table } = await namesOfProjects()
    await Promise.all(Array.from({ length: 8 }, () => more().checkpoint()))
    const role = `role_of_${schema}`
    await admin.query(`CREATE ROLE ${role} LOGIN; GRANT INSERT ON ${table} TO ${role};
      GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, INSERT, UPDATE ON "${schema}".projection_checkpoint TO ${role}`)
    const connectionString = server.connectionString.replace('postgres@', `${role}@`)
    const limited = more({ pool: newPool({ connectionString }) })
    await good(iam.catchUp(limited))
    const other = newSchema()
    const elsewhere = { schema: other, apply: async () => undefined }
    const early = more({ ...elsewhere, pool: newPool({ connectionString }) })
    const refused = await refusal(iam.catchUp(early))
    expect(refused).toMatchObject({ kind: 'Unavailable', cause: { message: /permission denied/ } })
    await more(elsewhere).checkpoint()
    await admin.query(`GRANT USAGE ON SCHEMA "${other}" TO ${role};
      GRANT SELECT, INSERT, UPDATE ON "${other}".projection_checkpoint TO ${role}`)
    await good(iam.catchUp(early))
  })
})

describe('A projection into PostgreSQL that loses its connection', () => {
  /** Runs it until `log` is applied. */
  const runUntil = async (iam: Iam, projection: Projection, position: bigint) => {
    const end = new AbortController()
    const running = iam.run(projection, { signal: end.signal })
    const reached = () => projection.checkpoint().catch(() => 0n)
    await expect.poll(reached, { timeout: 30_000 }).toBe(position)
    end.abort()
    return good(running)
  }

  /** The library, and the faults that it reports. */
  const watched = (store: Parameters<typeof iamOn>[0]) => {
    const told: FaultSeen[] = []
    return { told, iam: iamOn(store, { hooks: { onFault: (fault) => told.push(fault) } }) }
  }

  test('in the middle of its work tries again, and counts each event once', async () => {
    const { store } = await renamed(2)
    const { insert, more, names } = await namesOfProjects()
    const { told, iam } = watched(store)
    let times = 3
    const projection = more({
      apply: async (client, events) => {
        await insert(client, events)
        if (times-- <= 0) return
        const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
        await admin.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
        await client.query('SELECT 1')
      },
    })
    const head = await store.lastPosition()
    expect(await runUntil(iam, projection, head)).toBe(head)
    expect(await names()).toEqual(['Portal', 'name 0', 'name 1'])
    expect(told.length).toBe(3)
    for (const fault of told) expect(fault).toMatchObject({ method: 'run', kind: 'Unavailable' })
  })

  test('is unavailable, also when the code of the host throws', async () => {
    const { iam } = await renamed(0)
    const { more } = await namesOfProjects()
    const projection = more({
      apply: async (client) => {
        const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
        await admin.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
        throw new Error('My own words')
      },
    })
    const refused = await refusal(iam.catchUp(projection))
    expect(refused).toMatchObject({ kind: 'Unavailable', cause: { message: /My own words/ } })
    expect(refused).toMatchObject({ cause: expect.any(StoreFault) })
  })

  test('leaves a connection whose server refuses to write', async () => {
    const { iam } = await renamed(0)
    const { insert, more } = await namesOfProjects()
    const backends: unknown[] = []
    const projection = more({
      apply: async (client, events) => {
        const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
        backends.push(rows[0]?.pid)
        if (backends.length === 1) await client.query('SET LOCAL transaction_read_only = on')
        await insert(client, events)
      },
    })
    expect(await refusal(iam.catchUp(projection))).toMatchObject({ kind: 'Unavailable' })
    await good(iam.catchUp(projection))
    expect(new Set(backends).size).toBe(2)
  })

  test('while idle, is replaced by another one', async () => {
    const { store, iam } = await renamed(0)
    const { projection, names } = await namesOfProjects({
      pool: newPool({ application_name: 'idle' }),
    })
    await good(iam.catchUp(projection))
    const ended =
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1'
    await admin.query(ended, ['idle'])
    await rename(iam, 'later')
    await expect.poll(async () => (await iam.catchUp(projection)).isOk()).toBe(true)
    expect(await projection.checkpoint()).toBe(await store.lastPosition())
    expect(await names()).toEqual(['Portal', 'later'])
  })

  test('goes on when its server is back', async () => {
    const { store, iam: writer } = await renamed(0)
    const { projection, names } = await namesOfProjects()
    const { told, iam } = watched(store)
    await good(iam.catchUp(projection))
    await server.stop()
    await rename(writer, 'meanwhile')
    const end = new AbortController()
    const running = iam.run(projection, { signal: end.signal })
    await expect.poll(() => told.length, { timeout: 30_000 }).toBeGreaterThan(2)
    await server.start()
    await expect
      .poll(() => projection.checkpoint(), { timeout: 30_000 })
      .toBe(await store.lastPosition())
    end.abort()
    await good(running)
    expect(await names()).toEqual(['Portal', 'meanwhile'])
    expect(told[0]).toMatchObject({ kind: 'Unavailable', outcome: 'not_recorded' })
  })
})

describe('The options of a projection into PostgreSQL', () => {
  const apply: Apply = async () => undefined
  const pool = { connect: async () => undefined } as unknown as pg.Pool

  test.each([
    ['pool', { name: 'n', apply }],
    ['pool', { pool: 'postgres://host/db', name: 'n', apply }],
    ['name', { pool, apply }],
    ['name', { pool, name: '', apply }],
    ['name', { pool, name: 'n'.repeat(201), apply }],
    ['name', { pool, name: 'a\0b', apply }],
    ['name', { pool, name: 5, apply }],
    ['apply', { pool, name: 'n' }],
    ['reset', { pool, name: 'n', apply, reset: true }],
    ['pool', undefined],
    ['pool', null],
  ])('are refused at once, by name: %s of %o', (field, options) => {
    expect(() => postgresProjection(options as never)).toThrow(TypeError)
    expect(() => postgresProjection(options as never)).toThrow(new RegExp(`^${field} `))
  })

  test('are refused at once, by name, if they are unknown', () => {
    const options = { pool, name: 'n', apply, shema: 's' }
    expect(() => postgresProjection(options as never)).toThrow(
      new TypeError(
        'postgresProjection has no option shema; it has pool, name, apply, reset, schema',
      ),
    )
  })

  test('are refused at once when the schema has no name for one', () => {
    expect(() => postgresProjection({ pool, name: 'n', apply, schema: 'pg_x' })).toThrow(RangeError)
  })
})

import type { Socket } from 'node:net'
import { Pool, type PoolClient } from 'pg'
import postgres, { type TransactionSql } from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  inTransaction,
  openPostgres,
  type Postgres,
  type PostgresOptions,
  postgresJs,
} from '../../../src/adapters/postgres/index.js'
import type { InTransaction } from '../../../src/index.js'
import { context, good, type Iam, iamOn } from '../../application/host.js'
import { countedPool } from './counted-pool.js'
import { newSchema, serverForFile } from './test-schemas.js'

const server = serverForFile()

/** The library with views, on a connection of its own. */
const openIam = async (
  schema: string,
  options: Partial<PostgresOptions> = {},
): Promise<Iam & { readonly opened: Postgres }> => {
  const { connectionString } = server
  const opened = await openPostgres({
    ...(options.driver || options.pool ? {} : { connectionString }),
    schema,
    views: true,
    ...options,
  } as PostgresOptions)
  onTestFinished(() => opened.close())
  const { store, readModel } = opened
  return { ...iamOn(store, { readModel, authorize: () => true }), opened }
}

const hostPool = (): Pool => {
  const pool = new Pool({ connectionString: server.connectionString })
  onTestFinished(() => pool.end())
  return pool
}

const addProject = async (iam: Iam): Promise<void> => {
  const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add({ ...role, permissions: ['invoice.read'] }, context))
}

const give = (iam: Iam, userId: string, rows?: InTransaction) =>
  iam.userGrants.add(
    { userId, projectId: 'portal', roles: [{ roleKey: 'editor' }] },
    { ...context, ...(rows && { inTransaction: rows }) },
  )

const insert = (statement: string) =>
  inTransaction(async (client: PoolClient) => void (await client.query(statement)))

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('Processes with views', () => {
  test('write side by side: each event has its rows at once, and rows of the host', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const sql = postgres(server.connectionString, { onnotice: () => undefined })
    onTestFinished(() => sql.end())
    const iams = [
      await openIam(schema),
      await openIam(schema),
      await openIam(schema, { pool }),
      await openIam(schema, { driver: postgresJs(sql) }),
    ]
    const [first] = iams
    if (!first) throw new Error('Nothing was opened')
    await addProject(first)
    await pool.query(`CREATE TABLE ${schema}.invoice (id text PRIMARY KEY)`)
    await Promise.all(
      iams.flatMap((iam, process) =>
        numbers(4).map(async (writer) => {
          for (const n of numbers(8)) {
            const userId = `u${process}-${writer}-${n}`
            const statement = `INSERT INTO ${schema}.invoice VALUES ('${userId}')`
            const rows =
              process === 3
                ? inTransaction(async (by: TransactionSql) => void (await by.unsafe(statement)))
                : insert(statement)
            await good(give(iam, userId, n % 2 === 0 ? rows : undefined))
            const seen = `SELECT 1 FROM ${schema}.role_holder WHERE user_id = '${userId}'`
            expect((await pool.query(seen)).rowCount).toBe(1)
          }
        }),
      ),
    )
    const { rows } =
      await pool.query(`SELECT (SELECT count(*) FROM ${schema}.invoice)::int AS invoices,
      (SELECT count(*) FROM ${schema}.role_holder)::int AS holders,
      (SELECT count(*) FROM ${schema}.role_holder JOIN ${schema}.invoice ON id = user_id)::int AS both`)
    expect(rows).toEqual([{ invoices: 64, holders: 128, both: 64 }])
  })

  test('settle a race for one grant: one winner, whose rows are there alone', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const iams = [await openIam(schema), await openIam(schema), await openIam(schema)]
    const [first] = iams
    if (!first) throw new Error('Nothing was opened')
    await addProject(first)
    await pool.query(`CREATE TABLE ${schema}.invoice (id text)`)
    for (const n of numbers(10)) {
      const answers = await Promise.all(
        iams.map((iam, at) =>
          give(iam, `u${n}`, insert(`INSERT INTO ${schema}.invoice VALUES ('${n}-${at}')`)),
        ),
      )
      expect(answers.filter((answer) => answer.isOk())).toHaveLength(1)
      expect(
        (await pool.query(`SELECT id FROM ${schema}.invoice WHERE id LIKE '${n}-%'`)).rowCount,
      ).toBe(1)
    }
  })

  test('write beside one without views: behind it they are empty, never out of date', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const iam = await openIam(schema)
    const other = await openIam(schema, { views: false })
    await addProject(iam)
    let isDone = false
    const toggling = (async () => {
      for (const _ of numbers(30)) {
        await good(give(other, 'bob'))
        await good(other.userGrants.remove({ userId: 'bob', projectId: 'portal' }, context))
        const { rowCount } = await pool.query(
          `SELECT 1 FROM ${schema}.role_holder WHERE user_id = 'bob'`,
        )
        expect(rowCount).toBe(0)
      }
      isDone = true
    })()
    for (let n = 0; !isDone; n++) await good(give(iam, `u${n}`))
    await toggling
    await good(give(iam, 'last'))
    const { rowCount } = await pool.query(
      `SELECT 1 FROM ${schema}.role_holder WHERE user_id = 'last'`,
    )
    expect(rowCount).toBe(1)
  })
})

describe('A process without views that records an event before each look of one with views', () => {
  const holdersIn = async (pool: Pool, schema: string) =>
    (await pool.query(`SELECT user_id FROM ${schema}.role_holder ORDER BY 1`)).rows.map(
      ({ user_id }) => user_id,
    )

  test('lets it record after eight tries, without rows; the next write of one with views brings them', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const other = await openIam(schema, { views: false })
    await addProject(other)
    let nth = 0
    let isLocked = false
    let disturbs = false
    const counted = countedPool(server.connectionString, async (text) => {
      // In a locked try the lock of the log comes before the look.
      if (text.includes('FOR UPDATE')) isLocked = true
      const isLook = text.includes('idempotency_key = k.key') && !isLocked
      if (disturbs && (isLook || text.includes('FOR UPDATE'))) {
        await good(give(other, `other${++nth}`))
      }
      if (text.includes('ROLLBACK')) isLocked = false
    })
    onTestFinished(() => counted.pool.end())
    const iam = await openIam(schema, { pool: counted.pool })
    await good(give(iam, 'before'))
    expect(await holdersIn(pool, schema)).toEqual(['before'])

    disturbs = true
    await good(give(iam, 'bob'))
    disturbs = false
    expect(nth).toBe(8)
    expect(await holdersIn(pool, schema)).toEqual([])
    await good(give(iam, 'after'))
    expect(await holdersIn(pool, schema)).toEqual(
      ['after', 'before', 'bob', ...numbers(8).map((n) => `other${n + 1}`)].toSorted(),
    )
  })

  test('lets it record with the rows of its host once', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const iam = await openIam(schema)
    const other = await openIam(schema, { views: false })
    await addProject(iam)
    await pool.query(`CREATE TABLE ${schema}.invoice (id text PRIMARY KEY)`)
    let runs = 0
    const disturbed = inTransaction(async (client: PoolClient) => {
      await client.query(`INSERT INTO ${schema}.invoice VALUES ('bob')`)
      await good(give(other, `other${++runs}`))
    })
    await good(give(iam, 'bob', disturbed))
    // Eight tries, and one without rows.
    expect(runs).toBe(9)
    expect((await pool.query(`SELECT id FROM ${schema}.invoice`)).rows).toEqual([{ id: 'bob' }])
    expect(await holdersIn(pool, schema)).toEqual([])
    await good(iam.userGrants.list({}, context))
    expect(await holdersIn(pool, schema)).toHaveLength(10)
  })
})

test('With views, a write that changes nothing is decided again if that changes before its commit.', async () => {
  const schema = newSchema()
  const pool = hostPool()
  const other = await openIam(schema)
  let isFirst = false
  const counted = countedPool(server.connectionString, async (text) => {
    if (!isFirst || !/COMMIT\b/.test(text)) return
    isFirst = false
    await good(other.projects.reactivate({ id: 'portal' }, context))
  })
  onTestFinished(() => counted.pool.end())
  const iam = await openIam(schema, { pool: counted.pool })
  await addProject(iam)
  await good(iam.projects.deactivate({ id: 'portal' }, context))
  await pool.query(`CREATE TABLE ${schema}.invoice (id int PRIMARY KEY)`)
  isFirst = true
  const rows = insert(`INSERT INTO ${schema}.invoice VALUES (1)`)
  const again = iam.projects.deactivate({ id: 'portal' }, { ...context, inTransaction: rows })
  expect((await good(again)).changed).toBe(true)
  expect((await pool.query(`SELECT id FROM ${schema}.invoice`)).rowCount).toBe(1)
})

describe('With views, other writers are not held up', () => {
  test('by a slow function: they record meanwhile', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const [slow, fast] = [await openIam(schema), await openIam(schema)]
    await addProject(slow)
    await pool.query(`CREATE TABLE ${schema}.invoice (id text PRIMARY KEY)`)
    const work = inTransaction(async (client: PoolClient) => {
      await client.query(`INSERT INTO ${schema}.invoice VALUES ('slow')`)
      for (const rows of [insert(`INSERT INTO ${schema}.invoice VALUES ('fast')`), undefined])
        await good(give(fast, rows ? 'fast' : 'faster', rows))
    })
    await good(give(slow, 'slow', work))
    const { rows } = await pool.query(
      `SELECT user_id, id FROM ${schema}.role_holder LEFT JOIN ${schema}.invoice ON id = user_id ORDER BY 1`,
    )
    expect(rows).toEqual([
      { user_id: 'fast', id: 'fast' },
      { user_id: 'faster', id: null },
      { user_id: 'slow', id: 'slow' },
    ])
  })

  test.each(['before it has appended', 'after it has appended'])(
    'by a process that is frozen %s',
    async (moment) => {
      const schema = newSchema()
      const pool = hostPool()
      let isFreezing = false
      let freeze: () => void = () => undefined
      let goOn: () => void = () => undefined
      const frozen = new Promise<void>((resolve) => {
        freeze = resolve
      })
      const counted = countedPool(server.connectionString, async (text) => {
        if (!isFreezing || !text.includes('append_at') || moment.startsWith('after')) return
        isFreezing = false
        freeze()
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
      })
      onTestFinished(() => counted.pool.end())
      const iam = await openIam(schema, { pool: counted.pool })
      const other = await openIam(schema)
      await addProject(iam)
      await pool.query(`CREATE TABLE ${schema}.invoice (id text PRIMARY KEY)`)
      isFreezing = true
      const work = inTransaction(async (client: PoolClient) => {
        await client.query(`INSERT INTO ${schema}.invoice VALUES ('bob')`)
        if (moment.startsWith('before') || !isFreezing) return
        isFreezing = false
        const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
        const write = stream.write.bind(stream) as (chunk: Buffer) => boolean
        // Once the append is sent, nothing that the server answers is read.
        stream.write = (chunk: unknown) => {
          const bytes = chunk as Buffer
          if (bytes.includes('append_at')) {
            stream.pause()
            goOn = () => stream.resume()
            setImmediate(freeze)
          }
          return write(bytes)
        }
      })
      const giving = give(iam, 'bob', work)
      await frozen
      for (const n of numbers(3)) await good(give(other, `other${n}`))
      goOn()
      await good(giving)
      const { rows } = await pool.query(`SELECT user_id FROM ${schema}.role_holder
        WHERE user_id IN (SELECT id FROM ${schema}.invoice) OR user_id LIKE 'other%' ORDER BY 1`)
      expect(rows.map(({ user_id }) => user_id)).toEqual(['bob', 'other0', 'other1', 'other2'])
    },
  )
})

describe('A deadlock of statements of the host', () => {
  test('ends with the error of PostgreSQL for one call; the other is recorded, and so is a retry', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const iams = [await openIam(schema), await openIam(schema)]
    const [first] = iams
    if (!first) throw new Error('Nothing was opened')
    await addProject(first)
    await pool.query(`CREATE TABLE ${schema}.account (id int PRIMARY KEY, total int);
      INSERT INTO ${schema}.account VALUES (1, 0), (2, 0)`)
    let waiting: (() => void)[] = []
    /** Resolves once both transactions have their first row. */
    const meet = () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length < 2) return
        for (const go of waiting) go()
        waiting = []
      })
    const update = (ids: readonly number[], between: () => Promise<void>) =>
      inTransaction(async (client: PoolClient) => {
        for (const [nth, id] of ids.entries()) {
          await client.query(`UPDATE ${schema}.account SET total = total + 1 WHERE id = ${id}`)
          if (nth === 0) await between()
        }
      })
    const outcomes = await Promise.allSettled([
      good(give(iams[0] ?? first, 'ann', update([1, 2], meet))),
      good(give(iams[1] ?? first, 'bob', update([2, 1], meet))),
    ])
    const rejected = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(rejected).toMatchObject([{ code: '40P01' }])
    const loser = outcomes[0]?.status === 'rejected' ? 'ann' : 'bob'
    await good(
      give(
        first,
        loser,
        update([1, 2], async () => undefined),
      ),
    )
    const { rows } = await pool.query(`SELECT total FROM ${schema}.account ORDER BY id`)
    expect(rows).toEqual([{ total: 2 }, { total: 2 }])
  })

  test('does not arise from rows of the host and the lock of the log, in any order of writers', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const withViews = [await openIam(schema), await openIam(schema)]
    const without = await openIam(schema, { views: false })
    const [first] = withViews
    if (!first) throw new Error('Nothing was opened')
    await addProject(first)
    await pool.query(`CREATE TABLE ${schema}.account (id int PRIMARY KEY, total int);
      INSERT INTO ${schema}.account SELECT n, 0 FROM generate_series(0, 3) AS n`)
    /** Rows in one order, as hosts are told to lock them; with and without rows, and reads that apply events. */
    const work = [...withViews, without].flatMap((iam, process) =>
      numbers(4).map(async (writer) => {
        for (const n of numbers(10)) {
          const [low, high] = [n % 3, (n % 3) + 1]
          const update = insert(`UPDATE ${schema}.account SET total = total + 1 WHERE id = ${low};
            UPDATE ${schema}.account SET total = total + 1 WHERE id = ${high}`)
          await good(give(iam, `u${process}-${writer}-${n}`, writer % 2 === 0 ? update : undefined))
          if (writer === 3) await good(iam.userGrants.list({ pageSize: 1 }, context))
        }
      }),
    )
    await Promise.all(work)
    const { rows } = await pool.query(`SELECT sum(total)::int AS total FROM ${schema}.account`)
    expect(rows).toEqual([{ total: 3 * 2 * 10 * 2 }])
    const { rows: deadlocks } = await pool.query(
      `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
    )
    // The one that the test before has staged.
    expect(deadlocks[0]?.deadlocks).toBeLessThanOrEqual(1)
  })
})

describe('A role of the host', () => {
  test('needs to select from the views alone, also after they are made again', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const iam = await openIam(schema)
    await addProject(iam)
    await good(give(iam, 'bob'))
    const role = `reader_${schema}`
    await pool.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ${schema}.role_holder, ${schema}.permission_holder TO ${role}`)
    await pool.query(`COMMENT ON VIEW ${schema}.role_holder IS 'of another version'`)
    await openIam(schema)
    const url = new URL(server.connectionString)
    url.username = role
    const reader = new Pool({ connectionString: url.href })
    const { rows } = await reader.query(
      `SELECT user_id, permission FROM ${schema}.permission_holder`,
    )
    expect(rows).toEqual([{ user_id: 'bob', permission: 'invoice.read' }])
    await expect(reader.query(`SELECT 1 FROM ${schema}.events`)).rejects.toMatchObject({
      code: '42501',
    })
    await reader.end()
  })

  test('sees rows of its own by row level security, as soon as a right is given', async () => {
    const schema = newSchema()
    const pool = hostPool()
    const iam = await openIam(schema)
    await addProject(iam)
    const role = `app_${schema}`
    await pool.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ${schema}.permission_holder TO ${role};
      CREATE TABLE ${schema}.invoice (id int PRIMARY KEY, project_id text);
      GRANT SELECT ON ${schema}.invoice TO ${role};
      INSERT INTO ${schema}.invoice VALUES (1, 'portal'), (2, 'other');
      ALTER TABLE ${schema}.invoice ENABLE ROW LEVEL SECURITY;
      CREATE POLICY readers ON ${schema}.invoice FOR SELECT USING (project_id = ANY ((
        SELECT array_agg(project_id) FROM ${schema}.permission_holder
        WHERE user_id = current_setting('app.user_id') AND org_id = current_setting('app.org_id')
          AND permission = 'invoice.read'
      )::text[]))`)
    const url = new URL(server.connectionString)
    url.username = role
    const app = new Pool({ connectionString: url.href, max: 1 })
    await app.query(
      `SELECT set_config('app.user_id', 'bob', false), set_config('app.org_id', 'acme', false)`,
    )
    const invoices = async () =>
      (await app.query(`SELECT id FROM ${schema}.invoice`)).rows.map(({ id }) => id)
    expect(await invoices()).toEqual([])
    await good(give(iam, 'bob'))
    expect(await invoices()).toEqual([1])
    await good(iam.userGrants.deactivate({ userId: 'bob', projectId: 'portal' }, context))
    expect(await invoices()).toEqual([])
    await app.end()
  })
})

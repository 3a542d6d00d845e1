import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { openPostgres, type Postgres, StoreFault } from '../../../../src/adapters/postgres/index.js'
import {
  CHANGES,
  CHECKPOINT,
  OBJECTS,
  PLACES,
  READ_MODEL,
  SHARES,
  STANDING,
} from '../../../../src/adapters/sql/read-model/tables.js'
import { NOW, userGrantAdded } from '../../../../src/laws/read-model/grant-samples.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { mappingAdded, reported } from '../../../../src/laws/read-model/mapping-samples.js'
import {
  idpAdded,
  idpDeactivated,
  projectAdded,
  projectDeactivated,
  projectReactivated,
  projectRemoved,
  roleAdded,
  SEAL,
} from '../../../../src/laws/read-model/object-samples.js'
import { byIdentity, listOf } from '../../../../src/laws/read-model/samples.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
const opened: Postgres[] = []

const openSchema = async (schema: string): Promise<Postgres['readModel']> => {
  const postgres = await openPostgres({ connectionString: server.connectionString, schema })
  opened.push(postgres)
  return postgres.readModel
}

afterAll(async () => {
  for (const { close } of opened) await close()
})

/** By name. */
const READ_TABLES = [
  'change',
  'checkpoint',
  'domain',
  'held',
  'identity_provider',
  'mapped',
  'member',
  'membership',
  'permission',
  'place',
  'project',
  'project_grant',
  'project_role',
  'role_mapping',
  'setup_link',
  'share',
  'standing',
  'user_grant',
].map((name) => `${READ_MODEL}_${name}`)

/** Runs statements as the owner of the database. */
const asOwner = async <Value>(work: (client: pg.Client) => Promise<Value>): Promise<Value> => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  const value = await work(client)
  await client.end()
  return value
}

/** As a backup without the rows of the read model leaves it. */
const emptyTables = (schema: string) =>
  asOwner(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
        WHERE nspname = $1 AND relkind = 'r' AND relname LIKE 'read%' ORDER BY 1`,
      [schema],
    )
    expect(rows.map(({ name }) => name)).toEqual(READ_TABLES)
    await client.query(`TRUNCATE ${READ_TABLES.map((table) => `${schema}.${table}`).join()}`)
  })

const untouched = async (_: string) => {}

test.each([
  ['as they were made', untouched],
  ['that a backup has left out', emptyTables],
])('Many that catch up at once, in tables %s, apply every batch once.', async (_, prepare) => {
  const schema = newSchema()
  const models = await Promise.all(Array.from({ length: 4 }, () => openSchema(schema)))
  await prepare(schema)
  const log = newLog()
  for (let n = 0; n < 300; n++) log.record('acme', projectAdded(`project-${n}`))
  const last = log.events.at(-1)?.position ?? 0n

  const applied = await Promise.all(
    models.map(async (model) => {
      let count = 0
      for (;;) {
        const from = await model.checkpoint()
        if (from >= last) return count
        if (await model.apply(from, log.above(from).slice(0, 10))) count++
      }
    }),
  )

  expect(applied.reduce((sum, count) => sum + count)).toBe(30)
  const sort = [{ field: 'sequence', direction: 'asc' } as const, byIdentity('project')]
  for (const model of models) {
    const { items } = await model.list({ ...listOf('project'), sort })
    expect(items.map(({ details }) => details.sequence)).toEqual(log.events.map((e) => e.position))
  }
})

/** Waits until so many statements wait for a lock. */
const waiting = (count: number) =>
  asOwner((client) =>
    expect
      .poll(async () => {
        const { rows } = await client.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return rows.length
      })
      .toBe(count),
  )

test.each([STANDING.name, OBJECTS.project.name])(
  'A batch that cannot be kept in %s is rejected, and leaves nothing behind.',
  async (table) => {
    const schema = newSchema()
    const model = await openSchema(schema)
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    await asOwner((client) => client.query(`DROP TABLE ${schema}.${table}`))
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    await expect(model.apply(0n, log.events)).rejects.toThrow(StoreFault)
    await new Promise(setImmediate)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect(await model.checkpoint()).toBe(0n)
  },
)

test('A reset waits for a process that fills tables which a backup left out.', async () => {
  const schema = newSchema()
  const model = await openSchema(schema)
  await emptyTables(schema)
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  const held = async (table: string) => {
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query(`BEGIN; LOCK TABLE ${schema}.${table} IN SHARE MODE`)
    return client
  }
  const projects = await held(OBJECTS.project.name)
  const providers = await held(OBJECTS.identity_provider.name)

  const applied = model.apply(0n, log.events)
  await waiting(1)
  const reset = model.reset()
  await waiting(2)
  await projects.end()
  expect(await applied).toBe(true)
  await providers.end()
  await reset

  expect(await model.checkpoint()).toBe(0n)
  expect(await model.apply(0n, log.events)).toBe(true)
  const portal = await model.get<'project'>('acme', { type: 'project', id: 'portal' })
  expect(portal?.id).toBe('portal')
})

test('A reset waits for those that fill the tables from the beginning, without a deadlock.', async () => {
  const schema = newSchema()
  const [one, other, third] = await Promise.all([1, 2, 3].map(() => openSchema(schema)))
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  // Keeps the first of them waiting in the middle of its batch.
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${schema}.${STANDING.name} IN SHARE MODE`)
  const first = one?.apply(0n, log.events)
  await waiting(1)
  const second = other?.apply(0n, log.events)
  await waiting(2)
  const reset = third?.reset()
  await waiting(3)
  await client.end()

  expect(await first).toBe(true)
  expect(await second).toBe(false)
  await reset
  expect(await one?.checkpoint()).toBe(0n)
})

test('A read model can be filled and emptied with a publication of all tables.', async () => {
  const schema = newSchema()
  const model = await openSchema(schema)
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  log.record('acme', projectAdded('shop'))
  const [first, second] = log.events
  expect(first && (await model.apply(0n, [first]))).toBe(true)
  await asOwner((client) => client.query('CREATE PUBLICATION everything FOR ALL TABLES'))
  expect(first && second && (await model.apply(first.position, [second]))).toBe(true)
  await model.reset()
  expect(await model.checkpoint()).toBe(0n)
  await asOwner((client) => client.query('DROP PUBLICATION everything'))
})

test('A backup that is restored into tables that were made already is read, and gone on from.', async () => {
  const schema = newSchema()
  const model = await openSchema(schema)
  const restored = newSchema()
  const other = await openSchema(restored)
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  log.record('acme', projectAdded('shop'))
  const [first, second] = log.events
  expect(first && (await model.apply(0n, [first]))).toBe(true)
  await asOwner(async (client) => {
    for (const table of READ_TABLES) {
      await client.query(`INSERT INTO ${restored}.${table} SELECT * FROM ${schema}.${table}`)
    }
  })

  expect(await other.checkpoint()).toBe(first?.position)
  expect(first && second && (await other.apply(first.position, [second]))).toBe(true)
  expect(await other.checkpoint()).toBe(second?.position)
  await other.reset()
  expect(await other.apply(0n, log.events)).toBe(true)
  expect(await other.checkpoint()).toBe(second?.position)
})

test('Its tables hold no secret, not even a sealed one.', async () => {
  const schema = newSchema()
  const postgres = await openPostgres({ connectionString: server.connectionString, schema })
  opened.push(postgres)
  const log = newLog()
  log.record('acme', idpAdded('google'))
  log.record('acme', idpDeactivated('google'))
  await postgres.readModel.apply(0n, log.events)
  await asOwner(async (client) => {
    for (const table of [OBJECTS.identity_provider.name, CHANGES.name]) {
      const { rows } = await client.query(`SELECT * FROM ${schema}.${table}`)
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(SEAL)
    }
  })
})

test.each([PLACES, SHARES])(
  'Deleted numbers of $name are not given again, so that no row becomes that of another organization.',
  async ({ name }) => {
    const schema = newSchema()
    const model = await openSchema(schema)
    const log = newLog()
    const ids = { userId: 'ann', projectId: 'portal' }
    for (const orgId of ['acme', 'other']) {
      log.record(orgId, projectAdded('portal'))
      log.record(orgId, roleAdded('portal', 'reader'))
      log.record(orgId, userGrantAdded({ ...ids, projectOrgId: orgId }, ['reader']))
    }
    const from = log.events[2]?.position ?? 0n
    expect(await model.apply(0n, log.events.slice(0, 3))).toBe(true)
    await asOwner((client) => client.query(`TRUNCATE ${schema}.${name}`))

    await expect(model.apply(from, log.events.slice(3))).rejects.toThrow(
      `The table "${schema}".${name} was emptied: reset the read model`,
    )
    expect(await model.checkpoint()).toBe(from)
    await model.reset()
    expect(await model.apply(0n, log.events)).toBe(true)
    const { items } = await model.holders({ orgId: 'other', projectId: 'portal', ...NOW })
    expect(items).toHaveLength(1)
  },
)

test('A reset deletes all rows and leaves a checkpoint of 0.', async () => {
  const schema = newSchema()
  const model = await openSchema(schema)
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  await model.apply(0n, log.events)
  await model.reset()
  await asOwner(async (client) => {
    for (const table of READ_TABLES.filter((name) => name !== CHECKPOINT.name)) {
      const { rows } = await client.query(`SELECT FROM ${schema}.${table}`)
      expect(rows, table).toEqual([])
    }
  })
})

test('History has the actor, also with a very long id.', async () => {
  const schema = newSchema()
  const postgres = await openPostgres({ connectionString: server.connectionString, schema })
  opened.push(postgres)
  const { readModel, store } = postgres
  const log = newLog()
  // An index takes no more than 2,704 bytes that cannot be compressed.
  const id = Array.from({ length: 500 }, () => crypto.randomUUID()).join()
  const actor = { userId: id, orgId: id }
  log.record('acme', projectAdded('portal'), { actor })
  await store.restore(log.events)
  expect(await readModel.apply(0n, log.events)).toBe(true)
  const [entry] = await readModel.history({ orgId: 'acme', actor: id, after: 0n, limit: 10 })
  expect(entry?.actor).toEqual(actor)
})

test('What adds the rows of one event is prepared once for all events like it; nothing else is.', async () => {
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 })
  const { readModel, close } = await openPostgres({ pool, schema: newSchema() })
  const log = newLog()
  for (let n = 0; n < 12; n++) log.record('acme', projectAdded(`project-${n}`))
  for (let n = 0; n < 4; n++) {
    log.record('acme', projectDeactivated('project-0'))
    log.record('acme', projectReactivated('project-0'))
  }
  log.record('acme', projectRemoved('project-1'))
  const apply = (begin: number, end: number) =>
    readModel.apply(log.events[begin - 1]?.position ?? 0n, log.events.slice(begin, end))
  for (let n = 0; n < 8; n++) expect(await apply(n, n + 1)).toBe(true)
  expect(await apply(8, 12)).toBe(true)
  for (let n = 12; n < log.events.length; n++) expect(await apply(n, n + 1)).toBe(true)
  const { rows } = await pool.query(
    `SELECT (generic_plans + custom_plans)::integer AS runs FROM pg_prepared_statements
      WHERE statement LIKE 'WITH guard AS (UPDATE %'`,
  )
  // The first event is applied in a transaction: the checkpoint was 0.
  expect(rows).toEqual([{ runs: 7 }])
  expect(await readModel.checkpoint()).toBe(log.events.at(-1)?.position)
  await close()
  await pool.end()
})

test('Roles that members of a group would have are in the order of code points in any language', async () => {
  const readModel = await openSchema(newSchema())
  const log = newLog()
  const roleKeys = ['B', 'a', 'ä', '\uffff', '\u{10ffff}']
  log.record('acme', projectAdded('app'))
  for (const key of roleKeys) log.record('acme', roleAdded('app', key))
  log.record('acme', idpAdded('okta'))
  const group = { idpId: 'okta', group: 'staff' }
  const ids = { ...group, projectId: 'app', projectOrgId: 'acme', resource: 'office' }
  log.record('acme', mappingAdded(ids, ['a']))
  const { position: at } = log.record('acme', reported('okta', 'bob', ['staff']))
  await readModel.apply(0n, log.events)
  const members = { orgId: 'acme', ...group, after: 0n }
  const asked = { orgId: 'acme', projectId: 'app', roleKeys, members, at, now: NOW.now }
  const firstOf = async (limit: number) => {
    const { first } = await readModel.affected({ ...asked, limit })
    return first.map(({ roleKey }) => roleKey)
  }
  expect(await firstOf(10)).toEqual(roleKeys)
  expect(await firstOf(2)).toEqual(['B', 'a'])
})

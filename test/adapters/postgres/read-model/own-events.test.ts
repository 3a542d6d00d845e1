import type pg from 'pg'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryReadModel } from '../../../../src/adapters/memory/read-model.js'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { lockKey } from '../../../../src/adapters/postgres/log/writes.js'
import { ownEvents } from '../../../../src/adapters/postgres/own-events.js'
import { OrgId, ProjectId, UserId } from '../../../../src/domain/values.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { projectAdded } from '../../../../src/laws/read-model/object-samples.js'
import { addSamples, context, good, iamOn } from '../../../application/host.js'
import { countedPool } from '../counted-pool.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
const opened: { readonly pool: pg.Pool; readonly postgres: Postgres }[] = []

afterAll(async () => {
  for (const { pool, postgres } of opened) {
    await postgres.close()
    await pool.end()
  }
})

let schema = ''
/** Done before each statement of a process. */
let before = async (_text: string): Promise<void> => {}

const openProcess = async () => {
  const { pool, sent } = countedPool(server.connectionString, (text) => before(text))
  const postgres = await openPostgres({ pool, schema })
  opened.push({ pool, postgres })
  return { ...postgres, pool, sent, iam: iamOn(postgres.store, postgres) }
}

type Process = Awaited<ReturnType<typeof openProcess>>

const give = ({ iam }: Process, userId: string, roleKey = 'editor') =>
  good(iam.userGrants.add({ userId, projectId: 'portal', roles: [{ roleKey }] }, context))

const change = ({ iam }: Process, userId: string, roleKey: string) =>
  good(iam.userGrants.update({ userId, projectId: 'portal', roles: [{ roleKey }] }, context))

const holders = ({ iam }: Pick<Process, 'iam'>) =>
  good(iam.access.whoHas({ projectId: 'portal' }, context))

/** Whether the statement applies events of the process without having looked. */
const isOwn = (text: string): boolean => text.includes('SKIP LOCKED')

/** Counts the writers of the database that wait for the lock of a log. */
const WAITING = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

let one: Process
let other: Process

/** The process `one` knows what it wrote. */
beforeEach(async () => {
  before = async () => {}
  schema = newSchema()
  one = await openProcess()
  other = await openProcess()
  await addSamples(one.iam)
  for (const roleKey of ['guest', 'owner'])
    await good(
      one.iam.projectRoles.add({ projectId: 'portal', roleKey, displayName: roleKey }, context),
    )
  await holders(one)
  await give(one, 'ann')
  await holders(one)
})

/** What `process` reads is what the log says. */
const expectRight = async (process: Process): Promise<void> => {
  const inMemory = iamOn(process.store, { readModel: memoryReadModel() })
  const expected = await holders({ iam: inMemory })
  expect((await holders(process)).items).toEqual(expected.items)
}

const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a role given', () => give(one, 'bob')],
  ['a role of another name given', () => give(one, 'bob', 'owner')],
  ['a grant changed', () => change(one, 'ann', 'guest')],
]

/** Keeps the tables, and puts them back: as a standby that lacks the last commits becomes the primary. */
const standby = async () => {
  const quoted = `"${schema}"`
  const { rows } = await one.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  )
  for (const { name } of rows)
    await one.pool.query(`CREATE TABLE ${quoted}."kept_${name}" AS TABLE ${quoted}."${name}"`)
  return async () => {
    for (const { name } of rows)
      await one.pool.query(
        `DELETE FROM ${quoted}."${name}"; INSERT INTO ${quoted}."${name}" TABLE ${quoted}."kept_${name}"`,
      )
  }
}

describe.each(writes)('On PostgreSQL, a strong read after %s', (_, write) => {
  test('sees what another process wrote before it.', async () => {
    await give(other, 'eve')
    await write()
    await expectRight(one)
  })

  test('sees what another process wrote while it waited.', async () => {
    const { pool } = countedPool(server.connectionString)
    const client = await pool.connect()
    try {
      await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockKey(`"${schema}"`)})`)
      const waiting = async (count: number) =>
        expect
          .poll(async () => (await client.query(WAITING)).rows[0].count, { interval: 5 })
          .toBe(String(count))
      const first = give(other, 'eve', 'owner')
      await waiting(1)
      const second = write()
      await waiting(2)
      await client.query('COMMIT')
      await Promise.all([first, second])
    } finally {
      client.release()
      await pool.end()
    }
    await expectRight(one)
  })

  test('sees what another process wrote after it.', async () => {
    await write()
    await give(other, 'eve', 'owner')
    await expectRight(one)
  })

  test('finds what another process has applied.', async () => {
    await write()
    await holders(other)
    await expectRight(one)
  })

  test('rebuilds a read model that another process has reset.', async () => {
    await write()
    await other.readModel.reset()
    await expectRight(one)
    await write().catch(() => undefined)
    await expectRight(one)
  })

  test('is answered when the connection is lost while the events are applied.', async () => {
    await write()
    let lost = 0
    before = async (text) => {
      if (!isOwn(text)) return
      lost++
      throw Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' })
    }
    await expectRight(one)
    expect(lost).toBe(1)
  })

  test('is right when the answer is lost after the events were applied.', async () => {
    await write()
    let lost = 0
    before = async (text) => {
      if (!isOwn(text)) return
      lost++
      before = async () => {}
      await holders(other)
    }
    await expectRight(one)
    expect(lost).toBe(1)
  })

  test('is right on a standby that lacks events which the process had applied.', async () => {
    const promote = await standby()
    await give(one, 'lost', 'owner')
    await holders(one)
    await promote()
    const fresh = await openProcess()
    await give(fresh, 'eve', 'guest')
    await holders(fresh)
    await write()
    await expectRight(one)
    await give(one, 'zoe', 'owner')
    await expectRight(one)
  })

  test('is right on a standby that lacks events which the process was to apply.', async () => {
    const promote = await standby()
    await give(one, 'lost', 'owner')
    await promote()
    await write()
    await expectRight(one)
  })
})

test('On PostgreSQL, a process stops applying its own events first while another one is faster.', async () => {
  const ownOf = async (): Promise<number> => {
    await holders(one)
    return one.sent.splice(0).filter(isOwn).length
  }
  one.sent.length = 0
  await give(one, 'a')
  await holders(other)
  expect(await ownOf()).toBe(1)
  await give(one, 'b')
  await holders(other)
  expect(await ownOf()).toBe(0)
  await give(one, 'c')
  expect(await ownOf()).toBe(0)
  await give(one, 'd')
  expect(await ownOf()).toBe(1)
  await expectRight(one)
})

describe('The own events of a process', () => {
  const event = (position: bigint) => ({ position }) as never
  const positionsIn = (own: ReturnType<typeof ownEvents>) =>
    own.batch()?.events.map(({ position }) => position)

  test('are those that follow the last read at the head.', () => {
    const own = ownEvents()
    own.recorded(0n, [event(1n)])
    expect(own.batch()).toBeUndefined()
    own.read({ head: 1n, reached: 1n })
    own.recorded(1n, [event(2n), event(3n)])
    own.recorded(3n, [event(4n)])
    expect(own.batch()).toMatchObject({ from: 1n })
    expect(positionsIn(own)).toEqual([2n, 3n, 4n])
    own.read({ head: 4n, reached: 1n })
    own.read({ head: 1n, reached: 1n })
    expect(positionsIn(own)).toEqual([2n, 3n, 4n])
    own.applied(3n)
    expect(own.batch()).toMatchObject({ from: 3n })
    expect(positionsIn(own)).toEqual([4n])
    own.read({ head: 4n, reached: 4n })
    expect(own.batch()).toBeUndefined()
  })

  test('are none after an event of another process.', () => {
    const own = ownEvents()
    own.read({ head: 1n, reached: 1n })
    own.recorded(2n, [event(3n)])
    expect(own.batch()).toBeUndefined()
  })

  test('are none when they are more than one statement applies.', () => {
    const own = ownEvents()
    own.read({ head: 1n, reached: 1n })
    for (let at = 2n; at <= 101n; at++) own.recorded(at - 1n, [event(at)])
    expect(positionsIn(own)).toHaveLength(100)
    own.recorded(101n, [event(102n)])
    expect(own.batch()).toBeUndefined()
  })

  test('are not those that were applied before the append was answered.', () => {
    const own = ownEvents()
    own.read({ head: 1n, reached: 1n })
    own.applied(2n)
    own.recorded(1n, [event(2n)])
    own.recorded(2n, [event(3n)])
    expect(positionsIn(own)).toEqual([3n])
  })
})

test('A grant that no event added is applied at once, event by event.', async () => {
  const log = newLog()
  const data = {
    userId: UserId.parse('anna'),
    projectOrgId: OrgId.parse('acme'),
    projectId: ProjectId.parse('shop'),
  }
  log.record('acme', projectAdded('shop'))
  log.record('acme', { type: 'user_grant.deactivated', data })
  log.record('acme', { type: 'user_grant.reactivated', data })
  schema = newSchema()
  const { readModel } = await openProcess()
  for (const event of log.events)
    expect(await readModel.apply(await readModel.checkpoint(), [event])).toBe(true)
})

import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { context, good, type Iam, iamOn, logOf, refusal } from '../../../application/host.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { type TcpProxy, tcpProxy } from '../../../tcp-proxy.js'
import { ask, standbyOf } from '../standby.js'

/** How a wait for the standby is cut short. */
type Cut = 'cancel' | 'terminate'

/** Databases, with their settings and how waits in them are cut. */
const CASES = [
  { name: 'cancelled', settings: [], cut: 'cancel' },
  { name: 'silent', settings: ['client_min_messages = error'], cut: 'cancel' },
  { name: 'terminated', settings: [], cut: 'terminate' },
  { name: 'local', settings: ['synchronous_commit = local'], cut: 'cancel' },
  { name: 'unsafe', settings: ['synchronous_commit = off'], cut: 'cancel' },
] as const

let primary: PostgresServer
let standby: PostgresServer
/** The way from the standby to its primary. */
let proxy: TcpProxy
/** Of the primary; it only reads, and so never waits. */
let admin: pg.Client

beforeAll(async () => {
  primary = await startPostgres({ settings: ['synchronous_standby_names=*', 'fsync=off'] })
  proxy = await tcpProxy(primary.port)
  standby = await standbyOf(primary, proxy.port)
  admin = new pg.Client({ connectionString: primary.connectionString })
  // It is lost with the primary.
  admin.on('error', () => undefined)
  await admin.connect()
  for (const { name, settings } of CASES) {
    await admin.query(`CREATE DATABASE ${name}`)
    for (const setting of settings) await admin.query(`ALTER DATABASE ${name} SET ${setting}`)
  }
})

afterEach(() => proxy.resume())

afterAll(async () => {
  await standby[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
})

const open = (server: PostgresServer, name: string): Promise<Postgres> =>
  openPostgres({ connectionString: server.connectionString.replace(/postgres$/, name) })

/** How many transactions in `database` wait for the standby. */
const waiting = async (database: string): Promise<number | null> => {
  const text = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = $1`
  return (await admin.query(text, [database])).rowCount
}

/** Cuts each wait in `database` short until `work` is done. */
const cutting = async <Value>(cut: Cut, database: string, work: Promise<Value>): Promise<Value> => {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  const text = `SELECT pg_${cut}_backend(pid) FROM pg_stat_activity
    WHERE wait_event = 'SyncRep' AND datname = $1`
  while (!isDone) {
    await admin.query(text, [database])
    await new Promise((next) => setTimeout(next, 5))
  }
  return work
}

const addProject = (iam: Iam, id: string) =>
  iam.projects.add({ id, name: id }, { ...context, idempotencyKey: `key of ${id}` })

const UNKNOWN = { kind: 'Unavailable', outcome: 'unknown', retryAfter: 1_000 }

describe('A wait for the synchronous standby that is cut short', () => {
  test.each(CASES)('leaves it open whether a command took effect: $name', async ({ name, cut }) => {
    await using opened = await open(primary, name)
    const iam = iamOn(opened.store, opened)
    proxy.freeze()
    expect(await cutting(cut, name, refusal(addProject(iam, 'early')))).toMatchObject(UNKNOWN)
    // It was recorded here, but a repeat is not told so before the standby has it too.
    expect((await logOf(opened.store)).map(({ type }) => type)).toEqual(['project.added'])
    expect(await cutting(cut, name, refusal(addProject(iam, 'early')))).toMatchObject(UNKNOWN)
    const repeated = good(addProject(iam, 'early'))
    await expect.poll(() => waiting(name), { interval: 5 }).toBe(1)
    proxy.resume()
    expect(await repeated).toMatchObject({ projectId: 'early', changed: true })
  })

  test('leaves it open whether a copy has arrived', async () => {
    await using source = await open(primary, 'cancelled')
    await using target = await open(primary, 'postgres')
    const events = await logOf(source.store)
    proxy.freeze()
    const restored = cutting('cancel', 'postgres', target.store.restore(events))
    await expect(restored).rejects.toMatchObject({ name: 'StoreFault', outcome: 'unknown' })
    proxy.resume()
  })

  test('loses no answered append when the standby is promoted', async () => {
    const begun = CASES.map(async ({ name, cut }) => {
      const opened = await open(primary, name)
      const iam = iamOn(opened.store, opened)
      await good(addProject(iam, 'kept'))
      return { name, cut, iam, close: opened.close, answered: ['kept'] }
    })
    const hosts = await Promise.all(begun)
    proxy.freeze()
    for (const { name, cut, iam, answered } of hosts) {
      for (const id of ['late', 'late', 'later', 'kept']) {
        const added = await cutting(cut, name, Promise.resolve(addProject(iam, id)))
        if (added.isOk()) answered.push(id)
      }
    }
    await primary.kill()
    await ask(standby, 'SELECT pg_promote()')
    for (const { name, answered, close } of hosts) {
      await close()
      await using opened = await open(standby, name)
      const { items } = await good(iamOn(opened.store, opened).projects.list({}, context))
      expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(answered))
    }
  })
})

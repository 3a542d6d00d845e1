import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { addSamples, context, good, iamOn, refusal } from '../../../application/host.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { type TcpProxy, tcpProxy } from '../../../tcp-proxy.js'
import { countedPool } from '../counted-pool.js'
import { ask, replayed, standbyOf } from '../standby.js'
import { newSchema } from '../test-schemas.js'

let primary: PostgresServer
let standby: PostgresServer
/** The ways of the processes to both. */
let toPrimary: TcpProxy
let toStandby: TcpProxy

beforeAll(async () => {
  primary = await startPostgres({ settings: ['fsync=off'] })
  standby = await standbyOf(primary)
  toPrimary = await tcpProxy(primary.port)
  toStandby = await tcpProxy(standby.port)
})

afterAll(async () => {
  await toStandby[Symbol.asyncDispose]()
  await toPrimary[Symbol.asyncDispose]()
  await standby[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
})

const addressOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

const SOON = { timeout: 10_000 }

/** A process with a replica; it shows what it sends to each server. */
const openProcess = async (schema: string) => {
  const first = countedPool(addressOf(toPrimary.port))
  const second = countedPool(addressOf(toStandby.port))
  const opened = await openPostgres({ pool: first.pool, schema, replica: { pool: second.pool } })
  return {
    ...opened,
    iam: iamOn(opened.store, opened),
    sent: { primary: first.sent, standby: second.sent },
    /** How many statements `work` sends to each server; others are notified of an append at some later time. */
    count: async (work: () => Promise<unknown>) => {
      for (const { sent } of [first, second]) sent.length = 0
      await work()
      const sentTo = (sent: readonly string[]) =>
        sent.filter((text) => !/^NOTIFY|pg_backend_pid/.test(text)).length
      return { primary: sentTo(first.sent), standby: sentTo(second.sent) }
    },
    end: async () => {
      await opened.close()
      await Promise.all([first.pool.end(), second.pool.end()])
    },
  }
}

type Process = Awaited<ReturnType<typeof openProcess>>

const eventually = { ...context, consistency: 'eventual' } as const
const portal = { id: 'portal' }
const shop = { id: 'shop' }
const getPortal = ({ iam }: Process) => good(iam.projects.get(portal, context))
const getShop = ({ iam }: Process) => good(iam.projects.get(shop, context))
const eventualPortal = ({ iam }: Process) => good(iam.projects.get(portal, eventually))
const eventualShop = ({ iam }: Process) => good(iam.projects.get(shop, eventually))
const addShop = ({ iam }: Process) => good(iam.projects.add({ ...shop, name: 'Shop' }, context))

const pause = () => ask(standby, 'SELECT pg_wal_replay_pause()')
const resume = () => ask(standby, 'SELECT pg_wal_replay_resume()')

let schema: string
let reader: Process
let writer: Process

/** Both processes have read, and the standby shows all that was written. */
beforeEach(async () => {
  schema = newSchema()
  reader = await openProcess(schema)
  writer = await openProcess(schema)
  await addSamples(writer.iam)
  await good(writer.iam.userGrants.add({ ...annOnPortal, roles: [editor] }, context))
  await getPortal(reader)
  await untilReadThere()
})

/** Waits until the standby has what the reader has seen: the read model is sent a little after its commit. */
const untilReadThere = async () => {
  await replayed(primary, standby)
  await expect
    .poll(() => reader.count(() => eventualPortal(reader)), SOON)
    .toEqual({ primary: 0, standby: 1 })
}

afterEach(async () => {
  toPrimary.leadTo(primary.port)
  toPrimary.resume()
  toStandby.resume()
  await resume()
  for (const { end } of [reader, writer]) await end()
})

const READS = [
  ['projects.get', ({ iam }: Process, within: Within) => iam.projects.get(portal, within)],
  ['projects.list', ({ iam }: Process, within: Within) => iam.projects.list({}, within)],
  ['access.check', ({ iam }: Process, within: Within) => iam.access.check(annOnPortal, within)],
  ['access.rolesOf', ({ iam }: Process, within: Within) => iam.access.rolesOf(ann, within)],
  ['access.whoHas', ({ iam }: Process, within: Within) => iam.access.whoHas(onPortal, within)],
  ['history.list', ({ iam }: Process, within: Within) => iam.history.list({}, within)],
] as const
type Within = typeof context | typeof eventually
const ann = { userId: 'ann' }
const onPortal = { projectId: 'portal' }
const annOnPortal = { ...ann, ...onPortal }
const editor = { roleKey: 'editor' }

describe('With a replica that has everything', () => {
  test.each(READS)('a strong %s is one statement on the primary.', async (_, read) => {
    const reading = () => good<unknown>(read(reader, context))
    expect(await reader.count(reading)).toEqual({ primary: 1, standby: 0 })
  })

  test.each(READS)('an eventual %s is one statement on the replica.', async (_, read) => {
    const reading = () => good<unknown>(read(reader, eventually))
    expect(await reader.count(reading)).toEqual({ primary: 0, standby: 1 })
  })

  test('a route is read on the primary.', async () => {
    const route = () => good(reader.iam.domains.route({ email: 'a@acme.example' }))
    expect(await reader.count(route)).toEqual({ primary: 1, standby: 0 })
  })

  test('commands go to the primary alone.', async () => {
    expect(await reader.count(() => addShop(reader))).toMatchObject({ standby: 0 })
  })
})

describe('With a replica that is behind', () => {
  test('a strong read sees what any process has written.', async () => {
    await pause()
    await addShop(writer)
    expect(await getShop(writer)).toMatchObject(shop)
    expect(await getShop(reader)).toMatchObject(shop)
    expect((await good(reader.iam.projects.list({}, context))).totalSize).toBe(2)
    expect((await good(reader.iam.history.list({}, context))).items).toHaveLength(5)
    await good(writer.iam.projects.remove(portal, context))
    const answer = await refusal(reader.iam.projects.get(portal, context))
    expect(answer).toMatchObject({ kind: 'NotFound' })
  })

  test('a strong check sees a removal, though the primary is slow to answer.', async () => {
    const check = { ...annOnPortal, ...editor }
    expect(await good(writer.iam.access.check(check, context))).toMatchObject({ allowed: true })
    await pause()
    await good(writer.iam.userGrants.remove(annOnPortal, context))
    toPrimary.freeze()
    const checking = good(writer.iam.access.check(check, context))
    setTimeout(toPrimary.resume, 900)
    expect(await checking).toMatchObject({ allowed: false })
  })

  test('an eventual read is never behind a strong one of the same process.', async () => {
    await pause()
    await addShop(writer)
    await getShop(reader)
    expect(await eventualShop(reader)).toMatchObject(shop)
    expect((await good(reader.iam.history.list({}, eventually))).items).toHaveLength(5)
  })

  test('a process that has seen nothing newer reads on there.', async () => {
    await pause()
    await addShop(writer)
    await getShop(writer)
    const reading = () => eventualPortal(reader)
    expect(await reader.count(reading)).toEqual({ primary: 0, standby: 1 })
  })

  test('eventual reads go there again once it has caught up.', async () => {
    await pause()
    await addShop(writer)
    await getShop(reader)
    await resume()
    await expect
      .poll(() => reader.count(() => eventualShop(reader)), SOON)
      .toEqual({ primary: 0, standby: 1 })
  })

  test('a process that reset the read model does not read what was there before.', async () => {
    await pause()
    await reader.readModel.reset()
    const ref = { type: 'project', id: 'portal' } as const
    expect(await reader.readModel.get<'project'>('acme', ref)).toBeUndefined()
    expect(await getPortal(reader)).toMatchObject(portal)
    expect(await eventualPortal(reader)).toMatchObject(portal)
  })
})

describe('With a replica that is not there', () => {
  test('the primary answers while it is stopped, and the replica once it is back.', async () => {
    await standby.stop()
    expect(await eventualPortal(reader)).toMatchObject(portal)
    const history = await good(reader.iam.history.list({}, eventually))
    expect(history).toMatchObject({ items: [{}, {}, {}, {}] })
    await standby.start()
    await untilReadThere()
  })

  test('strong reads do not notice that it is silent.', async () => {
    toStandby.freeze()
    expect(await getPortal(reader)).toMatchObject(portal)
  })

  test('the primary answers eventual reads after the timeout of a silent one.', async () => {
    const connectionString = addressOf(toStandby.port)
    const replica = { connectionString, statementTimeout: 200 }
    const opened = await openPostgres({
      connectionString: primary.connectionString,
      schema,
      replica,
    })
    const iam = iamOn(opened.store, opened)
    await good(iam.projects.get(portal, eventually))
    toStandby.freeze()
    expect(await good(iam.projects.get(portal, eventually))).toMatchObject(portal)
    await opened.close()
  })

  test('a process can be started, and reads the primary.', async () => {
    await standby.stop()
    const late = await openProcess(schema)
    expect(await getPortal(late)).toMatchObject(portal)
    expect(await eventualPortal(late)).toMatchObject(portal)
    await late.end()
    await standby.start()
  })

  test.each([
    ['is the primary itself', () => primary.port],
    ['has another log', () => other.port],
  ])('the primary answers where its address %s.', async (_, port) => {
    const connectionString = addressOf(port())
    const opened = await openPostgres({
      connectionString: primary.connectionString,
      schema,
      replica: { connectionString },
    })
    const iam = iamOn(opened.store, opened)
    for (const within of [context, eventually]) {
      const { items } = await good(iam.projects.list({}, within))
      expect(items).toMatchObject([portal])
    }
    await opened.close()
  })
})

test('One pool may be that of the primary and of the replica: nothing is a standby then', async () => {
  const { pool } = countedPool(primary.connectionString)
  const opened = await openPostgres({ pool, schema, replica: { pool } })
  const iam = iamOn(opened.store, opened)
  expect(await good(iam.projects.get(portal, context))).toMatchObject(portal)
  expect(await good(iam.projects.get(portal, eventually))).toMatchObject(portal)
  await opened.close()
  await pool.end()
})

test('Closing does not wait for a silent replica', async () => {
  const { connectionString } = primary
  const replica = { connectionString: addressOf(toStandby.port) }
  const opened = await openPostgres({ connectionString, schema, replica })
  const iam = iamOn(opened.store, opened)
  await good(iam.projects.get(portal, eventually))
  toStandby.freeze()
  const reads = [1, 2, 3].map(() => iam.projects.get(portal, eventually))
  // Long before the statement that is under way has its timeout.
  await opened.close()
  await Promise.all(reads)
}, 20_000)

/** A server that is no standby, with an empty log. */
let other: PostgresServer

beforeAll(async () => {
  other = await startPostgres({ settings: ['fsync=off'] })
})

afterAll(() => other[Symbol.asyncDispose]())

describe('While the primary is away', () => {
  test('the replica answers eventual reads, and nobody strong ones.', async () => {
    toPrimary.leadTo(1)
    toPrimary.cut()
    expect(await eventualPortal(reader)).toMatchObject(portal)
    expect((await good(reader.iam.history.list({}, eventually))).items).toHaveLength(4)
    const answer = await refusal(reader.iam.projects.get(portal, context))
    expect(answer).toMatchObject({ kind: 'Unavailable' })
  })

  test('the replica answers eventual reads also when the primary is silent.', async () => {
    toPrimary.freeze()
    expect(await eventualPortal(reader)).toMatchObject(portal)
  })

  test('a replica that is behind what the process has seen answers nothing.', async () => {
    await pause()
    await addShop(writer)
    await getShop(writer)
    toPrimary.leadTo(1)
    toPrimary.cut()
    const answer = await refusal(writer.iam.projects.get(shop, eventually))
    expect(answer).toMatchObject({ kind: 'Unavailable' })
  })
})

describe('A replica that was promoted', () => {
  test('is not read any more.', async () => {
    await using promoted = await standbyOf(primary)
    const opened = await openPostgres({
      connectionString: primary.connectionString,
      schema,
      replica: { connectionString: promoted.connectionString },
    })
    const iam = iamOn(opened.store, opened)
    await good(iam.projects.get(portal, eventually))
    await ask(promoted, 'SELECT pg_promote()')
    const apart = await openPostgres({ connectionString: promoted.connectionString, schema })
    const itsIam = iamOn(apart.store, apart)
    await good(itsIam.projects.remove(portal, context))
    expect(await refusal(itsIam.projects.get(portal, context))).toMatchObject({ kind: 'NotFound' })
    for (const within of [eventually, context])
      expect(await good(iam.projects.get(portal, within))).toMatchObject(portal)
    for (const { close } of [apart, opened]) await close()
  })
})

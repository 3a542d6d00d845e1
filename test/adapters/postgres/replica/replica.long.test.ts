import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { CHECKPOINT } from '../../../../src/adapters/sql/read-model/tables.js'
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

/** How long processes wait for the standby: those that go on to the primary soon, and one that does not. */
const IMPATIENT = 400
const PATIENT = 50_000

const SOON = { timeout: 10_000 }

/** A process with a replica; it shows what it sends to each server. */
const openProcess = async (
  schema: string,
  maxWait: number,
  beforeStandby?: (text: string) => Promise<void>,
) => {
  const first = countedPool(addressOf(toPrimary.port))
  const second = countedPool(addressOf(toStandby.port), beforeStandby)
  const opened = await openPostgres({
    pool: first.pool,
    schema,
    replica: { pool: second.pool, maxWait },
  })
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

/** Whether `text` asks the primary where its log ends and how far its read model is. */
const isMoment = (text: string): boolean => text.startsWith('SELECT (SELECT max(position)')

type Process = Awaited<ReturnType<typeof openProcess>>

const eventually = { ...context, consistency: 'eventual' } as const
const portal = { id: 'portal' }
const shop = { id: 'shop' }
const getPortal = ({ iam }: Process) => good(iam.projects.get(portal, context))
const getShop = ({ iam }: Process) => good(iam.projects.get(shop, context))

const pause = () => ask(standby, 'SELECT pg_wal_replay_pause()')
const resume = () => ask(standby, 'SELECT pg_wal_replay_resume()')

let schema: string
let reader: Process
let writer: Process
let patient: Process

/** Both processes have read, and the standby shows all that was written. */
beforeEach(async () => {
  schema = newSchema()
  reader = await openProcess(schema, IMPATIENT)
  writer = await openProcess(schema, IMPATIENT)
  patient = await openProcess(schema, PATIENT)
  await addSamples(writer.iam)
  await good(writer.iam.projects.list({}, context))
  await replayed(primary, standby)
  await getPortal(reader)
  await getPortal(patient)
})

afterEach(async () => {
  toPrimary.resume()
  toStandby.resume()
  await resume()
  for (const { end } of [reader, writer, patient]) await end()
})

describe('With a replica that has everything', () => {
  test.each([
    ['projects.get', () => getPortal(patient)],
    ['projects.list', () => good(patient.iam.projects.list({}, context))],
    ['a get that finds nothing', () => refusal(patient.iam.projects.get(shop, context))],
    [
      'access.check',
      () => good(patient.iam.access.check({ userId: 'ann', projectId: 'portal' }, context)),
    ],
    ['access.rolesOf', () => good(patient.iam.access.rolesOf({ userId: 'ann' }, context))],
    ['access.whoHas', () => good(patient.iam.access.whoHas({ projectId: 'portal' }, context))],
    ['domains.route', () => good(patient.iam.domains.route({ email: 'a@acme.example' }))],
    ['history.list', () => good(patient.iam.history.list({}, context))],
    ['an eventual history.list', () => good(patient.iam.history.list({}, eventually))],
    ['an eventual projects.get', () => good(patient.iam.projects.get(portal, eventually))],
    ['an eventual projects.list', () => good(patient.iam.projects.list({}, eventually))],
  ])('%s is one statement there, and the primary is asked only where it is.', async (_, read) => {
    expect(await patient.count(read)).toEqual({ primary: 1, standby: 1 })
    expect(patient.sent.primary).toEqual([
      expect.stringMatching(/^SELECT \(SELECT max\(position\)/),
    ])
  })

  test('an answer that is later than what the primary has said is one at the head.', async () => {
    let between: (() => Promise<void>) | undefined
    const late = await openProcess(schema, PATIENT, async () => {
      const work = between
      between = undefined
      await work?.()
    })
    await getPortal(late)
    late.sent.primary.length = 0
    between = async () => {
      // What the primary says is from before the change.
      await expect.poll(() => late.sent.primary.some(isMoment), SOON).toBe(true)
      await ask(primary, 'SELECT pg_sleep(0.1)')
      await good(writer.iam.projects.patch({ ...portal, name: 'Renamed' }, context))
      await getPortal(writer)
      // The read model is committed without waiting for the disk, and sent once it is there.
      const checkpoint = `SELECT max(position) FROM ${schema}.${CHECKPOINT.name}`
      const reached = await ask(primary, checkpoint)
      await expect.poll(() => ask(standby, checkpoint), SOON).toBe(reached)
    }
    const { store, readModel } = late
    const ref = { type: 'project', ...portal } as const
    const readAtHead = readModel.readAtHead?.({ store, readModel })
    const query = { method: 'get', args: ['acme', ref] } as const
    const answer = await readAtHead?.<'get', 'project'>(query)
    expect(answer?.found?.name).toBe('Renamed')
    expect(answer?.head).toBe(answer?.reached)
    await late.end()
  })

  test('history is read there.', async () => {
    expect((await good(patient.iam.history.list({}, context))).items).toHaveLength(3)
  })

  test('commands go to the primary alone.', async () => {
    const add = () => good(patient.iam.projects.add({ ...shop, name: 'Shop' }, context))
    expect(await patient.count(add)).toMatchObject({ standby: 0 })
  })
})

describe('With a replica that is behind', () => {
  test('a read waits until it has what the read must show.', async () => {
    await pause()
    await good(writer.iam.projects.add({ ...shop, name: 'Shop' }, context))
    await getShop(writer)
    for (const within of [context, eventually]) {
      const reading = patient.count(() => good(patient.iam.projects.get(shop, within)))
      await expect.poll(() => patient.sent.standby.length).toBeGreaterThan(1)
      await resume()
      // Where it was, and nothing else.
      expect((await reading).primary).toBe(1)
      await pause()
      await good(writer.iam.projects.patch({ id: 'shop', name: 'Other' }, context))
      await getShop(writer)
    }
  })

  test('every process sees what any process has written: the primary answers.', async () => {
    await pause()
    await good(writer.iam.projects.add({ ...shop, name: 'Shop' }, context))
    expect(await getShop(writer)).toMatchObject(shop)
    expect(await getShop(reader)).toMatchObject(shop)
    expect(await good(reader.iam.projects.get(shop, eventually))).toMatchObject(shop)
    expect((await good(reader.iam.projects.list({}, context))).totalSize).toBe(2)
    expect((await good(reader.iam.history.list({}, context))).items).toHaveLength(4)
    await good(writer.iam.projects.remove(portal, context))
    expect(await refusal(reader.iam.projects.get(portal, context))).toMatchObject({
      kind: 'NotFound',
    })
  })

  test('it is left alone for a while after it was too late, and then read again.', async () => {
    await pause()
    await good(writer.iam.projects.add({ ...shop, name: 'Shop' }, context))
    await getShop(reader)
    await getShop(reader)
    expect(await reader.count(() => getShop(reader))).toEqual({ primary: 1, standby: 0 })
    await resume()
    await expect
      .poll(() => reader.count(() => getShop(reader)), SOON)
      .toEqual({ primary: 1, standby: 1 })
  })

  test('a reset by another process is seen.', async () => {
    await pause()
    await writer.readModel.reset()
    const ref = { type: 'project', id: 'portal' } as const
    expect(await reader.readModel.get<'project'>('acme', ref)).toBeUndefined()
    expect(await getPortal(reader)).toMatchObject(portal)
  })
})

describe('With a replica that is not there', () => {
  test('the primary answers while it is stopped, and the replica once it is back.', async () => {
    await standby.stop()
    expect(await getPortal(reader)).toMatchObject(portal)
    expect(await good(reader.iam.history.list({}, eventually))).toMatchObject({
      items: [{}, {}, {}],
    })
    await standby.start()
    await expect
      .poll(() => reader.count(() => getPortal(reader)), SOON)
      .toEqual({ primary: 1, standby: 1 })
  })

  test('the primary answers when it is silent.', async () => {
    toStandby.freeze()
    expect(await getPortal(reader)).toMatchObject(portal)
    expect(await good(reader.iam.projects.get(portal, eventually))).toMatchObject(portal)
  })

  test('a process can be started, and reads the primary.', async () => {
    await standby.stop()
    const late = await openProcess(schema, IMPATIENT)
    expect(await getPortal(late)).toMatchObject(portal)
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
    const { items } = await good(iamOn(opened.store, opened).projects.list({}, context))
    expect(items).toMatchObject([portal])
    await opened.close()
  })
})

test('One pool may be that of the primary and of the replica: nothing is a standby then', async () => {
  const { pool } = countedPool(primary.connectionString)
  const opened = await openPostgres({ pool, schema, replica: { pool, maxWait: 0 } })
  const iam = iamOn(opened.store, opened)
  expect(await good(iam.projects.get(portal, context))).toMatchObject(portal)
  expect(await good(iam.projects.get(portal, eventually))).toMatchObject(portal)
  await opened.close()
  await pool.end()
})

test('Closing does not wait for what a silent replica was asked and nobody waits for', async () => {
  const { connectionString } = primary
  const replica = { connectionString: addressOf(toStandby.port), maxWait: IMPATIENT }
  const opened = await openPostgres({ connectionString, schema, replica })
  const iam = iamOn(opened.store, opened)
  await good(iam.projects.get(portal, context))
  toStandby.freeze()
  await Promise.all([1, 2, 3].map(() => good(iam.projects.get(portal, context))))
  // Long before the statement that is under way has its timeout.
  await opened.close()
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
    expect(await good(reader.iam.projects.get(portal, eventually))).toMatchObject(portal)
    expect((await good(reader.iam.history.list({}, eventually))).items).toHaveLength(3)
    expect(await refusal(reader.iam.projects.get(portal, context))).toMatchObject({
      kind: 'Unavailable',
    })
    toPrimary.leadTo(primary.port)
  })

  test('the replica answers eventual reads also when the primary is silent.', async () => {
    toPrimary.freeze()
    expect(await good(reader.iam.projects.get(portal, eventually))).toMatchObject(portal)
  })

  test('a replica that is behind what the process has seen answers nothing.', async () => {
    await pause()
    await good(writer.iam.projects.add({ ...shop, name: 'Shop' }, context))
    await getShop(writer)
    await good(writer.iam.projects.get(shop, eventually))
    toPrimary.leadTo(1)
    toPrimary.cut()
    const fault = { kind: 'Unavailable' }
    expect(await refusal(writer.iam.projects.get(shop, eventually))).toMatchObject(fault)
    toPrimary.leadTo(primary.port)
  })
})

describe('A replica that was promoted', () => {
  test('is not read any more, whatever it has.', async () => {
    await using promoted = await standbyOf(primary)
    let asked = 0
    let between: (() => Promise<unknown>) | undefined
    const { pool } = countedPool(primary.connectionString, async (text) => {
      if (isMoment(text) && ++asked === 2) await between?.()
    })
    // Longer than `between` takes.
    const replica = { connectionString: promoted.connectionString, maxWait: 2_000 }
    const opened = await openPostgres({ pool, schema, replica })
    const iam = iamOn(opened.store, opened)
    await good(iam.projects.get(portal, context))
    await ask(promoted, 'SELECT pg_promote()')
    const apart = await openPostgres({ connectionString: promoted.connectionString, schema })
    const itsIam = iamOn(apart.store, apart)
    await good(itsIam.projects.remove(portal, context))
    expect(await refusal(itsIam.projects.get(portal, context))).toMatchObject({ kind: 'NotFound' })
    // The primary goes on while it is read: what the other one has done is then no longer ahead of it.
    between = async () => {
      await good(writer.iam.projects.add({ ...shop, name: 'Shop' }, context))
      await getShop(writer)
    }
    asked = 0
    expect(await good(iam.projects.get(portal, eventually))).toMatchObject(portal)
    expect(await good(iam.projects.get(portal, context))).toMatchObject(portal)
    for (const { close } of [apart, opened]) await close()
    await pool.end()
  })
})

import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { context, good, iamOn, refusal } from '../../../application/host.js'
import { PROJECT_DEFAULTS } from '../../../defaults.js'
import { startPostgres } from '../../../postgres-server.js'
import type { Answer } from '../../../processes/writer.js'
import { checkLog, follow, makeShared, startWriting } from '../../../processes/writing.js'
import { tcpProxy } from '../../../tcp-proxy.js'
import { ask, replayed, standbyOf } from '../standby.js'

/** Many, to find what fails seldom. */
const ROUNDS = 10
const FAILOVER_COMMANDS = 180

/** Answers after which a round ends badly. */
const LOAD = 120

/** Twice what is answered before a round ends badly. */
const COMMANDS = 30

const SCHEMA = 'claviger'

const DRIVERS = [{}, { driver: 'postgres.js' }] as const

describe('Killed in the middle of load', () => {
  test('writers and a server lose no answered append, and record none in part or twice', async () => {
    await using server = await startPostgres()
    const { connectionString } = server
    const places = DRIVERS.map((given) => ({ connectionString, schema: SCHEMA, ...given }))
    await makeShared({ connectionString, schema: SCHEMA })
    const answers: Answer[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const tasks = places.map((place, n) => ({
        place,
        name: `r${round}p${n}`,
        writers: 4,
        commands: COMMANDS,
      }))
      // Each driver dies in every second round.
      if (round % 2 === 1) tasks.reverse()
      const killed = tasks.map(startWriting)
      await Promise.all(killed.map(({ answered }) => answered(LOAD / 2)))
      // One writer and the server die; the other writer goes on once the server is back.
      await killed[0]?.kill()
      await server.kill()
      await server.start()
      // Started again, it repeats every command under its key, those that were answered too.
      const again = tasks.slice(0, 1).map(startWriting)
      const all = [...killed, ...again]
      await Promise.all(all.map(({ ended }) => ended))
      answers.push(...all.flatMap(({ answers }) => answers))
      expect(again[0]?.answers.length).toBe(4 * COMMANDS)
      expect(killed[1]?.answers.length).toBe(4 * COMMANDS)
    }
    await using opened = await openPostgres({ connectionString, schema: SCHEMA })
    await checkLog(opened.store, answers)
    expect(answers.length).toBeGreaterThan(ROUNDS * 8 * COMMANDS)
  }, 600_000)
})

describe.each(DRIVERS)('Failing over to a synchronous standby, with %o', (given) => {
  test('loses no answered append; writers resume, subscribers see no gap and no repeat', async () => {
    await using primary = await startPostgres({ settings: ['synchronous_standby_names=*'] })
    await using standby = await standbyOf(primary)
    await using proxy = await tcpProxy(primary.port)
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    const place = { connectionString, schema: SCHEMA, ...given }
    await makeShared(place)
    const task = { place, name: 'f', writers: 8, commands: FAILOVER_COMMANDS }
    const writing = startWriting(task)
    const following = follow(place, 150, writing.ended)
    await writing.answered(LOAD)

    await primary.kill()
    await ask(standby, 'SELECT pg_promote()')
    proxy.leadTo(standby.port)
    await writing.ended

    expect(writing.answers.length).toBe(8 * FAILOVER_COMMANDS)
    await using opened = await openPostgres({ connectionString: standby.connectionString })
    await checkLog(opened.store, writing.answers)
    const log = await opened.store.readAll(0n, 1_000_000)
    expect(await following).toEqual(log.map(({ position }) => position))
  }, 600_000)
})

describe('A standby that the address leads to', () => {
  test('is not read until it is promoted, as it may lack answered appends', async () => {
    await using primary = await startPostgres()
    await using standby = await standbyOf(primary)
    await using proxy = await tcpProxy(primary.port)
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    await using opened = await openPostgres({ connectionString, schema: SCHEMA })
    const iam = iamOn(opened.store, { readModel: opened.readModel })
    await good(iam.projects.add({ id: 'early', name: 'n' }, context))
    await replayed(primary, standby)
    await ask(standby, 'SELECT pg_wal_replay_pause()')
    await good(iam.projects.add({ id: 'late', name: 'n' }, context))

    proxy.leadTo(standby.port)
    proxy.cut()
    const away = { kind: 'Unavailable', outcome: 'not_recorded', retryAfter: 1_000 }
    for (const id of ['early', 'late']) {
      expect(await refusal(iam.projects.get({ id }, context))).toMatchObject(away)
      expect(
        await refusal(iam.projects.update({ ...PROJECT_DEFAULTS, id, name: 'm' }, context)),
      ).toMatchObject(away)
    }
    await expect(openPostgres({ connectionString, schema: SCHEMA })).rejects.toThrow(
      'PostgreSQL: The server is a standby',
    )

    // Without a cut: no connection to the standby is kept.
    proxy.leadTo(primary.port)
    await good(iam.projects.update({ ...PROJECT_DEFAULTS, id: 'late', name: 'm' }, context))
    proxy.leadTo(standby.port)
    proxy.cut()
    await ask(standby, 'SELECT pg_wal_replay_resume()')
    await replayed(primary, standby)
    await ask(standby, 'SELECT pg_promote()')
    expect(await good(iam.projects.get({ id: 'late' }, context))).toMatchObject({ name: 'm' })
  }, 600_000)
})

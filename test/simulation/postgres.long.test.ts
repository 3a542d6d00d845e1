import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searched } from '../nightly.js'
import type { PostgresServer } from '../postgres-server.js'
import { PLANTED_IN_POSTGRES } from './planted.js'
import { postgresSystem, startServer } from './postgres.js'
import { simulated } from './program.js'
import { type Session, STATEMENT, sessionsOf } from './sessions.js'
import { shrink, simulate } from './simulate.js'

/** `npm run simulate -- --postgres` takes any number. */
const SEEDS = searched({ short: 5, nightly: 10 })

/** Most seeds that a planted bug may take. */
const MOST_SEEDS = 60

let server: PostgresServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server[Symbol.asyncDispose]())

it(`holds under ${SEEDS} seeds`, { timeout: 300_000 }, async () => {
  await using system = await postgresSystem(server.connectionString)
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await simulate(seed, { system })
    if (run.violation) expect.fail((await shrink(run, { system })).trace.join('\n'))
  }
})

it('repeats a seed statement by statement', async () => {
  await using system = await postgresSystem(server.connectionString)
  for (const seed of [4, 7]) {
    const { trace } = await simulate(seed, { system })
    expect((await simulate(seed, { system })).trace).toEqual(trace)
  }
})

it('finds statements that wait for one another', async () => {
  const control = new pg.Client(server.connectionString)
  await control.connect()
  const { take, quiet, end } = sessionsOf(server, control, async () => {})
  const opening = Promise.all([take(), take()])
  await quiet()
  const [one, other] = await opening
  const lock = (session: Session, key: number) =>
    session.run({ ...STATEMENT, text: `BEGIN; SELECT pg_advisory_xact_lock(${key})` })
  for (const [key, session] of [one, other].entries()) void lock(session, key)
  await quiet()
  for (const [key, session] of [other, one].entries()) void lock(session, key)
  await expect(quiet()).rejects.toThrow('2 statements wait for one another')
  await Promise.all([end(), control.end()])
})

describe('A planted bug is found', () => {
  it.each(PLANTED_IN_POSTGRES)('$name', { timeout: 300_000 }, async ({ name, seed }) => {
    const where = ['--postgres', '--server', server.connectionString]
    const seeds = ['--seed', String(seed), '--seeds', String(MOST_SEEDS), '--no-shrink']
    expect(await simulated([...where, ...seeds], name)).toMatch(/^Seed \d+ fails: /)
  })
})

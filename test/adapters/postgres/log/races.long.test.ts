import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import type { Answer } from '../../../processes/writer.js'
import { checkLog, follow, makeShared, startWriting } from '../../../processes/writing.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

const PROCESSES = 4
const WRITERS = 4

/** Commands of each of 16 writers; on average one and a quarter events each. */
const COMMANDS = 400

const wins = (answers: readonly Answer[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { key, positions = [] } of answers) {
    const n = Number(key.split('-').at(-1))
    if (n % 4 !== 3) continue
    counts.set(`role-${n}`, (counts.get(`role-${n}`) ?? 0) + positions.length)
  }
  return counts
}

/** Takes the turn of a writer and gives it up again: an append that never was. */
const abortSome = async (schema: string, written: Promise<unknown>): Promise<number> => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  let isDone = false
  void written.then(() => {
    isDone = true
  })
  let count = 0
  while (!isDone) {
    await client.query('BEGIN')
    const call = `SELECT ${schema}.append_one($1, null, '{}', $1, 0, 't', 1, '{}', '{}', '{}')`
    await client.query(call, [`aborted-${count++}`])
    await client.query('ROLLBACK')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await client.end()
  return count
}

test('16 writers in 4 processes, by two drivers: each role is added once, and subscribers miss and repeat nothing', async () => {
  const { connectionString } = server
  const schema = newSchema()
  const place = { connectionString, schema }
  const places = [place, { ...place, driver: 'postgres.js' }] as const
  await makeShared(place)
  const writing = Array.from({ length: PROCESSES }, (_, n) =>
    startWriting({
      place: places[n % 2] ?? place,
      name: `p${n}`,
      writers: WRITERS,
      commands: COMMANDS,
    }),
  )
  const written = Promise.all(writing.map(({ ended }) => ended))
  const aborted = abortSome(schema, written)
  const followers = [97, 331, 1009].map((restartAfter, n) =>
    follow(places[n % 2] ?? place, restartAfter, written),
  )
  await written

  const answers = writing.flatMap(({ answers }) => answers)
  expect(answers.length).toBe(PROCESSES * WRITERS * COMMANDS)
  expect([...wins(answers).values()]).toEqual(Array.from({ length: COMMANDS / 4 }, () => 1))
  expect(await aborted).toBeGreaterThan(0)

  await using opened = await openPostgres(place)
  await checkLog(opened.store, answers)
  const log = (await opened.store.readAll(0n, 10_000_000)).map(({ position }) => position)
  expect(log.length).toBeGreaterThan(COMMANDS * 16)
  for (const seen of await Promise.all(followers)) expect(seen).toEqual(log)
}, 600_000)

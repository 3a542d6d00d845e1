// Plays random histories, and compares what all worlds say of them: `node --import ../../simulation/register.mjs main.ts
// --seed 1 --histories 1000 [--postgres postgres://…] [--share 50]`. Ends with a code at the first difference. The
// databases are asked `share` percent of the questions, each time others.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import pg from 'pg'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel } from '../../../src/index.js'
import { histories, played } from '../../application/access/played.js'
import { type Fed, feed, firstDifference, restored } from './worlds.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '100' },
    postgres: { type: 'string' },
    share: { type: 'string', default: '100' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'claviger-worlds-'))
const { openPostgres } = await import('../../../src/adapters/postgres/index.js')
let files = 0

/** A schema of the server, and one connection, which keeps its plans from history to history. */
const server = values.postgres && {
  schema: `worlds_${process.pid}`,
  pool: new pg.Pool({
    connectionString: values.postgres,
    max: 2,
    allowExitOnIdle: true,
    options: '-c plan_cache_mode=force_generic_plan',
    onConnect: (client) => nameAll(client),
  }),
}

/** Names every statement by its text: to plan one takes longer than to run it on the rows of a history. */
function nameAll(client: pg.ClientBase) {
  const query: (config: unknown, ...others: unknown[]) => unknown = client.query.bind(client)
  const names = new Map<string, string>()
  const named = (config: unknown, ...others: unknown[]) => {
    const isConfig = typeof config === 'object' && config !== null && 'text' in config
    if (!isConfig || !('values' in config) || !Array.isArray(config.values))
      return query(config, ...others)
    if (config.values.length === 0) return query(config, ...others)
    const text = String(config.text)
    const name = names.get(text) ?? `named_${names.size}`
    names.set(text, name)
    return query({ ...config, name }, ...others)
  }
  client.query = named as typeof client.query
}

/** Empties all tables but that of the migrations. */
const emptied = async ({ pool, schema }: { readonly pool: pg.Pool; readonly schema: string }) => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_catalog.pg_tables
     WHERE schemaname = $1 AND tablename <> 'migrations'`,
    [schema],
  )
  // Unlike TRUNCATE, it leaves the plans of statements as they are.
  for (const { name } of rows) await pool.query(`DELETE FROM ${name}`)
  if (files % 20 === 0) await pool.query('VACUUM')
}

/** Opens empty databases, in place of those of the last history. */
const databases = async () => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  const sqlite = { name: 'SQLite', ...openSqlite(join(folder, String(++files))) }
  if (!server) return [sqlite]
  await emptied(server)
  return [sqlite, { name: 'PostgreSQL', ...(await openPostgres(server)) }]
}

const runs = Number(values.histories)
const share = Number(values.share)
const anySample = fc
  .infiniteStream(fc.nat(99))
  .map((stream) => () => (stream.next().value ?? 0) < share)
const result = await fc.check(
  fc.asyncProperty(
    histories,
    fc.nat(),
    fc.constantFrom(1, 7, 1000),
    anySample,
    async (steps, some, size, isAsked) => {
      const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
      const memory = memoryReadModel()
      await feed(memory, log, size)
      const fed: Fed[] = [{ name: 'memory', model: memory }]
      const opened = await databases()
      for (const { name, ...database } of opened)
        fed.push({ name, model: await restored(database, log, size) })
      const moments = [some, some >> 8].map((each) => log.at(each % log.length)?.position ?? 0n)
      const found = await firstDifference(fed, log, now, moments, isAsked)
      for (const { close } of opened) await close()
      if (found !== undefined) throw new Error(found)
    },
  ),
  { numRuns: runs, seed: Number(values.seed), endOnFailure: true },
)
rmSync(folder, { recursive: true })
if (result.failed) {
  process.stdout.write(`Difference in history ${result.numRuns}: ${result.errorInstance}\n`)
  process.exit(1)
}
process.stdout.write(`${runs} histories: all worlds agree\n`)

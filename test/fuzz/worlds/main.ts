// Plays random histories, and compares what all worlds say of them: `node --import ../../simulation/register.mjs main.ts
// --seed 1 --histories 1000 [--postgres]`. Ends with a code at the first difference.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel } from '../../../src/index.js'
import { histories, played } from '../../application/access/played.js'
import { type Fed, feed, firstDifference, restored } from './worlds.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '100' },
    postgres: { type: 'string' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'claviger-worlds-'))
const { openPostgres } = await import('../../../src/adapters/postgres/index.js')
let names = 0

/** Opens new databases. */
const databases = async () => {
  const name = `worlds_${process.pid}_${++names}`
  const opened = [{ name: 'SQLite', ...openSqlite(join(folder, name)) }]
  const { postgres: connectionString } = values
  return connectionString === undefined
    ? opened
    : [
        ...opened,
        { name: 'PostgreSQL', ...(await openPostgres({ connectionString, schema: name })) },
      ]
}

const runs = Number(values.histories)
const result = await fc.check(
  fc.asyncProperty(histories, fc.nat(), fc.constantFrom(1, 7, 1000), async (steps, some, size) => {
    const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
    const memory = memoryReadModel()
    await feed(memory, log, size)
    const fed: Fed[] = [{ name: 'memory', model: memory }]
    const opened = await databases()
    for (const { name, ...database } of opened)
      fed.push({ name, model: await restored(database, log, size) })
    const moments = [some, some >> 8].map((each) => log.at(each % log.length)?.position ?? 0n)
    const found = await firstDifference(fed, log, now, moments)
    for (const { close } of opened) await close()
    if (found !== undefined) throw new Error(found)
  }),
  { numRuns: runs, seed: Number(values.seed), endOnFailure: true },
)
rmSync(folder, { recursive: true })
if (result.failed) {
  process.stdout.write(`Difference in history ${result.numRuns}: ${result.errorInstance}\n`)
  process.exit(1)
}
process.stdout.write(`${runs} histories: all worlds agree\n`)

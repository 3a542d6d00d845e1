// Plays random histories, and compares what all worlds say of them: `node --import ../../simulation/register.mjs main.ts
// --seed 1 --histories 1000 [--postgres]`. Ends with a code at the first difference.
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { histories, played } from '../../application/access/played.js'
import { type Fed, feed, firstDifference } from './worlds.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '100' },
    postgres: { type: 'string' },
  },
})

/** A read model that is emptied for each history. */
interface Opened extends Fed {
  readonly close: () => unknown
}

const opened: Opened[] = [{ name: 'memory', model: memoryReadModel(), close: () => {} }]
const file = temporaryFile()
const sqlite = openSqlite(file)
opened.push({ name: 'SQLite', model: sqlite.readModel, close: sqlite.close })
if (values.postgres !== undefined) {
  const { openPostgres } = await import('../../../src/adapters/postgres/index.js')
  const postgres = await openPostgres({ connectionString: values.postgres })
  opened.push({ name: 'PostgreSQL', model: postgres.readModel, close: postgres.close })
}

const runs = Number(values.histories)
const result = await fc.check(
  fc.asyncProperty(histories, fc.nat(), fc.constantFrom(1, 7, 1000), async (steps, some, size) => {
    const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
    for (const { model } of opened) {
      await model.reset()
      await feed(model, log, size)
    }
    const moments = [some, some >> 8].map((each) => log.at(each % log.length)?.position ?? 0n)
    const found = await firstDifference(opened, log, now, moments)
    if (found !== undefined) throw new Error(found)
  }),
  { numRuns: runs, seed: Number(values.seed), endOnFailure: true },
)
for (const { close } of opened) await close()
for (const suffix of ['', '-shm', '-wal']) rmSync(`${file}${suffix}`, { force: true })
if (result.failed) {
  process.stdout.write(`Difference in history ${result.numRuns}: ${result.errorInstance}\n`)
  process.exit(1)
}
process.stdout.write(`${runs} histories: all worlds agree\n`)

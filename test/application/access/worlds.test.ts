import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { feed, firstDifference } from '../../fuzz/worlds/worlds.js'
import { HISTORIES, histories, played } from './played.js'

test('Memory, SQLite, live checks and the replayed past agree on any history.', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.nat(),
      fc.constantFrom(1, 7, 1000),
      async (steps, some, size) => {
        const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
        const memory = memoryReadModel()
        const { readModel, close } = openSqlite(temporaryFile())
        await feed(memory, log, 1000)
        await feed(readModel, log, size)
        const moments = [some, some >> 8].map((each) => log.at(each % log.length)?.position ?? 0n)
        const fed = [
          { name: 'memory', model: memory },
          { name: 'SQLite', model: readModel },
        ]
        expect(await firstDifference(fed, log, now, moments)).toBeUndefined()
        await close()
      },
    ),
    { numRuns: HISTORIES / 3 },
  )
})

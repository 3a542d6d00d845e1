import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryReadModel } from '../../../../src/adapters/memory/read-model.js'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import type { RecordedEvent } from '../../../../src/ports/event-store.js'
import type { ReadModel } from '../../../../src/ports/read-model.js'
import { fieldNamed, viewFields } from '../../../../src/projections/rows.js'
import { searched } from '../../../nightly.js'
import { histories, logs, ORGANIZATIONS, queries } from '../../../projections/random-log.js'
import { databaseHome } from '../../read-model-home.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

/** Feeds `model` in batches of `size`. */
const feed = async (model: ReadModel, events: readonly RecordedEvent[], size: number) => {
  for (let index = 0; index < events.length; index += size) {
    const batch = events.slice(index, index + size)
    expect(await model.apply(await model.checkpoint(), batch)).toBe(true)
  }
}

test('Lists and histories are the same in PostgreSQL as in memory.', async () => {
  const opened: Postgres[] = []
  const home = databaseHome(newSchema, async (schema) => {
    const postgres = await openPostgres({ connectionString: server.connectionString, schema })
    opened.push(postgres)
    return postgres
  })
  const manyQueries = fc.array(queries, { minLength: 20, maxLength: 20 })
  const property = fc.asyncProperty(
    logs,
    manyQueries,
    fc.array(histories, { minLength: 20, maxLength: 20 }),
    fc.integer({ min: 1, max: 20 }),
    async ({ events }, queries, asked, size) => {
      const memory = memoryReadModel()
      await feed(memory, events, events.length)
      const readModel = await home.open()
      await feed(readModel, events, size)
      const whole = ORGANIZATIONS.map((orgId) => ({ orgId, after: 0n, limit: 1000 }))
      for (const query of [...whole, ...asked])
        expect(await readModel.history(query)).toStrictEqual(await memory.history(query))
      for (const query of queries) {
        const page = await memory.list(query)
        expect(await readModel.list(query)).toStrictEqual(page)
        const last = page.items.at(-1)
        if (last === undefined) continue
        const after = query.sort.map(({ field }) =>
          fieldNamed<typeof last>(viewFields[query.type] as never, field).of(last),
        )
        const next = await memory.list({ ...query, after })
        expect(await readModel.list({ ...query, after })).toStrictEqual(next)
      }
    },
  )
  await fc.assert(property, { numRuns: searched({ short: 15, nightly: 40 }) })
  for (const { close } of opened) await close()
})

import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { memoryReadModel } from '../../src/adapters/memory/read-model.js'
import { openSqlite, type Sqlite } from '../../src/adapters/sqlite/index.js'
import type { RecordedEvent } from '../../src/ports/event-store.js'
import type { ListQuery, ReadModel, ViewType } from '../../src/ports/read-model.js'
import { fieldNamed, identityField, viewFields } from '../../src/projections/rows.js'
import { searched } from '../nightly.js'
import { histories, IDS, logs, ORGANIZATIONS, queries } from './random-log.js'

const RUNS = searched({ short: 60, nightly: 150 })

const opened: Sqlite[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

/** A read model in SQLite whose log has `events`: history is read from the log. */
const onSqlite = async (events: readonly RecordedEvent[]): Promise<ReadModel> => {
  const sqlite = openSqlite(':memory:')
  opened.push(sqlite)
  await sqlite.store.restore(events)
  return sqlite.readModel
}

/** Feeds `model` with batches of those sizes, in turn. */
const feed = async (
  model: ReadModel,
  events: readonly RecordedEvent[],
  sizes: readonly number[],
) => {
  let rest = events
  for (let turn = 0; rest.length > 0; turn++) {
    const batch = rest.slice(0, sizes[turn % sizes.length])
    expect(await model.apply(await model.checkpoint(), batch)).toBe(true)
    rest = rest.slice(batch.length)
  }
}

const wholeList = (type: ViewType, orgId: string, projectId?: string): ListQuery<ViewType> => ({
  type,
  orgId,
  ...(projectId === undefined ? {} : { projectId }),
  conditions: [],
  sort: [{ field: identityField[type], direction: 'asc' }],
  limit: 1000,
})

/** Everything that can be read of one organization. */
const organization = async (model: ReadModel, orgId: string) => {
  const queries = [
    wholeList('identity_provider', orgId),
    wholeList('project', orgId),
    ...IDS.map((id) => wholeList('project_role', orgId, id)),
  ]
  const history = await model.history({ orgId, after: 0n, limit: 1000 })
  const ofObjects = history.map(({ object }) =>
    model.history({ orgId, object, actor: 'u1', after: 0n, limit: 3 }),
  )
  const objects = history.map(({ object }) => model.get<ViewType>(orgId, object))
  return [
    await Promise.all(queries.map((query) => model.list(query))),
    history,
    await Promise.all(ofObjects),
    await Promise.all(objects),
  ]
}

const everything = (model: ReadModel) =>
  Promise.all(ORGANIZATIONS.map((orgId) => organization(model, orgId)))

const sizesOfBatches = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })

test('What is built anew equals what was kept up to date in batches, in every home.', async () => {
  await fc.assert(
    fc.asyncProperty(logs, sizesOfBatches, async ({ events }, sizes) => {
      const [anew, kept] = [memoryReadModel(), memoryReadModel()]
      await feed(anew, events, [events.length])
      await feed(kept, events, sizes)
      const sqlite = await onSqlite(events)
      await feed(sqlite, events, sizes)

      const expected = await everything(anew)
      expect(await everything(kept)).toStrictEqual(expected)
      expect(await everything(sqlite)).toStrictEqual(expected)
    }),
    { numRuns: RUNS },
  )
})

test('A list has the same pages in every home.', async () => {
  const manyQueries = fc.array(queries, { minLength: 20, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(logs, manyQueries, async ({ events }, queries) => {
      const memory = memoryReadModel()
      await feed(memory, events, [events.length])
      const sqlite = await onSqlite(events)
      await feed(sqlite, events, [events.length])

      for (const query of queries) {
        const page = await memory.list(query)
        expect(await sqlite.list(query)).toStrictEqual(page)
        const last = page.items.at(-1)
        if (last === undefined) continue
        const after = query.sort.map(({ field }) =>
          fieldNamed<typeof last>(viewFields[query.type] as never, field).of(last),
        )
        const next = await memory.list({ ...query, after })
        expect(await sqlite.list({ ...query, after })).toStrictEqual(next)
      }
    }),
    { numRuns: RUNS },
  )
})

test('A history has the same pages in every home.', async () => {
  const manyQueries = fc.array(histories, { minLength: 40, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(logs, manyQueries, async ({ events }, queries) => {
      const memory = memoryReadModel()
      await feed(memory, events, [events.length])
      const sqlite = await onSqlite(events)
      await feed(sqlite, events, [events.length])
      for (const query of queries)
        expect(await sqlite.history(query)).toStrictEqual(await memory.history(query))
    }),
    { numRuns: RUNS },
  )
})

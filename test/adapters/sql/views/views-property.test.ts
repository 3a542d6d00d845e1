import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryEventStore } from '../../../../src/index.js'
import { foundation, START, STEP_MS } from '../../../application/access/any-history.js'
import { NaiveModel } from '../../../application/access/naive-model.js'
import { HISTORIES, histories, played } from '../../../application/access/played.js'
import { iamOn, logOf } from '../../../application/host.js'
import {
  type Database,
  expectedOf,
  movedTo,
  pgliteDatabase,
  shownIn,
  sqliteDatabase,
} from './shown.js'

const DATABASES = [
  ['SQLite', sqliteDatabase, 0.5],
  ['PostgreSQL', pgliteDatabase, 0.04],
] as const

/** Runs `compare` for random histories, on new databases. */
const forHistories = async (
  create: () => Promise<Database>,
  share: number,
  compare: (database: Database, steps: Steps) => Promise<void>,
) =>
  fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const database = await create()
      try {
        await compare(database, steps)
      } finally {
        await database.end()
      }
    }),
    { numRuns: Math.max(1, Math.round(HISTORIES * share)) },
  )

type Steps = Parameters<typeof played>[0]

test.each(DATABASES)(
  'the views show after every write what a naive replay says: %s',
  async (_, create, share) => {
    await forHistories(create, share, async (database, steps) => {
      let time = START.getTime()
      const now = () => new Date(time)
      const { store, readModel } = await database.open({ views: true, now })
      const iam = iamOn(store, { readModel, now, authorize: () => true })
      for (const step of foundation) await step(iam)
      for (const [index, step] of steps.entries()) {
        time += STEP_MS
        await step(iam)
        if (index % 15 !== 0 && index < steps.length - 1) continue
        const model = new NaiveModel(await logOf(store))
        expect(await shownIn(database)).toEqual(expectedOf(model, new Date()))
      }
    })
  },
  180_000,
)

test.each(DATABASES)(
  'the views leave out what has expired by the clock of the database: %s',
  async (_, create, share) => {
    await forHistories(create, share, async (database, steps) => {
      const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
      const moved = movedTo(log, now, new Date(Date.now() - 60_000))
      const { store, readModel } = await database.open({ views: true })
      await store.restore(moved)
      await readModel.apply(0n, moved)
      expect(await shownIn(database)).toEqual(expectedOf(new NaiveModel(moved), new Date()))
    })
  },
  180_000,
)

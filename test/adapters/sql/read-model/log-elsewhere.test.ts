import { DatabaseSync } from 'node:sqlite'
import { createIam, memoryEventStore, orThrow } from 'claviger'
import {
  applyBatch,
  createTables,
  type Dialect,
  type ReadModelDriver,
  resetTables,
  type Steps,
  sqliteDialect,
  sqlReadModel,
} from 'claviger/sql'
import { expect, test } from 'vitest'
import { authorize, cipher, context } from '../../../fixtures/upgrade/read.ts'

const dialect: Dialect = { ...sqliteDialect({ maxParameters: 100 }), keepsEvents: true }

/** Tables of a read model, and nothing of a log. */
const driver = (): ReadModelDriver => {
  const database = new DatabaseSync(':memory:')
  database.exec(createTables(dialect))
  const run = <Value>(steps: Steps<Value>): Value => {
    let step = steps.next()
    while (!step.done) {
      const { sql, parameters } = step.value
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      step = steps.next(statement.all(...parameters) as never)
    }
    return step.value
  }
  return {
    dialect,
    read: async (steps) => run(steps()),
    readTogether: async (steps) => run(steps()),
    apply: async (batch) => run(applyBatch(dialect, batch)),
    reset: async () => run(resetTables(dialect)),
  }
}

test('A read model whose store is elsewhere follows it, and has its history', async () => {
  const store = memoryEventStore()
  const readModel = sqlReadModel(driver(), store)
  const iam = createIam({ store, readModel, authorize, secrets: cipher('k1') })
  orThrow(await iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  expect(orThrow(await iam.projects.list({}, context)).items).toMatchObject([{ name: 'Portal' }])
  orThrow(await iam.projects.patch({ id: 'portal', name: 'Shop' }, context))
  expect(orThrow(await iam.projects.get({ id: 'portal' }, context)).name).toBe('Shop')
  expect(orThrow(await iam.history.list({}, context)).items).toHaveLength(2)
})

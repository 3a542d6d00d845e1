import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  type DurableObjectStorage,
  durableObjectStore,
} from '../../../src/adapters/cloudflare/index.js'
import { readModelLaws } from '../../../src/laws/index.js'
import { withLog } from '../read-model-home.js'

/** The limits of workerd that differ from those of Node.js. */
const LIMITS = { compoundSelect: 5, variableNumber: 100 }

/** The storage of an object, in memory, with the limits of workerd as far as this Node.js sets them. */
const limitedStorage = (): DurableObjectStorage => {
  const database = new DatabaseSync(':memory:')
  if (database.limits) Object.assign(database.limits, LIMITS)

  const rowsOf = (query: string, values: readonly (string | number | null)[]) => {
    const isScript = /;\s*\S/.test(query)
    if (isScript) {
      database.exec(query)
      return []
    }
    const statement = database.prepare(query)
    statement.setReturnArrays(true)
    return statement.all(...values) as unknown as (readonly unknown[])[]
  }
  const written = () => Number(database.prepare('SELECT total_changes() AS n').get()?.['n'])

  return {
    sql: {
      exec: (query, ...values) => {
        expect(values.length).toBeLessThanOrEqual(LIMITS.variableNumber)
        const before = written()
        const rows = rowsOf(query, values)
        return { raw: () => rows, rowsWritten: written() - before }
      },
    },
    transactionSync: (work) => {
      database.exec('BEGIN')
      try {
        const value = work()
        database.exec('COMMIT')
        return value
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}

describe('Within the limits of workerd', () => {
  let storage = limitedStorage()
  let last: ReturnType<typeof durableObjectStore> | undefined
  const reopen = () => {
    const { store, readModel } = durableObjectStore(storage)
    last = { store, readModel: withLog({ store, readModel }) }
    return last.readModel
  }
  const home = {
    open: () => {
      storage = limitedStorage()
      return reopen()
    },
    reopen,
    store: () => last?.store,
  }
  // The widest statements; all laws run in workerd itself.
  const laws = readModelLaws.filter(({ name }) => name.startsWith('Holders'))
  expect(laws.length).toBeGreaterThan(4)
  test.each(laws)('$name', ({ check }) => check(home))
})

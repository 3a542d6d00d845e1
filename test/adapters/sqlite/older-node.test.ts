import { StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { eventStoreLaws } from '../../../src/testing/index.js'
import { readModelLaws } from '../../../src/testing/read-model/read-model-laws.js'
import { temporaryFile } from './temporary-file.js'

const NAME = 'setReturnArrays'

describe('On Node.js 22.13, whose statements cannot return arrays, SQLite', () => {
  const found = Object.getOwnPropertyDescriptor(StatementSync.prototype, NAME)
  beforeAll(() => {
    Reflect.deleteProperty(StatementSync.prototype, NAME)
  })
  afterAll(() => {
    if (found) Object.defineProperty(StatementSync.prototype, NAME, found)
  })

  test('is without that method in this test', () => {
    expect(NAME in StatementSync.prototype).toBe(false)
  })

  let path = temporaryFile()
  const home = {
    open: () => {
      path = temporaryFile()
      return openSqlite(path)
    },
    reopen: () => openSqlite(path),
  }

  test.each(eventStoreLaws)('as a store: $name', ({ check }) =>
    check({ open: async () => home.open().store, reopen: async () => home.reopen().store }),
  )

  test.each(readModelLaws)('as a read model: $name', ({ check }) =>
    check({ open: () => home.open().readModel, reopen: () => home.reopen().readModel }),
  )
})

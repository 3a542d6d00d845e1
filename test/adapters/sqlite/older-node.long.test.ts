import { StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { eventStoreLaws, readModelLaws } from '../../../src/laws/index.js'
import { databaseHome } from '../read-model-home.js'
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

  test.each(eventStoreLaws)('as a store: $name', ({ check }) => {
    let path = ''
    const reopen = async () => openSqlite(path).store
    const open = () => {
      path = temporaryFile()
      return reopen()
    }
    return check({ open, reopen })
  })

  const readModels = databaseHome(temporaryFile, openSqlite)
  test.each(readModelLaws)('as a read model: $name', ({ check }) => check(readModels))
})

import { describe, expect, test } from 'vitest'
import {
  isBusy,
  isFull,
  isNotADatabase,
  isSqliteError,
} from '../../../src/adapters/sqlite/faults.js'

/** An error as `node:sqlite` throws it, with what https://sqlite.org/rescode.html lists. */
const withCode = (errcode: unknown) => Object.assign(new Error('of SQLite'), { errcode })

describe('A result code', () => {
  test.each([
    ['SQLITE_BUSY', 5],
    ['SQLITE_BUSY_RECOVERY', 261],
    ['SQLITE_BUSY_SNAPSHOT', 517],
    ['SQLITE_LOCKED', 6],
    ['SQLITE_LOCKED_SHAREDCACHE', 262],
  ])('tells of a lock, extended or not: %s', (_, code) => {
    expect(isBusy(withCode(code))).toBe(true)
  })

  test.each([
    ['SQLITE_IOERR', 10],
    ['SQLITE_FULL', 13],
    ['SQLITE_CANTOPEN', 14],
    ['SQLITE_NOTADB', 26],
    ['SQLITE_CONSTRAINT_UNIQUE', 2067],
  ])('tells of one thing alone: %s', (_, code) => {
    const error = withCode(code)
    expect([isBusy(error), isFull(error), isNotADatabase(error)]).toEqual([
      false,
      code === 13,
      code === 26,
    ])
  })

  test('is what errors of others have not', () => {
    expect(isSqliteError(withCode(1))).toBe(true)
    for (const other of [new Error('x'), withCode('5'), null, 'SQLITE_BUSY'])
      expect(isSqliteError(other)).toBe(false)
  })
})

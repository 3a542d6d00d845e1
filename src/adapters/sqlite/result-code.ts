import { fieldOf } from '../../domain/field-of.js'

/** Primary result codes of SQLite that are told apart. */
const BUSY = 5
const LOCKED = 6
const FULL = 13
const NOT_A_DATABASE = 26

/** Result code of SQLite without its extension; undefined when `error` is not SQLite's. */
const resultCode = (error: unknown): number | undefined => {
  // Not `instanceof`: in the contexts of some test runners, errors of Node.js are none of theirs.
  const code = fieldOf(error, 'errcode')
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Whether SQLite itself reported `error`. */
export const isSqliteError = (error: unknown): error is Error => resultCode(error) !== undefined

/** Whether another connection holds a lock, so that trying again may help. */
export const isBusy = (error: unknown): boolean => {
  const code = resultCode(error)
  return code === BUSY || code === LOCKED
}

/** Whether there was no room left, and so nothing was recorded. */
export const isFull = (error: unknown): boolean => resultCode(error) === FULL

/** Whether the file is no database. */
export const isNotADatabase = (error: unknown): boolean => resultCode(error) === NOT_A_DATABASE

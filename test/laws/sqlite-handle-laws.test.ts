import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { BrokenLaw, sqliteHandleLaws } from '../../src/laws/index.js'
import type { SqliteHandle, SqliteStatement } from '../../src/ports/sqlite-handle.js'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'

type Spoil = (
  statement: SqliteStatement,
  sql: string,
  handle: DatabaseSync,
) => Partial<SqliteStatement>

/** A handle of `node:sqlite` as those of other packages are, with one fault. */
const faulty =
  (spoil: Spoil) =>
  (file: string): SqliteHandle => {
    const handle = new DatabaseSync(file, { timeout: 0 })
    return {
      exec: (sql) => handle.exec(sql),
      prepare: (sql) => {
        const sound: SqliteStatement = handle.prepare(sql)
        const statement = {
          all: (...values: never[]) => sound.all(...values),
          run: (...values: never[]) => sound.run(...values),
        }
        return { ...statement, ...spoil(statement, sql, handle) }
      },
    }
  }

const FAULTS: readonly (readonly [fault: string, law: string, spoil: Spoil])[] = [
  [
    'give columns by name',
    'Rows have their',
    ({ all }) => ({
      all: (...values) =>
        all(...values).map((row) => Object.fromEntries(Object.entries(Object(row)).toSorted())),
    }),
  ],
  [
    'count a conflict',
    'Running a statement',
    ({ run }) => ({ run: (...values) => ({ ...run(...values), changes: 1 }) }),
  ],
  [
    'commit all',
    'A rollback undoes',
    ({ run }, sql, handle) =>
      sql === 'ROLLBACK' ? { run: () => handle.prepare('COMMIT').run() } : { run },
  ],
  [
    'hide the code',
    'Errors have the',
    ({ run }) => ({
      run: (...values) => {
        try {
          return run(...values)
        } catch (error) {
          throw new Error(String(error))
        }
      },
    }),
  ],
]

const homeOf = (opening: (file: string) => SqliteHandle) => {
  let file = ''
  const reopen = () => opening(file)
  const open = () => {
    file = temporaryFile()
    return reopen()
  }
  return { open, reopen }
}

test.each(sqliteHandleLaws)('A handle of node:sqlite: $name', async ({ check }) => {
  await check(homeOf((file) => new DatabaseSync(file)))
})

test.each(FAULTS)('Handles that %s are found.', async (_, law, spoil) => {
  const [found] = sqliteHandleLaws.filter(({ name }) => name.startsWith(law))
  if (found === undefined) throw new Error(`There is no law ${law}`)
  await expect(found.check(homeOf(faulty(spoil)))).rejects.toThrow(BrokenLaw)
})

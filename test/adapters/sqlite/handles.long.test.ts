import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import Libsql from 'libsql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqlite, type SqliteHandle, sqliteCursors } from '../../../src/adapters/sqlite/index.js'
import {
  eventRestoreLaws,
  eventStoreLaws,
  inTransactionLaws,
  readModelLaws,
  sqliteHandleLaws,
  webhookCursorLaws,
} from '../../../src/laws/index.js'
import { checkpointLaws, headLaws } from '../../../src/laws/read-model/checkpoint-laws.js'
import { searched } from '../../nightly.js'
import { databaseHome } from '../read-model-home.js'
import { temporaryFile } from './temporary-file.js'

/** Under a name of its own, as other packages ask for an older version. It has no types. */
const BetterSqlite: new (file: string) => SqliteHandle = createRequire(import.meta.url)(
  'better-sqlite3-13',
)

const HANDLES = [
  ['better-sqlite3', (file: string): SqliteHandle => new BetterSqlite(file), readModelLaws],
  ['libsql', (file: string): SqliteHandle => new Libsql(file), readModelLaws],
  // `npm test` has all laws on what `openSqlite` opens by a path: this handle, too.
  [
    'node:sqlite',
    (file: string): SqliteHandle => new DatabaseSync(file),
    searched({ short: [...checkpointLaws, ...headLaws], nightly: readModelLaws }),
  ],
] as const

describe.each(HANDLES)('On an open handle of %s', (_, handleOf, laws) => {
  const homeOf = <Opened>(opening: (file: string) => Opened) => {
    let file = ''
    const reopen = () => opening(file)
    const open = () => {
      file = temporaryFile()
      return reopen()
    }
    return { open, reopen }
  }

  test.each(sqliteHandleLaws)('$name', ({ check }) => check(homeOf(handleOf)))

  test.each([...eventStoreLaws, ...eventRestoreLaws])('the store: $name', ({ check }) =>
    check(homeOf(async (file) => openSqlite(handleOf(file)).store)),
  )

  const readModels = databaseHome(temporaryFile, (file) => openSqlite(handleOf(file)))
  test.each(laws)('the read model: $name', ({ check }) => check(readModels))

  test.each(webhookCursorLaws)('webhook cursors: $name', ({ check }) =>
    check(
      homeOf((file) => {
        const cursors = sqliteCursors(handleOf(file))
        onTestFinished(() => cursors.close())
        return cursors
      }),
    ),
  )
})

test('On a handle of bun:sqlite all of these laws hold in Bun.', async () => {
  const laws = [
    sqliteHandleLaws,
    eventStoreLaws,
    eventRestoreLaws,
    inTransactionLaws,
    readModelLaws,
    webhookCursorLaws,
  ].flat()
  const folder = temporaryFile()
  mkdirSync(folder)
  const { stdout } = await promisify(execFile)(
    join(import.meta.dirname, '../../../node_modules/.bin/bun'),
    [join(import.meta.dirname, 'bun-laws.ts'), folder],
  )
  expect(stdout).toBe(`${laws.length} laws kept\n`)
}, 120_000)

test('A handle stays open, and closed claviger no longer uses it.', async () => {
  const handle = new DatabaseSync(':memory:')
  const { store, close } = openSqlite(handle)
  await close()
  await expect(store.lastPosition()).rejects.toThrow('The database is closed')
  expect(handle.isOpen).toBe(true)
})

test('Anything else than a path or a handle is refused.', () => {
  for (const other of [undefined, 5, {}]) {
    expect(() => openSqlite(other as never)).toThrow('openSqlite needs a path')
    expect(() => sqliteCursors(other as never)).toThrow('sqliteCursors needs a path')
  }
})

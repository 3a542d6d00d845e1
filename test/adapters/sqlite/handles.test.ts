import { DatabaseSync } from 'node:sqlite'
import Libsql from 'libsql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqlite, type SqliteHandle, sqliteCursors } from '../../../src/adapters/sqlite/index.js'
import {
  eventRestoreLaws,
  eventStoreLaws,
  readModelLaws,
  sqliteHandleLaws,
  webhookCursorLaws,
} from '../../../src/testing/index.js'
import { databaseHome } from '../read-model-home.js'
import { temporaryFile } from './temporary-file.js'

const HANDLES = [
  ['libsql', (file: string): SqliteHandle => new Libsql(file)],
  ['node:sqlite', (file: string): SqliteHandle => new DatabaseSync(file)],
] as const

describe.each(HANDLES)('On an open handle of %s', (_, handleOf) => {
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

  test.each(readModelLaws)('the read model: $name', ({ check }) =>
    check(databaseHome(temporaryFile, (file) => openSqlite(handleOf(file)))),
  )

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

test('A handle stays open, and closed claviger no longer uses it.', async () => {
  const handle = new DatabaseSync(':memory:')
  const { store, close } = openSqlite(handle)
  await close()
  await expect(store.lastPosition()).rejects.toThrow('The database is closed')
  expect(handle.isOpen).toBe(true)
})

test('Anything else than a path or a handle is refused.', () => {
  for (const other of [undefined, 5, {}]) {
    expect(() => openSqlite(other as never)).toThrow('openSqlite takes a path')
    expect(() => sqliteCursors(other as never)).toThrow('sqliteCursors takes a path')
  }
})

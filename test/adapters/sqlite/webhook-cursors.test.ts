import { expect, onTestFinished, test } from 'vitest'
import { openSqlite, sqliteCursors } from '../../../src/adapters/sqlite/index.js'
import { webhookCursorLaws } from '../../../src/laws/index.js'
import { temporaryFile } from './temporary-file.js'

test.each(webhookCursorLaws)('$name', async ({ check }) => {
  let file = ''
  const reopen = () => {
    const cursors = sqliteCursors(file)
    onTestFinished(() => cursors.close())
    return cursors
  }
  const open = () => {
    file = temporaryFile()
    return reopen()
  }
  await check({ open, reopen })
})

test('They share a file with the log, and refuse an unknown option.', async () => {
  const file = temporaryFile()
  await using _ = openSqlite(file)
  await using cursors = sqliteCursors(file)
  expect(await cursors.write('one', { state: 'a', version: 0 })).toBe(true)
  expect(() => sqliteCursors(file, { timeout: 1 } as never)).toThrow(TypeError)
})

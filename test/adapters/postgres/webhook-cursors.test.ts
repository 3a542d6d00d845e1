import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { postgresCursors } from '../../../src/adapters/postgres/index.js'
import { webhookCursorLaws } from '../../../src/laws/index.js'
import { newSchema, serverForFile } from './test-schemas.js'

const server = serverForFile()

const newPool = (): pg.Pool => {
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 2 })
  // The server may stop before a connection has ended.
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  return pool
}

test.each(webhookCursorLaws)('$name', async ({ check }) => {
  let schema = ''
  const reopen = () => postgresCursors({ pool: newPool(), schema })
  const open = () => {
    schema = newSchema()
    return reopen()
  }
  await check({ open, reopen })
})

test('Options are checked.', () => {
  const pool = newPool()
  expect(() => postgresCursors({} as never)).toThrow(/connectionString/)
  expect(() => postgresCursors({ pool, table: 'a' } as never)).toThrow(/table/)
  expect(() => postgresCursors({ pool, schema: 'no name' })).toThrow(RangeError)
})

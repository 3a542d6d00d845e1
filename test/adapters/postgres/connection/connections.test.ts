import { EventEmitter } from 'node:events'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { connectionsOf } from '../../../../src/adapters/postgres/connection/connections.js'
import { poolDriver } from '../../../../src/adapters/postgres/pg.js'
import { fieldOf } from '../../../../src/domain/values.js'

/** The process of the server that answers. */
const PROCESS = 7

/**
 * A pool of one client, to which each statement is answered with one row; it shows what was asked, and
 * released.
 *
 * @param processID - the process that the client was connected to
 */
const fakePool = (answer: string, processID = PROCESS) => {
  const released: unknown[] = []
  const asked: unknown[] = []
  const client = Object.assign(new EventEmitter(), {
    processID,
    query: async (statement: unknown) => {
      asked.push(statement)
      return { rows: [[answer, String(PROCESS)]] }
    },
    release: (isGivenUp: unknown) => released.push(isGivenUp),
  })
  const pool = { connect: async () => client, options: {} } as unknown as Pool
  return { connections: connectionsOf(poolDriver(pool)), client, asked, released }
}

test('A connection that leads to a standby is given up.', async () => {
  const { connections, released } = fakePool('true')
  await expect(connections.read({ text: 'SELECT 1' })).rejects.toThrow('The server is a standby')
  expect(released).toEqual([true])
})

test('A connection is returned as it was before.', async () => {
  const { connections, client, released } = fakePool('false')
  for (const text of ['SELECT 1', 'SELECT 2']) await connections.read({ text })
  expect(released).toEqual([false, false])
  expect(client.eventNames()).toEqual([])
})

test('A connection that is given back after its work has failed holds no transaction.', async () => {
  const { connections, asked, released } = fakePool('false')
  const refused = new Error('refused')
  await expect(connections.transaction(() => Promise.reject(refused))).rejects.toBe(refused)
  expect(asked.at(-1)).toMatchObject({ text: 'ROLLBACK' })
  expect(released).toEqual([false])
})

test('An error of a pooler that lost the server does not say that nothing was written.', async () => {
  const { connections, client } = fakePool('f')
  await connections.read({ text: 'SELECT 1' })
  const lost = Object.assign(new Error('server conn crashed'), { severity: 'ERROR', code: '08006' })
  const { query } = client
  Object.assign(client, {
    query: (statement: unknown) =>
      fieldOf(statement, 'text') === 'SELECT append' ? Promise.reject(lost) : query(statement),
  })
  const fault = { outcome: 'unknown' }
  await expect(connections.write({ text: 'SELECT append' })).rejects.toMatchObject(fault)
})

test.each([
  ['refused', '57014', 'not_recorded'],
  ['ended with its session', '57P01', 'unknown'],
])('A write that was %s before the connection was lost: %s, %s.', async (_, code, outcome) => {
  const { connections, client } = fakePool('f')
  await connections.read({ text: 'SELECT 1' })
  const { query } = client
  Object.assign(client, {
    query: (statement: unknown) => {
      const text = fieldOf(statement, 'text')
      if (text === 'SELECT append') return Promise.reject(Object.assign(new Error(), { code }))
      return text === 'ROLLBACK' ? Promise.reject(new Error('lost')) : query(statement)
    },
  })
  await expect(connections.write({ text: 'SELECT append' })).rejects.toMatchObject({ outcome })
})

test.each([
  [
    'has its name where the client reaches the process that it was connected to',
    PROCESS,
    ['named', 'named'],
  ],
  ['has none behind a pooler, which chooses another process each time', PROCESS + 1, []],
])('A statement %s.', async (_, processID, names) => {
  const { connections, asked } = fakePool('false', processID)
  for (const read of [1, 2]) await connections.read({ name: 'named', text: `SELECT ${read}` })
  expect(asked.slice(1)).toMatchObject([{ text: 'SELECT 1' }, { text: 'SELECT 2' }])
  expect(asked.flatMap((statement) => fieldOf(statement, 'name') ?? [])).toEqual(names)
})

test.each(['57014', '53200'])(
  'A statement that is refused after a commit (%s) does not say that nothing was written.',
  async (code) => {
    const { connections, client } = fakePool('f')
    const { query } = client
    Object.assign(client, {
      query: (statement: unknown) =>
        fieldOf(statement, 'text') === 'SELECT recorded'
          ? Promise.reject(Object.assign(new Error(), { code }))
          : query(statement),
    })
    const written = connections.transaction(async ({ rows }, _, committing) => {
      const committed = committing()
      await rows({ text: 'SELECT append; COMMIT; BEGIN' })
      committed()
      return rows({ text: 'SELECT recorded' })
    })
    await expect(written).rejects.toMatchObject({ outcome: 'unknown' })
  },
)

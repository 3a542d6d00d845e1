import { EventEmitter } from 'node:events'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { poolConnections } from '../../../src/adapters/postgres/connections.js'

/**
 * A pool of one client, to which each statement is answered with one row; it shows what was asked, and
 * released.
 */
const fakePool = (answer: string) => {
  const released: unknown[] = []
  const asked: unknown[] = []
  const client = Object.assign(new EventEmitter(), {
    query: async (statement: unknown) => {
      asked.push(statement)
      return { rows: [[answer]] }
    },
    release: (isGivenUp: unknown) => released.push(isGivenUp),
  })
  const pool = { connect: async () => client } as unknown as Pool
  return { connections: poolConnections(pool, async () => {}), client, asked, released }
}

test('A connection that leads to a standby is given up.', async () => {
  const { connections, released } = fakePool('t')
  await expect(connections.read({ text: 'SELECT 1' })).rejects.toThrow('The server is a standby')
  expect(released).toEqual([true])
})

test('A connection that was lent is as it was before.', async () => {
  const { connections, client, released } = fakePool('f')
  for (const text of ['SELECT 1', 'SELECT 2']) await connections.read({ text })
  expect(released).toEqual([false, false])
  expect(client.listenerCount('error')).toBe(0)
})

test('A connection that is given back after its work has failed holds no transaction.', async () => {
  const { connections, asked, released } = fakePool('f')
  const refused = new Error('refused')
  await expect(connections.transaction(() => Promise.reject(refused))).rejects.toBe(refused)
  expect(asked.at(-1)).toBe('ROLLBACK')
  expect(released).toEqual([false])
})

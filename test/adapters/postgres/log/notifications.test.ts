import type pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connections } from '../../../../src/adapters/postgres/connection/connections.js'
import { newsOf } from '../../../../src/adapters/postgres/log/notifications.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** News whose notifications go nowhere but here. */
const openNews = () => {
  const sent: unknown[] = []
  let isClosed = false
  const connections: Pick<Connections, 'read' | 'isClosed'> = {
    read: async (query) => {
      sent.push(query)
      return []
    },
    isClosed: () => isClosed,
  }
  const news = newsOf({
    connections: connections as Connections,
    connect: () => new Promise<pg.Client>(() => undefined),
    channel: 'claviger_iam',
  })
  const close = () => {
    isClosed = true
  }
  return { news, sent, close }
}

const NOTIFICATION = { text: 'NOTIFY "claviger_iam"' }

test('one append is told at once, and says nothing of what was written', async () => {
  const { news, sent } = openNews()
  news.tell()
  expect(sent).toEqual([NOTIFICATION])
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent.length).toBe(1)
})

test('many are told once at the beginning and once after the last', async () => {
  const { news, sent } = openNews()
  for (let n = 0; n < 200; n++) {
    news.tell()
    await Promise.resolve()
  }
  expect(sent.length).toBe(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent).toEqual([NOTIFICATION, NOTIFICATION])
})

test('nothing is told any more once the connections are closed', async () => {
  const { news, sent, close } = openNews()
  news.tell()
  news.tell()
  close()
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent.length).toBe(1)
})

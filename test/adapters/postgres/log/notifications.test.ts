import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connections } from '../../../../src/adapters/postgres/connection/connections.js'
import { notificationsOn } from '../../../../src/adapters/postgres/log/notifications.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Notifications that are only collected. */
const openNotifications = () => {
  const sent: unknown[] = []
  let isClosed = false
  const connections: Pick<Connections, 'read' | 'isClosed'> = {
    read: async (query) => {
      sent.push(query)
      return []
    },
    isClosed: () => isClosed,
  }
  const notifications = notificationsOn({
    connections: connections as Connections,
    driver: { listen: () => new Promise(() => undefined) },
    channel: 'claviger_iam',
  })
  const close = () => {
    isClosed = true
  }
  return { notifications, sent, close }
}

const NOTIFICATION = { text: 'NOTIFY "claviger_iam"' }

test('one commit is sent at once, without what was written', async () => {
  const { notifications, sent } = openNotifications()
  notifications.send()
  expect(sent).toEqual([NOTIFICATION])
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent.length).toBe(1)
})

test('many commits are sent once at the beginning and once after the last', async () => {
  const { notifications, sent } = openNotifications()
  for (let n = 0; n < 200; n++) {
    notifications.send()
    await Promise.resolve()
  }
  expect(sent.length).toBe(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent).toEqual([NOTIFICATION, NOTIFICATION])
})

test('nothing is sent once the connections are closed', async () => {
  const { notifications, sent, close } = openNotifications()
  notifications.send()
  notifications.send()
  close()
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent.length).toBe(1)
})

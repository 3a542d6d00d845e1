import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connection } from '../../../../src/adapters/sqlite/connection.js'
import { watch } from '../../../../src/adapters/sqlite/event-store.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('checks some twenty times a second what others wrote, until it is ended', async () => {
  let looks = 0
  const connection: Pick<Connection, 'query' | 'isClosed'> = {
    query: async () => ++looks as never,
    isClosed: () => false,
  }
  let changes = 0
  const end = watch(connection as Connection, () => changes++)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(looks).toBeGreaterThan(10)
  expect(looks).toBeLessThan(30)
  expect(changes).toBe(looks - 1)
  end()
  const before = looks
  await vi.advanceTimersByTimeAsync(1_000)
  expect(looks).toBeLessThan(before + 2)
})

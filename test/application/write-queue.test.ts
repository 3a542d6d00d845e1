import { expect, it, onTestFinished, vi } from 'vitest'
import { WriteQueue } from '../../src/application/write-queue.js'

it('passes a turn on from whoever keeps it too long, who then has none to end', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const queue = new WriteQueue()
  const [first, second, third, fourth] = [['a-a'], ['a-a'], ['a-a'], ['a-a']] as const
  const given: string[] = []
  const ask = (name: string, streams: readonly 'a-a'[]) =>
    queue.enter(streams, undefined)?.then(() => given.push(name))

  expect(ask('first', first)).toBe(undefined)
  void ask('second', second)
  void ask('third', third)
  await vi.advanceTimersByTimeAsync(80_000)
  expect(given).toEqual(['second'])
  queue.leave(first)
  await vi.advanceTimersByTimeAsync(1)
  expect(given).toEqual(['second'])
  queue.leave(second)
  await vi.advanceTimersByTimeAsync(1)
  expect(given).toEqual(['second', 'third'])
  queue.leave(third)
  queue.leave(second)
  expect(ask('fourth', fourth)).toBe(undefined)
  expect(vi.getTimerCount()).toBe(0)
})

it('passes it on from one who waits and is never heard of again, too', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const queue = new WriteQueue()
  const given: string[] = []
  queue.enter(['a-a'], undefined)
  for (const name of ['second', 'third']) {
    // As its request has ended, so have its timers.
    const own = vi.spyOn(globalThis, 'setInterval')
    void queue.enter(['a-a'], undefined)?.then(() => given.push(name))
    const timer = own.mock.results[0]?.value
    own.mockRestore()
    if (name === 'second') clearInterval(timer)
  }
  await vi.advanceTimersByTimeAsync(80_000)
  expect(given).toEqual(['second'])
  await vi.advanceTimersByTimeAsync(80_000)
  expect(given).toEqual(['second', 'third'])
})

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WriteQueue } from '../../../src/application/recording/write-queue.js'

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
  void queue.enter(['a-a'], undefined)?.then(() => given.push('second'))
  // The request of the second has ended, and its timers with it.
  vi.clearAllTimers()
  void queue.enter(['a-a'], undefined)?.then(() => given.push('third'))
  await vi.advanceTimersByTimeAsync(80_000)
  expect(given).toEqual(['second'])
  await vi.advanceTimersByTimeAsync(80_000)
  expect(given).toEqual(['second', 'third'])
})

describe('Who asks for a turn at several streams', () => {
  const [role, other, project] = ['project_role-a', 'project_role-b', 'project-a'] as const

  it('waits when one of them is taken, and keeps from others what it has', async () => {
    const queue = new WriteQueue()
    const [holder, both] = [[other], [role, other]] as const
    queue.enter(holder, undefined)
    const asked = queue.enter(both, undefined)
    queue.leave(holder)
    expect(await asked).toBe(true)
    for (const stream of both) expect(queue.enter([stream], undefined)).toBeInstanceOf(Promise)
  })

  it('does not lock up with who asks for the same in another order', async () => {
    const queue = new WriteQueue()
    const [holder, one, two] = [
      [role, other],
      [role, other],
      [other, role],
    ] as const
    queue.enter(holder, undefined)
    const asked = [one, two].map(async (streams) => {
      expect(await queue.enter(streams, undefined)).toBe(true)
      queue.leave(streams)
    })
    queue.leave(holder)
    await Promise.all(asked)
  })

  it('leaves the project to the command of a role that it waits for', () => {
    const queue = new WriteQueue()
    queue.enter([role], undefined)
    void queue.enter([project, role], undefined)
    expect(queue.enter([project], undefined)).toBe(undefined)
  })

  it('has none of them once it has given up', async () => {
    const queue = new WriteQueue()
    const controller = new AbortController()
    queue.enter([role], undefined)
    const asked = queue.enter([other, role], controller.signal)
    controller.abort()
    expect(await asked).toBe(false)
    expect(queue.enter([other], undefined)).toBe(undefined)
  })
})

describe('A signal', () => {
  it('that has aborted already gives up at once', async () => {
    const queue = new WriteQueue()
    queue.enter(['a-a'], undefined)
    expect(await queue.enter(['a-a'], AbortSignal.abort())).toBe(false)
  })

  it('that aborts once there is a turn keeps nobody else from theirs', async () => {
    const queue = new WriteQueue()
    const controller = new AbortController()
    const [first, second] = [['a-a'], ['a-a']] as const
    queue.enter(first, undefined)
    const turn = queue.enter(second, controller.signal)
    const next = queue.enter(['a-a'], undefined)
    queue.leave(first)
    expect(await turn).toBe(true)
    controller.abort()
    queue.leave(second)
    expect(await next).toBe(true)
  })
})

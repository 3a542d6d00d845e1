import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pause } from '../../../src/application/waiting.js'
import { systemEnvironment } from '../../../src/ports/environment.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('Sleep', () => {
  it.each(['the time', 'an abort'])('leaves nothing behind after %s', async (end) => {
    const controller = new AbortController()
    const { signal } = controller
    const delayed = systemEnvironment.sleep(10, signal)
    if (end === 'an abort') controller.abort()
    else await vi.advanceTimersByTimeAsync(10)
    await delayed
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not begin when its signal has aborted', async () => {
    await systemEnvironment.sleep(10, AbortSignal.abort())
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('The pause before a decision is taken anew', () => {
  it('does not wait after the first attempt', async () => {
    await pause(systemEnvironment, 1, undefined)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [2, 4],
    [5, 32],
    [6, 50],
    [10, 50],
  ])('is a random part of the longest: attempt %i, %i ms', async (attempts, longest) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const paused = vi.fn()
    void pause(systemEnvironment, attempts, undefined).then(paused)
    await vi.advanceTimersByTimeAsync(longest / 2 - 1)
    expect(paused).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(paused).toHaveBeenCalled()
  })

  it('ends when its signal aborts', async () => {
    const controller = new AbortController()
    const paused = pause(systemEnvironment, 2, controller.signal)
    controller.abort()
    await paused
    expect(vi.getTimerCount()).toBe(0)
  })
})

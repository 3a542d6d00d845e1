import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appendSignal } from '../../../src/application/following/log-pages.js'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { systemEnvironment } from '../../../src/ports/environment.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const store = memoryEventStore()

const signalOf = (store: EventStore) => appendSignal({ store, environment: systemEnvironment })

/** The signal of a store, and how to give it a hint. */
const hinted = () => {
  let hint: () => void = () => undefined
  const onAppend: EventStore['onAppend'] = (wake) => {
    hint = wake
    return () => undefined
  }
  return { appends: signalOf({ ...store, onAppend }), hint: () => hint() }
}

describe('AppendSignal', () => {
  it('waits at most 100 ms, or a second when the store gives hints', async () => {
    const { onAppend: _, ...silent } = store
    for (const [appends, longest] of [
      [signalOf(silent), 100],
      [signalOf(store), 1_000],
    ] as const) {
      const waited = vi.fn()
      void appends.wait(0, undefined).then(waited)
      await vi.advanceTimersByTimeAsync(longest - 1)
      expect(waited).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(waited).toHaveBeenCalled()
    }
  })

  it('does not wait after an earlier hint, or with an aborted signal', async () => {
    const { appends, hint } = hinted()
    const seen = appends.count()
    hint()
    await appends.wait(seen, undefined)
    await appends.wait(appends.count(), AbortSignal.abort())
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['a hint', 'an abort', 'the time'])(
    'leaves no timer and no listener behind after %s',
    async (end) => {
      const { appends, hint } = hinted()
      const controller = new AbortController()
      const { signal } = controller
      const waiting = appends.wait(0, signal)
      if (end === 'a hint') hint()
      else if (end === 'an abort') controller.abort()
      else await vi.advanceTimersByTimeAsync(1_000)
      await waiting
      expect(getEventListeners(signal, 'abort')).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('wakes each waiter once', async () => {
    const { appends, hint } = hinted()
    const { signal } = new AbortController()
    const letGo = vi.spyOn(signal, 'removeEventListener')
    const waiting = appends.wait(0, signal)
    hint()
    hint()
    await waiting
    expect(letGo).toHaveBeenCalledTimes(1)
  })
})

import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { raceAbort } from '../../../src/application/waiting.js'

const cancelled = { error: { kind: 'Cancelled' } }

describe('raceAbort', () => {
  it.each([
    ['kept', () => Promise.resolve()],
    ['broken', () => Promise.reject(new Error('away'))],
  ])('leaves no listener on the signal once a promise was %s', async (_, ask) => {
    const { signal } = new AbortController()
    const waiting = raceAbort(ask(), signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await waiting.catch(() => undefined)
    await new Promise(setImmediate)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('rejects when the signal aborts, or has aborted before', async () => {
    const controller = new AbortController()
    const silent = new Promise<never>(() => undefined)
    const waiting = raceAbort(silent, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject(cancelled)
    await expect(raceAbort(silent, controller.signal)).rejects.toMatchObject(cancelled)
  })
})

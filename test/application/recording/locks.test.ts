import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Lock, Locks } from '../../../src/application/recording/locks.js'
import { systemEnvironment } from '../../../src/ports/environment.js'

const A = 'project-acme+a'
const B = 'project-acme+b'

afterEach(() => {
  vi.useRealTimers()
})

/** Waits for a lock, and tells what has become of it so far. */
const waiting = (lock: Lock, signal?: AbortSignal) => {
  const state: { held?: boolean } = {}
  const done = lock.wait(signal).then((held) => {
    state.held = held
  })
  return { state, done }
}

it('holds a lock at once that nobody else has, and no longer than until it is released', () => {
  const locks = new Locks(systemEnvironment)
  const one = locks.ask([A, B])
  expect(one.isHeld).toBe(true)
  expect(locks.ask([B]).isHeld).toBe(false)
  one.release()
  one.release()
  expect(locks.ask([A]).isHeld).toBe(true)
})

it('says which streams it includes', () => {
  const lock = new Locks(systemEnvironment).ask([A])
  expect(lock.includes([A])).toBe(true)
  expect(lock.includes([A, B])).toBe(false)
})

it('is given when all of its streams are free, in the order of asking', async () => {
  const locks = new Locks(systemEnvironment)
  const ofA = locks.ask([A])
  const ofB = locks.ask([B])
  const both = waiting(locks.ask([A, B]))
  const later = locks.ask([B])
  ofA.release()
  await Promise.resolve()
  expect(both.state.held).toBeUndefined()
  ofB.release()
  await both.done
  expect(both.state.held).toBe(true)
  expect(later.isHeld).toBe(false)
})

it('gives up when the signal aborts, and lets those behind move up by one', async () => {
  const locks = new Locks(systemEnvironment)
  const first = locks.ask([A])
  const controller = new AbortController()
  const remove = vi.spyOn(controller.signal, 'removeEventListener')
  const second = waiting(locks.ask([A]), controller.signal)
  const third = locks.ask([A])
  const fourth = locks.ask([A])
  controller.abort()
  await second.done
  expect(second.state.held).toBe(false)
  expect(remove).toHaveBeenCalledWith('abort', expect.any(Function))
  expect([first.isHeld, third.isHeld]).toEqual([true, false])
  first.release()
  expect([third.isHeld, fourth.isHeld]).toEqual([true, false])
})

it('gives up at once when the signal has aborted before', async () => {
  const locks = new Locks(systemEnvironment)
  const first = locks.ask([A])
  const second = waiting(locks.ask([A]), AbortSignal.abort())
  await second.done
  expect(second.state.held).toBe(false)
  first.release()
  expect(locks.ask([A]).isHeld).toBe(true)
})

it('is taken away after it was held for long enough while others waited, and from nobody else', async () => {
  vi.useFakeTimers()
  const locks = new Locks(systemEnvironment)
  const stuck = locks.ask([A])
  const free = locks.ask([B])
  const both = locks.ask([A, B])
  const next = waiting(both)
  const last = waiting(locks.ask([A]))
  await vi.advanceTimersByTimeAsync(40_000)
  free.release()
  expect(next.state.held).toBeUndefined()
  await vi.advanceTimersByTimeAsync(40_000)
  expect(next.state.held).toBe(true)
  expect(last.state.held).toBeUndefined()
  // Released late, it takes nothing from the one that holds it now.
  stuck.release()
  expect(last.state.held).toBeUndefined()
  await vi.advanceTimersByTimeAsync(39_000)
  expect(last.state.held).toBeUndefined()
  both.release()
  await last.done
  expect(last.state.held).toBe(true)
})

it('is not taken away from those that got it meanwhile, on the way to another stream', async () => {
  vi.useFakeTimers()
  const locks = new Locks(systemEnvironment)
  const stuck = locks.ask([A])
  const both = locks.ask([A, B])
  const next = waiting(both)
  const last = waiting(locks.ask([B]))
  await vi.advanceTimersByTimeAsync(80_000)
  expect([stuck.isHeld, next.state.held]).toEqual([true, true])
  expect(last.state.held).toBeUndefined()
  await vi.advanceTimersByTimeAsync(39_000)
  expect([both.isHeld, last.state.held]).toEqual([true, undefined])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(last.state.held).toBe(true)
})

it('looks at each lock before it once, however many streams they share', async () => {
  vi.useFakeTimers()
  const locks = new Locks(systemEnvironment)
  const pair = (n: number) => [`project-acme+a${n}`, `project-acme+b${n}`] as const
  const held = locks.ask(pair(0))
  // Each waits for the one before it, on two streams.
  const last = 16
  const all = Array.from({ length: last }, (_, n) =>
    waiting(locks.ask([...pair(n), ...pair(n + 1)])),
  )
  const lookUps = vi.spyOn(Map.prototype, 'get')
  onTestFinished(() => lookUps.mockRestore())
  await vi.advanceTimersByTimeAsync(40_000)
  expect(lookUps.mock.calls.length).toBeGreaterThan(last)
  expect(lookUps.mock.calls.length).toBeLessThan(2 * last * last * 4 + 100)
  expect(all.at(-1)?.state.held).toBeUndefined()
  expect(held.isHeld).toBe(true)
})

it('of another request is woken without a timer that ends in the request that wakes it', async () => {
  vi.useFakeTimers()
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => clear.mockRestore())
  const locks = new Locks(systemEnvironment)
  const first = locks.ask([A])
  const second = waiting(locks.ask([A]))
  first.release()
  // On workerd, a request cannot end a timer of another one.
  expect(clear).not.toHaveBeenCalled()
  await second.done
  expect(second.state.held).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('is waited for as long as nobody holds it for too long', async () => {
  vi.useFakeTimers()
  const locks = new Locks(systemEnvironment)
  const [one, two] = [locks.ask([A]), locks.ask([A])]
  const last = waiting(locks.ask([A, B]))
  await vi.advanceTimersByTimeAsync(50_000)
  one.release()
  await vi.advanceTimersByTimeAsync(50_000)
  expect([two.isHeld, last.state.held]).toEqual([true, undefined])
  two.release()
  await last.done
  expect(last.state.held).toBe(true)
})

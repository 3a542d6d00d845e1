import type { Environment } from '../ports/environment.js'
import type { Position } from '../ports/event-store.js'
import { Fault, unavailable } from './errors/fault.js'

/** How long a write is retried after lost races before it is aborted, in milliseconds. */
const RETRY_FOR_MS = 10_000

/** Starts the time for retries; the returned function says whether it is over. */
export const retryDeadline = ({ elapsed }: Environment): (() => boolean) => {
  const deadline = elapsed() + RETRY_FOR_MS
  return () => elapsed() >= deadline
}

/** Longest pause between two tries, in milliseconds, so that a call that lost often does not fall behind new ones. */
const LONGEST_BETWEEN = 50

/**
 * Waits before the next try: not at all after the first, then for a random time whose maximum doubles, so that the same
 * writers do not collide again. Ends early when `signal` aborts.
 */
export const pause = (
  { random, sleep }: Environment,
  attempts: number,
  signal: AbortSignal | undefined,
): Promise<void> =>
  attempts === 1
    ? Promise.resolve()
    : sleep(random() * Math.min(LONGEST_BETWEEN, 2 ** attempts), signal)

/** Pauses while a store or a projection is unavailable, in milliseconds: the first, and the longest. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 1_000

/** Pauses that double until they are reset. */
export const growingPauses = ({ sleep }: Environment) => {
  let pause = FIRST_PAUSE
  return {
    /** Ends early when `signal` aborts. */
    next: async (signal: AbortSignal | undefined): Promise<void> => {
      await sleep(pause, signal)
      pause = Math.min(2 * pause, LONGEST_PAUSE)
    },
    reset: (): void => {
      pause = FIRST_PAUSE
    },
  }
}

/**
 * Waits for `promise` until `signal` aborts. The promise itself is not cancelled; its outcome is then ignored.
 *
 * @throws Fault when the signal aborts first
 */
export const raceAbort = <Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> => {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new Fault({ kind: 'Cancelled' }))
    promise.then(resolve, reject).then(() => signal.removeEventListener('abort', cancel))
    try {
      if (signal.aborted) cancel()
      else signal.addEventListener('abort', cancel, { once: true })
    } catch (cause) {
      reject(unavailable(cause, 'not_recorded'))
    }
  })
}

/** Calls a port without recording anything; an exception becomes a {@link Fault}. */
export const fromPort = async <Value>(call: () => Promise<Value> | Value): Promise<Value> => {
  try {
    return await call()
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}

/** {@link fromPort}, but it does not wait after `signal` aborts. @throws Fault when it aborts first */
export const callPort = <Value>(
  call: () => Promise<Value> | Value,
  signal: AbortSignal | undefined,
): Promise<Value> => raceAbort(fromPort(call), signal)

/** Waits for `promise`, but not longer than some milliseconds. @throws the value of `late` when it takes longer */
export const within = async <Value>(
  { sleep }: Environment,
  milliseconds: number,
  promise: Promise<Value>,
  late: () => unknown = () =>
    unavailable(new Error(`No answer within ${milliseconds} ms`), 'not_recorded'),
): Promise<Value> => {
  const answered = new AbortController()
  const tooLate = sleep(milliseconds, answered.signal).then(() => {
    throw late()
  })
  try {
    return await Promise.race([promise, tooLate])
  } finally {
    answered.abort()
  }
}

/**
 * A sleep that another request may end. On workerd, a request may settle a promise of another one, but cannot end its
 * timer: the sleeper does that itself.
 */
export const wakeableSleep = ({ sleep }: Pick<Environment, 'sleep'>) => {
  let isAwake = false
  let settle = (): void => undefined
  const woken = new Promise<void>((resolve) => {
    settle = resolve
  })
  return {
    /** Ends the sleep, and every later one. */
    wake: (): void => {
      isAwake = true
      settle()
    },
    /** Sleeps for a time, or until it is woken; returns whether it was. */
    sleep: async (milliseconds: number): Promise<boolean> => {
      const ending = new AbortController()
      if (!isAwake) await Promise.race([woken, sleep(milliseconds, ending.signal)])
      ending.abort()
      return isAwake
    },
  }
}

/** Waits until what follows the log in this process has seen the event at `position`. */
export const awaitFollowers = async (
  { recorded }: { readonly recorded: ReadonlySet<(position: Position) => Promise<void>> },
  position: Position,
): Promise<void> => {
  if (recorded.size > 0)
    await Promise.all([...recorded].map((awaitApplied) => awaitApplied(position)))
}

/** Calls that {@link inBatches} waits for at the same time. */
const BATCH_SIZE = 50

/** The results of `run` for each of `items`, in their order, with some calls at the same time and a yield after these. */
export const inBatches = async <Item, Value>(
  environment: Pick<Environment, 'yield'>,
  items: readonly Item[],
  run: (item: Item) => Promise<Value>,
  size = BATCH_SIZE,
): Promise<readonly Value[]> => {
  const results: Value[] = []
  for (let from = 0; from < items.length; from += size) {
    results.push(...(await Promise.all(items.slice(from, from + size).map(run))))
    await environment.yield()
  }
  return results
}

type Source<Value> = Iterable<Value> | AsyncIterable<Value>

/** The values of `source`; throws as soon as `signal` aborts, also while the source does not answer. */
export const abortableSource = <Value>(
  source: Source<Value>,
  signal: AbortSignal | undefined,
): Source<Value> =>
  // A synchronous source is read without a pause in which the signal could abort.
  signal && Symbol.asyncIterator in source ? abortableValues(source, signal) : source

async function* abortableValues<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]()
  const next = async () => iterator.next()
  const close = async () => iterator.return?.()
  let isOver = false
  try {
    for (;;) {
      if (signal.aborted) throw signal.reason
      const step = await raceAbort(next(), signal)
      isOver = step.done === true
      if (step.done) return
      yield step.value
    }
  } catch (thrown) {
    isOver = !signal.aborted
    throw thrown
  } finally {
    // After an abort it does not wait for the source to close: a generator that hangs never does.
    if (!isOver) await raceAbort(close(), signal).catch(() => undefined)
  }
}

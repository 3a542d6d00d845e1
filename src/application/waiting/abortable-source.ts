import { raceAbort } from './race-abort.js'

type Source<Value> = Iterable<Value> | AsyncIterable<Value>

/** `source`, which throws as soon as `signal` aborts, also while it is silent. */
export const abortableSource = <Value>(
  source: Source<Value>,
  signal: AbortSignal | undefined,
): Source<Value> =>
  // One that is not asynchronous lets nobody abort while it is read.
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
    // Once aborted, not waited for: a generator that is stuck never closes.
    if (!isOver) await raceAbort(close(), signal).catch(() => undefined)
  }
}

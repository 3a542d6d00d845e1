import { raceAbort } from './race-abort.js'

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

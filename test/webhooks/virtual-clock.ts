import type { Environment } from '../../src/ports/environment.js'

/** No two draws of one program are equal: holders of leases are drawn. */
let draws = 0

/** Time that passes when nothing else happens, until the first sleeper wakes, and by at least a step. */
export const virtualClock = (
  start = Date.now(),
  step = 0,
): Environment & { readonly stop: () => void } => {
  let elapsed = 0
  let isStopped = false
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const pass = async (): Promise<void> => {
    while (!isStopped) {
      // I/O of the tests is done within a few turns.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      const [first] = [...sleepers].toSorted((one, other) => one.at - other.at)
      if (first) {
        elapsed = Math.max(elapsed + step, first.at)
        for (const sleeper of sleepers) if (sleeper.at <= elapsed) sleeper.wake()
      }
    }
  }
  void pass()
  return {
    now: () => start + elapsed,
    elapsed: () => elapsed,
    random: () => 0.5 + ++draws / 1e9,
    secretBytes: (count) => new Uint8Array(count).fill(++draws),
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper = {
          at: elapsed + milliseconds,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake)
      }),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    stop: () => {
      isStopped = true
    },
  }
}

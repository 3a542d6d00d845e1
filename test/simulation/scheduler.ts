import type { Environment } from '../../src/ports/environment.js'
import type { Chance } from './chance.js'

/** A process of the simulated system. What it waits for never ends after it has crashed. */
export interface Process {
  readonly name: string
  isCrashed: boolean
  /** What the process is cut off from, and until when. */
  cutOff?: { readonly from: 'server' | 'cursors'; readonly until: number }
  /** By how many milliseconds the answers of the server are late, and until when. */
  slow?: { readonly by: number; readonly until: number }
}

/** Virtual time: nothing runs but what is due next, one thing after another. */
export interface Scheduler {
  /** In milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Waits; for ever once `process` has crashed. */
  readonly wait: (milliseconds: number, process?: Process) => Promise<void>
  /** Time and chance of one process, whose clock may be ahead or behind. */
  readonly environmentOf: (process: Process) => Environment
  /** Sets the clocks of all further processes to the same time. */
  readonly syncClocks: () => void
  /** Runs what is due, in order, until `work` is done. @throws Error when nothing is due any more, or never done */
  readonly run: (work: Promise<unknown>) => Promise<void>
  /** What has run so far. */
  readonly steps: () => number
}

interface Due {
  readonly at: number
  readonly process: Process | undefined
  readonly resume: () => void
}

const START = Date.UTC(2026, 0, 1)

/** More steps than any run takes. */
const MAX_STEPS = 50_000

/** Largest difference of two clocks, in milliseconds. */
const MAX_SKEW = 2_000

/**
 * @param quiet - resolves once nothing happens any more that needs no time
 * @see Scheduler
 */
export const schedulerOf = (
  chance: Chance,
  quiet: () => Promise<unknown> = nextTurn,
): Scheduler => {
  let now = START
  let steps = 0
  let maxSkew = MAX_SKEW
  const waiting = new Set<Due>()

  const start = (process: Process | undefined, milliseconds: number, resume: () => void): Due => {
    // No two are due at the same time, so that their order is chance too.
    const due = { at: now + milliseconds + chance.random() / 1_000, process, resume }
    waiting.add(due)
    return due
  }
  const next = (): Due | undefined => {
    let first: Due | undefined
    for (const due of waiting) {
      if (due.process?.isCrashed) waiting.delete(due)
      else if (!first || due.at < first.at) first = due
    }
    return first
  }

  return {
    now: () => now,
    steps: () => steps,
    wait: (milliseconds, process) =>
      new Promise((resolve) => {
        start(process, milliseconds, resolve)
      }),
    syncClocks: () => {
      maxSkew = 0
    },
    environmentOf: (process) => {
      const skew = Math.floor(chance.random() * maxSkew)
      const sleep: Environment['sleep'] = (milliseconds, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve()
          const end = () => {
            waiting.delete(due)
            signal?.removeEventListener('abort', end)
            resolve()
          }
          const due = start(process, milliseconds, end)
          signal?.addEventListener('abort', end)
        })
      return {
        now: () => Math.floor(now) + skew,
        elapsed: () => now - START,
        random: chance.random,
        secretBytes: (count) => Uint8Array.from({ length: count }, () => chance.below(256)),
        sleep,
        yield: () => sleep(0),
      }
    },
    run: async (work) => {
      let isDone = false
      const end = () => {
        isDone = true
      }
      work.then(end, end)
      for (; steps < MAX_STEPS; steps++) {
        await quiet()
        if (isDone) return work.then(() => undefined)
        const due = next()
        if (!due) throw new Error('Everything waits, and nothing is due: a wake-up was lost')
        waiting.delete(due)
        now = Math.max(now, due.at)
        due.resume()
      }
      throw new Error(`Not done after ${MAX_STEPS} steps`)
    },
  }
}

/** Everything that needs no time happens first: microtasks end before the next turn of the event loop. */
export const nextTurn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))

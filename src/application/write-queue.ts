import type { StreamId } from '../domain/values.js'

/**
 * Lets one command of this process at a time write a stream; the others wait in the order they
 * came. It spares them lost races, and decides nothing: versions do.
 */
export class WriteQueue {
  /** An entry for each stream that is being written: the wake-up calls of those who wait. */
  readonly #waiting = new Map<StreamId, (() => void)[]>()

  /** @returns when the caller has its turn: undefined for at once, false for given up on `signal` */
  enter(stream: StreamId, signal: AbortSignal | undefined): Promise<boolean> | undefined {
    const queue = this.#waiting.get(stream)
    if (queue) return waitIn(queue, signal)
    this.#waiting.set(stream, [])
    return undefined
  }

  /** Ends the turn of a caller that had one. */
  leave(stream: StreamId): void {
    const next = this.#waiting.get(stream)?.shift()
    if (next) next()
    else this.#waiting.delete(stream)
  }
}

const waitIn = (queue: (() => void)[], signal: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const wake = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve(true)
    }
    const giveUp = () => {
      queue.splice(queue.indexOf(wake), 1)
      resolve(false)
    }
    queue.push(wake)
    signal?.addEventListener('abort', giveUp, { once: true })
    if (signal?.aborted) giveUp()
  })

import type { StreamId } from '../domain/values.js'

/**
 * Lets one command of this process at a time write a stream; the others wait in the order they
 * came. It spares them lost races, and decides nothing: versions do.
 */
export class WriteQueue {
  /** An entry for each stream that is being written: the wake-up calls of those who wait, if any. */
  readonly #waiting = new Map<StreamId, (() => void)[] | undefined>()

  /**
   * Asks for a turn at all of `streams`.
   *
   * @returns when the caller has it: undefined for at once, false for given up on `signal`
   */
  enter(
    streams: readonly StreamId[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> | undefined {
    if (streams.some((stream) => this.#waiting.has(stream))) return this.#enterEach(streams, signal)
    for (const stream of streams) this.#waiting.set(stream, undefined)
    return undefined
  }

  /** Ends the turn of a caller that had one. */
  leave(streams: readonly StreamId[]): void {
    for (const stream of streams) {
      const next = this.#waiting.get(stream)?.shift()
      if (next) next()
      else this.#waiting.delete(stream)
    }
  }

  /**
   * Those who wait for several streams do so in one order, so that none wait for each other: roles
   * before their project, for which a command of a role waits after it has the role's turn.
   */
  async #enterEach(
    streams: readonly StreamId[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const entered: StreamId[] = []
    for (const stream of streams.toSorted().reverse()) {
      if (this.#waiting.has(stream) && !(await waitIn(this.#queueOf(stream), signal))) {
        this.leave(entered)
        return false
      }
      if (!this.#waiting.has(stream)) this.#waiting.set(stream, undefined)
      entered.push(stream)
    }
    return true
  }

  #queueOf(stream: StreamId): (() => void)[] {
    const queue = this.#waiting.get(stream) ?? []
    this.#waiting.set(stream, queue)
    return queue
  }
}

/**
 * After how many milliseconds without a turn for anybody the next one takes it: a runtime may have ended
 * the request that had it (workerd, when the client leaves).
 */
const LONGEST_TURN = 5_000

/** With a timer, too, so that such a runtime does not take a request that waits for one that hangs. */
const waitIn = (queue: (() => void)[], signal: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isOurs: boolean) => {
      clearInterval(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(isOurs)
    }
    const wake = () => end(true)
    const giveUp = () => {
      queue.splice(queue.indexOf(wake), 1)
      end(false)
    }
    let wasNext = false
    const timer = setInterval(() => {
      if (wasNext) queue.shift()?.()
      wasNext = queue[0] === wake
    }, LONGEST_TURN)
    queue.push(wake)
    signal?.addEventListener('abort', giveUp, { once: true })
    if (signal?.aborted) giveUp()
  })

import type { StreamId } from '../../domain/values.js'

/** A turn at one stream. */
interface Turn {
  /** The very list of streams that whoever has it asked with. */
  holder: readonly StreamId[]
  /** The wake-up calls of those who wait for it. */
  readonly waiting: (() => void)[]
}

/**
 * Lets one command of this process at a time write a stream; the others wait in the order they
 * came. It spares them lost races, and decides nothing: versions do.
 */
export class WriteQueue {
  /** An entry for each stream that somebody has a turn at. */
  readonly #turns = new Map<StreamId, Turn>()

  /**
   * Asks for a turn at all of `streams`.
   *
   * @returns when the caller has it: undefined for at once, false for given up on `signal`
   */
  enter(
    streams: readonly StreamId[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> | undefined {
    if (streams.some((stream) => this.#turns.has(stream))) return this.#enterEach(streams, signal)
    for (const stream of streams) this.#turns.set(stream, { holder: streams, waiting: [] })
    return undefined
  }

  /** Ends the turns that the caller has, who asked for them with this very list, and still has. */
  leave(streams: readonly StreamId[]): void {
    for (const stream of streams) {
      const turn = this.#turns.get(stream)
      if (turn?.holder !== streams) continue
      const next = turn.waiting.shift()
      if (next) next()
      else this.#turns.delete(stream)
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
    for (const stream of streams.toSorted().reverse()) {
      const turn = this.#turns.get(stream)
      if (turn === undefined) this.#turns.set(stream, { holder: streams, waiting: [] })
      else if (!(await waitFor(turn, streams, signal))) {
        this.leave(streams)
        return false
      }
    }
    return true
  }
}

/**
 * After how many milliseconds without a turn for anybody the next one takes it: a runtime may have ended
 * the request that had it (workerd, when the client leaves). Longer than most appends last; versions decide.
 */
const LONGEST_TURN = 40_000

/** With a timer, too, so that such a runtime does not take a request that waits for one that hangs. */
const waitFor = (
  turn: Turn,
  streams: readonly StreamId[],
  signal: AbortSignal | undefined,
): Promise<boolean> =>
  new Promise((resolve) => {
    const { waiting } = turn
    const end = (isOurs: boolean) => {
      clearInterval(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(isOurs)
    }
    const wake = () => {
      turn.holder = streams
      end(true)
    }
    const giveUp = () => {
      waiting.splice(waiting.indexOf(wake), 1)
      end(false)
    }
    let next: (() => void) | undefined
    // Whoever is next may have been ended as well, and its timer with it.
    const timer = setInterval(() => {
      if (waiting[0] === next) waiting.shift()?.()
      next = waiting[0]
    }, LONGEST_TURN)
    waiting.push(wake)
    signal?.addEventListener('abort', giveUp, { once: true })
    if (signal?.aborted) giveUp()
  })

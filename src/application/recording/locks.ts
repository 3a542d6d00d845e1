import type { StreamId } from '../../domain/values.js'
import type { Environment } from '../../ports/environment.js'
import { wakeableSleep } from '../waiting.js'

/**
 * How long, in milliseconds, others wait for a held lock before it is taken away: a runtime may have ended the
 * request that holds it (workerd, when the client leaves). Most appends take less; if not, versions decide.
 */
const LOCK_TIMEOUT_MS = 40_000

/** The locks of each stream, held or waiting, in the order of the requests. */
type Queues = Map<StreamId, Lock[]>

/**
 * Locks by stream, within one process, first come, first served. They only avoid lost races; versions decide what is
 * recorded.
 */
export class Locks {
  readonly #queues: Queues = new Map()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Asks for a lock on all of `streams` at once, so that no two locks wait for each other. */
  ask(streams: readonly StreamId[]): Lock {
    return new Lock(this.#queues, streams, this.#environment)
  }
}

/** A lock on some streams, or a place in the queue for it, until it is released. */
export class Lock {
  readonly #queues: Queues
  readonly #streams: readonly StreamId[]
  readonly #environment: Environment
  /** On how many of the streams another lock comes first. */
  #behind = 0
  #wake: (() => void) | undefined

  constructor(queues: Queues, streams: readonly StreamId[], environment: Environment) {
    this.#queues = queues
    this.#environment = environment
    this.#streams = streams
    for (const stream of streams) {
      const queue = queues.get(stream)
      if (queue === undefined) queues.set(stream, [this])
      else if (queue.push(this)) this.#behind++
    }
  }

  get isHeld(): boolean {
    return this.#behind === 0
  }

  includes(streams: readonly StreamId[]): boolean {
    return streams.every((stream) => this.#streams.includes(stream))
  }

  /** Resolves when the lock is held; false when `signal` aborts before, which releases it. */
  async wait(signal: AbortSignal | undefined): Promise<boolean> {
    const { wake, sleep } = wakeableSleep(this.#environment)
    this.#wake = wake
    const giveUp = () => {
      this.release()
      wake()
    }
    signal?.addEventListener('abort', giveUp)
    if (signal?.aborted) giveUp()
    let before: ReadonlySet<Lock> = new Set()
    // Every waiting lock has a timer: the timer of the next in the queue may have ended with its request.
    while (!(await sleep(LOCK_TIMEOUT_MS))) {
      for (const lock of this.#waitsFor()) if (before.has(lock)) lock.release()
      before = this.#waitsFor()
    }
    signal?.removeEventListener('abort', giveUp)
    return this.isHeld
  }

  /** Does nothing to a lock that was released before or taken away. */
  release(): void {
    for (const stream of this.#streams) {
      const queue = this.#queues.get(stream) ?? []
      const place = queue.indexOf(this)
      if (place >= 0) queue.splice(place, 1)
      const [next] = queue
      if (next === undefined) this.#queues.delete(stream)
      else if (place === 0) next.#moveUp()
    }
  }

  #moveUp(): void {
    if (--this.#behind === 0) this.#wake?.()
  }

  /** The locks that are held and that this one waits for, perhaps by way of others. */
  #waitsFor(): ReadonlySet<Lock> {
    const found = new Set<Lock>([this])
    // What is added during the loop is visited too, each lock once.
    for (const lock of found)
      for (const stream of lock.#streams) found.add(this.#queues.get(stream)?.[0] ?? lock)
    return new Set([...found].filter((lock) => lock.isHeld))
  }
}

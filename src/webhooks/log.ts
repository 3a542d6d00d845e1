import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Iam, KnownEvent, Position } from '../index.js'

/** A change in an organization; the history has its content. */
export interface Change {
  readonly position: Position
  readonly orgId: string
  readonly type: string
}

/** The log; read once for all endpoints that are near its head. */
export interface Log {
  /** Position of the last event that was read. */
  readonly head: () => Position
  /**
   * Id of the log: 16 hexadecimal digits of the SHA-256 of `source` and the random id of the first append. A copy of a
   * log has the same id unless its `source` differs.
   */
  readonly id: () => Promise<string>
  /** Every change after a position, in order, and then new ones, until `signal` aborts. @throws SubscriptionEnded */
  readonly changesAfter: (position: Position, signal: AbortSignal) => AsyncIterable<Change>
  /** Resolves when `signal` aborts. @throws SubscriptionEnded */
  readonly ended: Promise<void>
}

/** Changes that are kept in memory for all endpoints: at this maximum, the oldest half is dropped. */
const MAX_RECENT = 10_000

/** Most changes that are copied at once. */
const BATCH_SIZE = 500

const changeOf = ({ position, type, metadata }: KnownEvent): Change => ({
  position,
  type,
  orgId: metadata.resourceOwner,
})

/** Follows the log from `head`, the position of its last event, until `signal` aborts. */
export const followLog = (
  iam: Pick<Iam, 'subscribe'>,
  head: Position,
  { source, signal }: { readonly source: string; readonly signal: AbortSignal },
): Log => {
  let id: Promise<string> | undefined
  const findId = async (): Promise<string> => {
    try {
      for await (const { appendId } of iam.subscribe({ until: 'head', signal }))
        return shortHash(`${source} ${appendId}`)
      throw new Error('The log has no event yet')
    } catch (thrown) {
      id = undefined
      throw thrown
    }
  }

  /** Every change above `start`. */
  const recent: Change[] = []
  let start = head
  const last = () => recent.at(-1)?.position ?? start
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const each of waiting) each()
  }

  const follow = async (): Promise<void> => {
    for await (const event of iam.subscribe({ after: head, signal })) {
      recent.push(changeOf(event))
      if (recent.length > MAX_RECENT)
        start = recent.splice(0, recent.length - MAX_RECENT / 2).at(-1)?.position ?? start
      wake()
    }
  }

  const next = (position: Position, until: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (last() > position || until.aborted) return resolve()
      const end = () => {
        waiting.delete(end)
        until.removeEventListener('abort', end)
        resolve()
      }
      waiting.add(end)
      until.addEventListener('abort', end)
    })

  async function* changesAfter(after: Position, until: AbortSignal): AsyncGenerator<Change> {
    let position = after
    while (!until.aborted) {
      if (position < start) {
        // Too far behind for the changes in memory: reads the log itself up to the head.
        const missed = iam.subscribe({ after: position, until: 'head', signal: until })
        for await (const event of missed) {
          position = event.position
          yield changeOf(event)
        }
        continue
      }
      for (const change of batchAfter(recent, position)) {
        position = change.position
        yield change
      }
      await next(position, until)
    }
  }

  return { head: last, id: () => (id ??= findId()), changesAfter, ended: follow() }
}

/** The first 8 bytes of a SHA-256, in hexadecimal digits. */
const shortHash = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)).subarray(0, 8))

/** The first changes above a position; they are in order. */
const batchAfter = (changes: readonly Change[], position: Position): readonly Change[] => {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((changes[middle]?.position ?? 0n) > position) high = middle
    else low = middle + 1
  }
  return changes.slice(low, low + BATCH_SIZE)
}

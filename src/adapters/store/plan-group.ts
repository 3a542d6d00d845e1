import type { PreparedAppend } from './prepare-append.js'

/** Most appends of one group: beyond that, a group only makes each of them wait longer. */
const MAX_GROUP_APPENDS = 1000

/** Most that a group has to write, in UTF-16 units; a single append may have more. */
const MAX_GROUP_SIZE = 8 * 1024 * 1024

/** What waits to be written. */
export interface Waiting {
  readonly prepared: PreparedAppend
}

/** What is written next, and what waits on; both in the order they came. */
export interface Plan<Item> {
  readonly group: readonly Item[]
  readonly rest: Item[]
}

/**
 * Chooses appends that can be judged and written together, each as if it came alone.
 *
 * None of a group writes what another writes or guards, and no two have one idempotency key. What
 * has to wait holds back what comes later and touches the same streams, so nothing overtakes it.
 */
export const planGroup = <Item extends Waiting>(waiting: readonly Item[]): Plan<Item> => {
  if (waiting.length === 1) return { group: waiting, rest: [] }
  const group: Item[] = []
  const rest: Item[] = []
  const claims = newClaims()
  let size = 0
  let index = 0
  for (; index < waiting.length && index < 2 * MAX_GROUP_APPENDS; index++) {
    const item = waiting[index]
    if (item === undefined) break
    const isFull =
      group.length === MAX_GROUP_APPENDS ||
      (group.length > 0 && size + item.prepared.size > MAX_GROUP_SIZE)
    if (isFull) break
    if (claims.add(item.prepared)) {
      group.push(item)
      size += item.prepared.size
    } else rest.push(item)
  }
  return { group, rest: [...rest, ...waiting.slice(index)] }
}

/** The streams and keys that appends lay claim to. */
const newClaims = () => {
  const written = new Set<string>()
  const guarded = new Set<string>()
  const keys = new Set<string>()
  return {
    /** Adds those of an append; false when it may not go together with one added before. */
    add: ({ append: { writes, metadata } }: PreparedAppend): boolean => {
      const { idempotencyKey } = metadata
      let isFree = idempotencyKey === undefined || !keys.has(idempotencyKey)
      if (idempotencyKey !== undefined) keys.add(idempotencyKey)
      for (const { stream, events } of writes) {
        const isGuard = events.length === 0
        if (written.has(stream) || (!isGuard && guarded.has(stream))) isFree = false
        if (isGuard) guarded.add(stream)
        else written.add(stream)
      }
      return isFree
    },
  }
}

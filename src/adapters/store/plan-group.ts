import type { PreparedAppend } from './prepare-append.js'

/** Most appends of one group: a larger one only takes longer to answer. */
const MAX_GROUP_APPENDS = 1000

/** Most UTF-16 units of one group; a single append may have more. */
const MAX_GROUP_SIZE = 8 * 1024 * 1024

/**
 * Chooses appends that can be checked and written together, each as if it were alone. The `rest` waits for a later
 * group; both keep their order.
 *
 * No append of a group writes what another one writes or guards, and no two have the same idempotency key. A
 * later append never overtakes a waiting one with the same streams.
 */
export const planGroup = <Item extends { readonly prepared: PreparedAppend }>(
  waiting: readonly Item[],
): { readonly group: readonly Item[]; readonly rest: Item[] } => {
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

/** The streams and keys of the appends seen so far. */
const newClaims = () => {
  const written = new Set<string>()
  const guarded = new Set<string>()
  const keys = new Set<string>()
  return {
    /** Adds those of an append; false when it conflicts with one added before. */
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

import { compareCodePoints, countWhile } from '../../projections/row-order.js'

/** Values by key, in the order of the keys' code points. */
export interface SortedMap<Value> {
  size(): number
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  /** The entries from `start` on, in order, as long as their keys begin with `prefix`. Do not change the map meanwhile. */
  from(start: string, prefix?: string): Iterable<Entry<Value>>
}

interface Entry<Value> {
  readonly key: string
  value: Value
}

/** Up to this many new entries are inserted one by one; for more, all entries are sorted. */
const FEW = 100

/** Creates an empty map. It sorts new entries when `from` is called, so that `set` takes no longer than in a `Map`. */
export const sortedMap = <Value>(): SortedMap<Value> => {
  const entries = new Map<string, Entry<Value>>()
  let ordered: Entry<Value>[] = []
  /** New entries that are not in `ordered` yet. */
  let added: Entry<Value>[] = []
  let wasDeleted = false

  const placeOf = (key: string): number =>
    countWhile(ordered, (entry) => compareCodePoints(entry.key, key) < 0)

  const sortAdded = (): void => {
    const isKept = (entry: Entry<Value>) => entries.get(entry.key) === entry
    if (wasDeleted) {
      ordered = ordered.filter(isKept)
      added = added.filter(isKept)
      wasDeleted = false
    }
    if (added.length > FEW)
      ordered = ordered.concat(added).sort((one, other) => compareCodePoints(one.key, other.key))
    else for (const entry of added) ordered.splice(placeOf(entry.key), 0, entry)
    added = []
  }

  return {
    size: () => entries.size,
    get: (key) => entries.get(key)?.value,
    set: (key, value) => {
      const known = entries.get(key)
      if (known) known.value = value
      else {
        const entry = { key, value }
        entries.set(key, entry)
        added.push(entry)
      }
    },
    delete: (key) => {
      if (entries.delete(key)) wasDeleted = true
    },
    *from(start, prefix = '') {
      sortAdded()
      for (let place = placeOf(start); ; place++) {
        const entry = ordered[place]
        if (!entry?.key.startsWith(prefix)) return
        yield entry
      }
    },
  }
}

import { compareCodePoints } from '../../projections/row-order.js'

/** Values by key, in the order of the keys' code points. */
export interface SortedMap<Value> {
  size(): number
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  /** The entries from `start` on while their keys begin with `prefix`, in order. None may be added or deleted meanwhile. */
  from(start: string, prefix?: string): Iterable<Entry<Value>>
}

interface Entry<Value> {
  readonly key: string
  value: Value
}

/** Most entries of a block: those after a new one are moved. */
const MOST_ENTRIES = 1_000

/** No values yet. */
export const sortedMap = <Value>(): SortedMap<Value> => {
  const entries = new Map<string, Entry<Value>>()
  /** All entries, in order, in blocks; none is empty. */
  const blocks: Entry<Value>[][] = []

  /** Where `key` is, or would be: the block, and the place in it. */
  const placeOf = (key: string): readonly [block: number, place: number] => {
    const isBelow = (entry: Entry<Value> | undefined) =>
      entry !== undefined && compareCodePoints(entry.key, key) < 0
    const block = countWhile(blocks, (each) => isBelow(each.at(-1)))
    return [block, countWhile(blocks[block] ?? [], isBelow)]
  }

  const insert = (entry: Entry<Value>): void => {
    const [found, place] = placeOf(entry.key)
    // An entry above all others joins the last block.
    const block = blocks[found] ?? blocks.at(-1) ?? []
    block.splice(found < blocks.length ? place : block.length, 0, entry)
    if (blocks.length === 0) blocks.push(block)
    if (block.length > MOST_ENTRIES)
      blocks.splice(blocks.indexOf(block) + 1, 0, block.splice(block.length >> 1))
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
        insert(entry)
      }
    },
    delete: (key) => {
      if (!entries.delete(key)) return
      const [block, place] = placeOf(key)
      blocks[block]?.splice(place, 1)
      if (blocks[block]?.length === 0) blocks.splice(block, 1)
    },
    *from(start, prefix = '') {
      let [block, place] = placeOf(start)
      for (let each = blocks[block]; each; each = blocks[++block], place = 0)
        for (const entry of place === 0 ? each : each.slice(place)) {
          if (!entry.key.startsWith(prefix)) return
          yield entry
        }
    },
  }
}

/** How many of `items` come before the first that does not pass `test`; those that pass come first. */
export const countWhile = <Item>(items: readonly Item[], test: (item: Item) => boolean): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && test(item)) low = middle + 1
    else high = middle
  }
  return low
}

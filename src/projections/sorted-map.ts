import { compareCodePoints, countWhile } from './row-order.js'

interface Entry<Value> {
  readonly key: string
  value: Value
  part: Part<Value> | undefined
}

/** Entries between two keys. */
interface Part<Value> {
  /** The least key that belongs here. */
  readonly first: string
  entries: Entry<Value>[]
  /** No value was set later; undefined if that is unknown. */
  newest: Value | undefined
  isSorted: boolean
  hasDeleted: boolean
}

/** A part with more entries is divided. */
const MAX_ENTRIES = 1_000

/** Number of keys whose median divides a part. */
const SAMPLE = 15

/**
 * Values by key, in the order of the keys' code points. A new entry is only put into its part, and a part is sorted when it
 * is read: a page takes no longer with many entries than with few. Do not change it while you go through its entries.
 */
export class SortedMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  /** In order. Undefined for few entries until they are read. */
  #parts: Part<Value>[] | undefined

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: string, value: Value): void {
    const known = this.#entries.get(key)
    if (known) {
      known.value = value
      if (known.part) known.part.newest = value
      return
    }
    const parts = this.#entries.size < MAX_ENTRIES ? this.#parts : this.#divided()
    const index = parts ? partOf(parts, key) : 0
    const part = parts?.[index]
    const entry = { key, value, part }
    this.#entries.set(key, entry)
    if (!part) return
    part.newest = value
    part.entries.push(entry)
    part.isSorted = false
    if (part.entries.length > MAX_ENTRIES) parts.splice(index, 1, ...this.#halvesOf(part))
  }

  /** The value under `key`; made and added if it is missing. */
  getOrAdd(key: string, make: () => Value): Value {
    const known = this.#entries.get(key)
    if (known) return known.value
    const value = make()
    this.set(key, value)
    return value
  }

  delete(key: string): void {
    const isThere = this.#entries.delete(key)
    const part = this.#parts?.[partOf(this.#parts, key)]
    if (isThere && part) part.hasDeleted = true
  }

  /**
   * The entries from `start` on, in order; only the one with the key `only` if that is given.
   *
   * @param isWanted - whether a value is wanted, and with it all that were set later; entries with other values are
   * passed over, need not be sorted, and take no time where many of them lie together
   */
  *from(
    start = '',
    only?: string,
    isWanted: (value: Value) => boolean = all,
  ): Generator<Entry<Value>, undefined> {
    if (only !== undefined) {
      const entry = this.#entries.get(only)
      if (entry && isWanted(entry.value)) yield entry
      return
    }
    const parts = this.#divided()
    for (let index = partOf(parts, start); ; index++) {
      const part = parts[index]
      if (!part) return
      if (part.newest !== undefined && !isWanted(part.newest)) continue
      this.#clean(part)
      const isRead = ({ value }: Entry<Value>) => isWanted(value)
      const entries = part.isSorted ? part.entries : part.entries.filter(isRead).sort(byKey)
      part.isSorted = entries.length === part.entries.length
      if (part.isSorted) part.entries = entries
      for (let place = placeOf(entries, start); ; place++) {
        const entry = entries[place]
        if (!entry) break
        if (isWanted(entry.value)) yield entry
      }
    }
  }

  #divided(): Part<Value>[] {
    this.#parts ??= [newPart('', [...this.#entries.values()], undefined)]
    return this.#parts
  }

  #clean(part: Part<Value>): void {
    if (part.hasDeleted)
      part.entries = part.entries.filter((entry) => this.#entries.get(entry.key) === entry)
    part.hasDeleted = false
  }

  #halvesOf(part: Part<Value>): readonly Part<Value>[] {
    this.#clean(part)
    const { first, entries, newest } = part
    if (entries.length <= MAX_ENTRIES) return [part]
    const apart = Math.ceil(entries.length / SAMPLE)
    const sample = entries.filter((_, index) => index % apart === 0).sort(byKey)
    const middle = sample[sample.length >> 1]?.key ?? first
    const isLower = (entry: Entry<Value>) => compareCodePoints(entry.key, middle) < 0
    return [
      newPart(first, entries.filter(isLower), newest),
      newPart(
        middle,
        entries.filter((entry) => !isLower(entry)),
        newest,
      ),
    ]
  }
}

const all = (): boolean => true

const newPart = <Value>(
  first: string,
  entries: Entry<Value>[],
  newest: Value | undefined,
): Part<Value> => {
  const part = { first, entries, newest, isSorted: false, hasDeleted: false }
  for (const entry of entries) entry.part = part
  return part
}

const byKey = (one: Entry<unknown>, other: Entry<unknown>): number =>
  compareCodePoints(one.key, other.key)

const placeOf = (ordered: readonly Entry<unknown>[], key: string): number =>
  countWhile(ordered, (entry) => compareCodePoints(entry.key, key) < 0)

/** Index of the part that a key belongs to. */
const partOf = (parts: readonly Part<unknown>[], key: string): number =>
  Math.max(0, countWhile(parts, ({ first }) => compareCodePoints(first, key) <= 0) - 1)

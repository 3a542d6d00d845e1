import { compareCodePoints, countWhile } from './row-order.js'

interface Entry<Value> {
  readonly key: string
  value: Value
}

/** Up to this many new entries are inserted one by one; for more, all entries are sorted. */
const FEW = 100

/**
 * Values by key, in the order of the keys' code points. New entries are sorted when the map is read, so that `set` takes no
 * longer than in a `Map`. Do not change it while you go through its entries.
 */
export class SortedMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  /** Undefined until the map is read. */
  #ordered: Entry<Value>[] | undefined
  /** New entries that are not in `#ordered` yet. */
  #added: Entry<Value>[] = []
  #wasDeleted = false

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: string, value: Value): void {
    const known = this.#entries.get(key)
    if (known) known.value = value
    else {
      const entry = { key, value }
      this.#entries.set(key, entry)
      if (this.#ordered) this.#added.push(entry)
    }
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
    if (this.#entries.delete(key)) this.#wasDeleted = true
  }

  /** All entries, in order. */
  all(): readonly Entry<Value>[] {
    this.#ordered = this.#inOrder()
    this.#added = []
    this.#wasDeleted = false
    return this.#ordered
  }

  /** The entries from `start` on, in order; only the one with the key `only` if that is given. */
  *from(start = '', only?: string): Generator<Entry<Value>, undefined> {
    if (only !== undefined) {
      const entry = this.#entries.get(only)
      if (entry) yield entry
      return
    }
    const ordered = this.all()
    for (let place = start === '' ? 0 : placeOf(ordered, start); ; place++) {
      const entry = ordered[place]
      if (entry === undefined) return
      yield entry
    }
  }

  #inOrder(): Entry<Value>[] {
    const isCurrent = (entry: Entry<Value>) => this.#entries.get(entry.key) === entry
    let ordered = this.#ordered
    let added = this.#added
    if (!ordered) return [...this.#entries.values()].sort(byKey)
    if (this.#wasDeleted) {
      ordered = ordered.filter(isCurrent)
      added = added.filter(isCurrent)
    }
    if (added.length > FEW) return ordered.concat(added).sort(byKey)
    for (const entry of added) ordered.splice(placeOf(ordered, entry.key), 0, entry)
    return ordered
  }
}

const byKey = (one: Entry<unknown>, other: Entry<unknown>): number =>
  compareCodePoints(one.key, other.key)

const placeOf = (ordered: readonly Entry<unknown>[], key: string): number =>
  countWhile(ordered, (entry) => compareCodePoints(entry.key, key) < 0)

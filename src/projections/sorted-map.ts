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
  #ordered: Entry<Value>[] = []
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
      this.#added.push(entry)
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
    this.#sortAdded()
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
    for (let place = start === '' ? 0 : this.#placeOf(start); ; place++) {
      const entry = ordered[place]
      if (entry === undefined) return
      yield entry
    }
  }

  #placeOf(key: string): number {
    return countWhile(this.#ordered, (entry) => compareCodePoints(entry.key, key) < 0)
  }

  #sortAdded(): void {
    const isKept = (entry: Entry<Value>) => this.#entries.get(entry.key) === entry
    if (this.#wasDeleted) {
      this.#ordered = this.#ordered.filter(isKept)
      this.#added = this.#added.filter(isKept)
      this.#wasDeleted = false
    }
    if (this.#added.length > FEW)
      this.#ordered = this.#ordered
        .concat(this.#added)
        .sort((one, other) => compareCodePoints(one.key, other.key))
    else for (const entry of this.#added) this.#ordered.splice(this.#placeOf(entry.key), 0, entry)
    this.#added = []
  }
}

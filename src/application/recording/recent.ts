/**
 * A map of bounded size that keeps what was lately used, in two generations. When the young one takes half of all
 * bytes, it becomes the old one, and the old one is dropped. What is used moves to the young one.
 */
export class Recent<Key, Value> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #bytes = 0
  readonly #maxBytes: number
  readonly #bytesOf: (value: Value) => number

  /** @param bytesOf - about how many bytes a value takes */
  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes
    this.#bytesOf = bytesOf
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    this.#young.set(key, value)
    // A value that replaces another counts again: it only makes the young generation end earlier.
    this.#bytes += this.#bytesOf(value)
    if (this.#bytes <= this.#maxBytes / 2) return
    this.#old = this.#young
    this.#young = new Map()
    this.#bytes = 0
  }
}

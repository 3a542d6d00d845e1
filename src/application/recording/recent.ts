/**
 * A map of bounded size that keeps what was lately used: a young and an old generation; when the
 * young one is full it becomes the old one, and what nobody asked for since is gone.
 */
export class Recent<Key, Value> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  readonly #generationSize: number

  constructor(generationSize: number) {
    this.#generationSize = generationSize
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#generationSize && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}

/** First length of the array of slots. */
const FIRST_LENGTH = 192

/** Numbers of a slot: user, scope and value. */
const WIDTH = 3

/** The user of a slot that was never used, and of one whose value was deleted. */
const UNUSED = 0
const DELETED = -1

/**
 * A value for each user and scope, such as the roles that a user holds of a project. Three numbers of four bytes in one
 * array with open addressing name the user, the scope and the value. A user without a value, and a value without a
 * user, lose their number. Users share a value that has a key.
 */
export class HeldByUser<Value> {
  readonly #users = new Numbers()
  readonly #numbers = new Numbers()
  readonly #values: (Value | undefined)[] = [undefined]
  readonly #groups: number[] = []
  /** How many values the scopes of each group have; undefined once the group has ended. */
  readonly #sizes: (number | undefined)[] = []
  #slots = new Int32Array(FIRST_LENGTH)
  /** Slots that were used since the array was made. */
  #used = 0
  /** Slots with a value of a group that has not ended. */
  #size = 0

  /** Returns the number of a new group of scopes, which end together. */
  newGroup(): number {
    return this.#sizes.push(0) - 1
  }

  newScope(group: number): number {
    return this.#groups.push(group) - 1
  }

  /** Forgets all values of a group at once. Their memory is free when the array is next made. */
  end(group: number): void {
    this.#size -= this.#sizes[group] ?? 0
    this.#sizes[group] = undefined
  }

  get(userId: string, scope: number): Value | undefined {
    const user = this.#users.numberOf(userId)
    if (user === undefined) return undefined
    return this.#values[this.#slots[this.#slotOf(user, scope) + 2] ?? 0]
  }

  /**
   * Replaces the value of a user.
   *
   * @param key - users share the value that was first made for it; undefined for a value of this user alone
   */
  set(userId: string, scope: number, key: string | undefined, make: () => Value): void {
    // Three quarters of the slots.
    if ((this.#used + 1) * 4 > this.#slots.length) this.#remake()
    const user = this.#users.take(userId)
    const value = this.#numbers.take(key)
    this.#values[value] ??= make()
    const slot = this.#slotOf(user, scope)
    if (this.#slots[slot] === user) {
      this.#users.release(user)
      this.#release(this.#slots[slot + 2] ?? 0)
    } else {
      this.#used++
      this.#count(scope, 1)
    }
    this.#fill(slot, user, scope, value)
  }

  delete(userId: string, scope: number): void {
    const user = this.#users.numberOf(userId)
    if (user === undefined) return
    const slot = this.#slotOf(user, scope)
    if (this.#slots[slot] !== user) return
    this.#users.release(user)
    this.#release(this.#slots[slot + 2] ?? 0)
    this.#fill(slot, DELETED, 0, 0)
    this.#count(scope, -1)
  }

  #release(value: number): void {
    if (this.#numbers.release(value)) this.#values[value] = undefined
  }

  /** @throws Error when the scope has ended */
  #count(scope: number, difference: number): void {
    const group = this.#groups[scope] ?? -1
    const size = this.#sizes[group]
    if (size === undefined) throw new Error('Nobody holds anything in a scope that has ended')
    this.#sizes[group] = size + difference
    this.#size += difference
  }

  #fill(slot: number, user: number, scope: number, value: number): void {
    this.#slots[slot] = user
    this.#slots[slot + 1] = scope
    this.#slots[slot + 2] = value
  }

  /** The slot of a user and a scope, or the unused one where it belongs. */
  #slotOf(user: number, scope: number): number {
    const slots = this.#slots
    const length = slots.length
    let hash = Math.imul(user, 0x9e3779b1) ^ Math.imul(scope + 1, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    // The length is 3 times a power of 2.
    let slot = ((hash ^ (hash >>> 13)) & (length / WIDTH - 1)) * WIDTH
    for (;;) {
      const found = slots[slot]
      if (found === UNUSED || (found === user && slots[slot + 1] === scope)) return slot
      slot += WIDTH
      if (slot === length) slot = 0
    }
  }

  /** Makes a new array, without values that were deleted or whose group has ended. */
  #remake(): void {
    const before = this.#slots
    let length = FIRST_LENGTH
    while (length < this.#size * 2 * WIDTH) length *= 2
    this.#slots = new Int32Array(length)
    this.#used = this.#size
    for (let from = 0; from < before.length; from += WIDTH) {
      const [user = UNUSED, scope = 0, value = 0] = before.subarray(from, from + WIDTH)
      if (user === UNUSED || user === DELETED) continue
      if (this.#sizes[this.#groups[scope] ?? -1] === undefined) {
        this.#users.release(user)
        this.#release(value)
      } else this.#fill(this.#slotOf(user, scope), user, scope, value)
    }
  }
}

/** Numbers from 1 on, and how often each is used. One that is not used any more is given again. */
class Numbers {
  readonly #byKey = new Map<string, number>()
  readonly #keys: (string | undefined)[] = [undefined]
  readonly #uses: number[] = [0]
  readonly #free: number[] = []

  numberOf(key: string): number | undefined {
    return this.#byKey.get(key)
  }

  /** The number of that key, or a new one, which is used once more. */
  take(key: string | undefined): number {
    const known = key === undefined ? undefined : this.#byKey.get(key)
    const number = known ?? this.#free.pop() ?? this.#keys.length
    if (known === undefined) {
      if (key !== undefined) this.#byKey.set(key, number)
      this.#keys[number] = key
    }
    this.#uses[number] = (this.#uses[number] ?? 0) + 1
    return number
  }

  /** A number is used once less. Returns whether that was the last time. */
  release(number: number): boolean {
    const uses = (this.#uses[number] ?? 0) - 1
    this.#uses[number] = uses
    if (uses > 0) return false
    const key = this.#keys[number]
    if (key !== undefined) this.#byKey.delete(key)
    this.#keys[number] = undefined
    this.#free.push(number)
    return true
  }
}

import type { Authorize } from './authorize.js'
import type { DomainOptions } from './domain-options.js'
import type { EventStore } from './event-store.js'
import type { ReadModel } from './read-model.js'
import type { SecretCipher } from './secret-cipher.js'

/** Everything the library needs from the program it is embedded in. */
export interface Host {
  readonly store: EventStore
  readonly readModel: ReadModel
  readonly secrets: SecretCipher
  readonly authorize: Authorize
  /** Makes a new ULID; rising within a process. */
  readonly newId: () => string
  /** The time of day, by which roles expire. */
  readonly now: () => Date
  readonly domains: DomainOptions
}

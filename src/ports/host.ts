import type { Permission, PermissionTarget } from '../domain/values.js'
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

/** The requesting user, as the host authenticated them. */
export interface Caller {
  /** 1 to 200 characters. Stays in the log for ever: best an opaque id. */
  readonly userId: string
  /**
   * The organization of the user: 1 to 64 letters of ASCII, digits or any of `. _ : @ ~ -`, starting with
   * a letter or digit.
   */
  readonly orgId: string
  /**
   * What the user may do in their own organization, for `permissionsFromCaller`, which accepts a list alone:
   * anything else allows nothing, nor does an item that is no permission.
   */
  readonly permissions?: readonly Permission[] | undefined
  /** What the user may do in other organizations: such a list by their ids. */
  readonly permissionsIn?: Readonly<Record<string, readonly Permission[]>> | undefined
}

/** May `caller` use `permission` in the organization, or on the one object? */
export interface PermissionQuestion {
  /** Who asks. */
  readonly caller: Caller
  /** What they want to use. */
  readonly permission: Permission
  /** The organization whose objects are concerned. */
  readonly orgId: string
  /**
   * For a role, its project; for a list of roles, their project; for the history of one object, that object.
   * Absent when the question is about the whole organization, as for other lists.
   */
  readonly object?: PermissionTarget
}

/** The host's answer; anything but `true` is no. */
export type Authorize = (question: PermissionQuestion) => boolean | Promise<boolean>

/** What the host knows of domains. The list of public suffixes is larger than this library, and changes. */
export interface DomainOptions {
  /**
   * Finds the TXT records at a name, each as the list of its texts, like `resolveTxt` of `node:dns/promises`. An error
   * with the code `ENODATA` or `ENOTFOUND` means that there are none; any other is `Unavailable`, as is no answer
   * within five seconds. When absent, `iam.domains.verify` is refused as `NotConfigured`.
   */
  readonly resolveTxt?: ((name: string) => Promise<readonly (readonly string[])[]>) | undefined
  /**
   * Whether everybody may register names under a domain, such as `com` or `co.uk`; it is in ASCII and lower case, and
   * has at least two labels. When absent, `iam.domains.add` is refused as `NotConfigured`.
   */
  readonly isPublicSuffix?: ((domain: string) => boolean) | undefined
}

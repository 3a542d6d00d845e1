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
  /** Makes a new ULID; they rise within a process. */
  readonly newId: () => string
  /** The current time, for the expiry of roles. */
  readonly now: () => Date
  readonly domains: DomainOptions
}

/** The requesting user, as the host authenticated them. */
export interface Caller {
  /** 1 to 200 characters. Stays in the log for ever, so prefer an opaque id. */
  readonly userId: string
  /**
   * The organization of the user: 1 to 64 letters of ASCII, digits or any of `. _ : @ ~ -`, starting with
   * a letter or digit.
   */
  readonly orgId: string
  /**
   * What the user may do in their own organization, for `permissionsFromCaller`. Anything but a list allows nothing;
   * unknown items are ignored.
   */
  readonly permissions?: readonly Permission[] | undefined
  /** What the user may do in other organizations, by organization id. */
  readonly permissionsIn?: Readonly<Record<string, readonly Permission[]>> | undefined
}

/** May `caller` use `permission` in the organization, or on the one object? */
export interface PermissionQuestion {
  /** Who asks. */
  readonly caller: Caller
  /** The permission they need. */
  readonly permission: Permission
  /** The organization that owns the objects. */
  readonly orgId: string
  /**
   * For a role or a list of roles, the project; for the history of one object, that object. Absent for the whole
   * organization, as for other lists.
   */
  readonly object?: PermissionTarget
}

/** The host's answer; only `true` allows. */
export type Authorize = (question: PermissionQuestion) => boolean | Promise<boolean>

/** What the host knows about domains. The list of public suffixes is larger than this library, and changes. */
export interface DomainOptions {
  /**
   * Finds the TXT records at a name, each as a list of texts, like `resolveTxt` of `node:dns/promises`. An error
   * with the code `ENODATA` or `ENOTFOUND` means that there are none; any other error, or no answer within five
   * seconds, is `Unavailable`. When absent, `iam.domains.verify` is refused as `NotConfigured`.
   */
  readonly resolveTxt?: ((name: string) => Promise<readonly (readonly string[])[]>) | undefined
  /**
   * Whether everybody may register names under `domain`, as under `com` or `co.uk`. It is in ASCII and lower case, and
   * has at least two labels. When absent, `iam.domains.add` is refused as `NotConfigured`.
   */
  readonly isPublicSuffix?: ((domain: string) => boolean) | undefined
}

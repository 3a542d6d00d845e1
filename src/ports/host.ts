import type { Permission, PermissionTarget } from '../domain/values.js'
import type { Environment } from './environment.js'
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
  readonly environment: Environment
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
   * What the question is about; absent for the whole organization, as for lists. A write of one role is about that
   * `project_role`. A read of roles is about their project, and so are writes of many, with `addMany`, `import` or
   * `apply`: the answer holds for all roles of the project. The history of an object is about that object.
   */
  readonly object?: PermissionTarget
  /**
   * Only for `user.grant.write` and `project.grant.write` where roles are given or taken: keys of the roles of the
   * project that `object` names. All must be allowed. A write whose input does not name every role that changes is asked
   * about twice: with no keys before it is decided, and with those that change before it is recorded.
   */
  readonly roleKeys?: readonly string[]
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

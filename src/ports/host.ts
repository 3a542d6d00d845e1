import type { Permission, PermissionTarget } from '../domain/values.js'
import type { Environment } from './environment.js'
import type { EventStore } from './event-store.js'
import type { ReadModel } from './read-model.js'
import type { SecretCipher } from './secret-cipher.js'

/** Everything that the library needs from its host program. */
export interface Host {
  readonly store: EventStore
  readonly readModel: ReadModel
  /** Makes an empty read model, which answers strong reads while `readModel` cannot be written. */
  readonly spareReadModel?: (() => ReadModel) | undefined
  readonly secrets: SecretCipher
  readonly authorize: Authorize
  /** Makes a new ULID; they rise within a process. */
  readonly newId: () => string
  /** The current time, for the expiry of roles. */
  readonly now: () => Date
  readonly domains: DomainOptions
  /** Time and chance for everything else: pauses, deadlines, measurements. */
  readonly environment: Environment
}

/** The requesting user, as the host authenticated them. */
export interface Caller {
  /** 1 to 200 characters. It stays in the log forever, so prefer an opaque id. */
  readonly userId: string
  /**
   * The organization of the user: 1 to 64 ASCII letters, digits or any of `. _ : @ ~ -`, starting with a letter or
   * digit.
   */
  readonly orgId: string
  /**
   * Permissions of the user in their own organization, for `permissionsFromCaller`. A value that is not a list allows
   * nothing; unknown items are ignored.
   */
  readonly permissions?: readonly Permission[] | undefined
  /** Permissions of the user in other organizations, by organization id. */
  readonly permissionsIn?: Readonly<Record<string, readonly Permission[]>> | undefined
}

/** A question to `authorize`: may `caller` use `permission` in the organization, or on one object? */
export interface PermissionQuestion {
  /** The caller of the method. */
  readonly caller: Caller
  /** The permission that the caller needs. */
  readonly permission: Permission
  /** The organization that owns the objects. */
  readonly orgId: string
  /**
   * The object of the question; absent for the whole organization, as for lists. For a write of one role it is the
   * `project_role`. For reads of roles, and for `addMany`, `import` and `apply`, it is the project: the answer applies
   * to all its roles. For the history of an object it is that object.
   */
  readonly object?: PermissionTarget
  /**
   * Only for `user.grant.write`, `project.grant.write` and `role_mapping.write`, when roles are given or revoked: their
   * keys in the project that `object` is or names. Answer `true` only if all are allowed. For a write whose input does not name every role that changes,
   * `authorize` is called twice: without keys before the decision, and with the changed keys before recording.
   */
  readonly roleKeys?: readonly string[]
}

/** Decides whether a call is allowed; only the answer `true` allows it. */
export type Authorize = (question: PermissionQuestion) => boolean | Promise<boolean>

/** Functions of the host that `iam.domains` needs. The library does not contain a list of public suffixes. */
export interface DomainOptions {
  /**
   * Resolves the TXT records of a name, each as a list of texts, like `resolveTxt` of `node:dns/promises`. An error
   * with the code `ENODATA` or `ENOTFOUND` means that there are no records; any other error, or no answer within five
   * seconds, becomes `Unavailable`. Without this option `iam.domains.verify` is refused as `NotConfigured`.
   */
  readonly resolveTxt?: ((name: string) => Promise<readonly (readonly string[])[]>) | undefined
  /**
   * Returns whether anybody may register names under `domain`, as under `com` or `co.uk`. `domain` is in ASCII and
   * lower case and has at least two labels. Without this option `iam.domains.add` is refused as `NotConfigured`.
   */
  readonly isPublicSuffix?: ((domain: string) => boolean) | undefined
}

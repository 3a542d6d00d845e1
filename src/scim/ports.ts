import type { JsonObject } from '../handlers/body.js'
import type { Caller } from '../index.js'

/** An identity provider of an organization. */
export interface ScimDirectory {
  /** The organization. */
  readonly orgId: string
  /** The `idpId` of the provider. */
  readonly idpId: string
}

/** The provider that a request belongs to, as its bearer token says. */
export interface ScimPlace extends ScimDirectory {
  /**
   * Calls claviger for the provider. Needs `membership.read` and `membership.write`; for leavers also `user.grant.read`
   * and `user.grant.write`; `role_mapping.read` if users also have groups from sign-in.
   */
  readonly caller: Caller
  /**
   * The attribute of a group that role mappings name. Choose the one that sign-in reports: `externalId`, the object id,
   * for Entra ID. Default: `displayName`.
   */
  readonly groupName?: 'displayName' | 'externalId' | undefined
  /** Whether changes are refused with 403, such as while the provider is inactive. Default: false. */
  readonly readOnly?: boolean | undefined
}

/** A user as a directory sends it: any attributes of RFC 7643. */
export interface ScimUser extends JsonObject {
  /** Unique in the organization, ignoring case. */
  readonly userName: string
  /** The id of the user in the directory. */
  readonly externalId?: string
  /** Default: true. */
  readonly active?: boolean
}

/** A user of the host. */
export interface FoundScimUser extends ScimUser {
  /** The `userId` that grants and memberships use. */
  readonly id: string
}

/**
 * The users of the host. Every function gets the provider and must answer for its users alone, never for users of other
 * organizations. The directory receives every attribute of an answer. Anything thrown becomes a 500.
 */
export interface ScimUsers {
  /** Returns the user with this `userName` (ignoring case) or `externalId`; undefined for an unknown one. */
  readonly find: (
    by: {
      /** The name that the directory uses, often an e-mail address. */
      readonly userName?: string
      /** The id of the user in the directory. */
      readonly externalId?: string
    },
    place: ScimPlace,
  ) => MaybePromise<FoundScimUser | undefined>
  /** Returns the user with this id; undefined for an unknown one. */
  readonly get: (id: string, place: ScimPlace) => MaybePromise<FoundScimUser | undefined>
  /** Creates a user whom `find` does not know, and returns it. Absent: `POST /Users` creates nobody. */
  readonly create?: ((user: ScimUser, place: ScimPlace) => MaybePromise<FoundScimUser>) | undefined
  /** Stores all attributes of a user. Absent: attributes other than `active` are ignored. */
  readonly update?: ((id: string, user: ScimUser, place: ScimPlace) => unknown) | undefined
}

type MaybePromise<Value> = Value | Promise<Value>

/** A stored record. */
export interface StoredScimRecord {
  /** JSON. */
  readonly value: string
  /** Number of writes; the first is 1. */
  readonly version: number
}

/**
 * Stores what providers have pushed: a record for each group and for each user. Nothing is removed, so that an id names
 * one group forever. When you remove a provider, its records can go.
 */
export interface ScimRecords {
  /** Returns a record; undefined before its first write. */
  readonly read: (
    directory: ScimDirectory,
    key: string,
  ) => MaybePromise<StoredScimRecord | undefined>
  /**
   * Replaces the record that has this version (0: adds it), and raises the version by one.
   *
   * @returns false, with nothing changed, if the record has another version
   */
  readonly write: (
    directory: ScimDirectory,
    key: string,
    record: StoredScimRecord,
  ) => MaybePromise<boolean>
  /** Returns all records whose key begins with `prefix`, in any order. */
  readonly list: (
    directory: ScimDirectory,
    prefix: string,
  ) => MaybePromise<readonly (readonly [key: string, record: StoredScimRecord])[]>
}

/** Records in memory, for one process and until it ends. */
export const memoryScimRecords = (): ScimRecords => {
  const records = new Map<string, StoredScimRecord>()
  const nameOf = ({ orgId, idpId }: ScimDirectory) => JSON.stringify([orgId, idpId])
  return {
    read: (directory, key) => records.get(nameOf(directory) + key),
    write: (directory, key, { value, version }) => {
      const name = nameOf(directory) + key
      if ((records.get(name)?.version ?? 0) !== version) return false
      records.set(name, { value, version: version + 1 })
      return true
    },
    list: (directory, prefix) => {
      const name = nameOf(directory)
      return [...records]
        .filter(([key]) => key.startsWith(name + prefix))
        .map(([key, record]) => [key.slice(name.length), record] as const)
    },
  }
}

import type { Views } from '../domain/aggregates.js'
import type { ObjectRef } from '../domain/values.js'
import type {
  AccessQuery,
  AccessReads,
  Affected,
  AffectedQuery,
  FoundAccess,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  MappedGroup,
  MappedGroupsQuery,
  Slice,
  UserRoles,
  UsersQuery,
} from './access-reads.js'
import type { Actor, EventStore, Position, RecordedEvent } from './event-store.js'
import type { Projection } from './projection.js'

// A part of the port: what its reads return.
export type { Views }

/** Where a user of a domain signs in. */
export interface SignInRoute {
  /** The organization that has verified the domain. */
  readonly orgId: string
  /** The active provider that it has set for the domain. */
  readonly idpId: string
}

/** A type of object that can be read. */
export type ViewType = keyof Views

/** Names an object of one type. */
export type RefOf<Type extends ViewType> = Extract<
  ObjectRef,
  {
    /** Type of the object. */
    readonly type: Type
  }
>

/** A value that rows are sorted by: text by code point, false before true, numbers by size. */
export type SortValue = string | boolean | Position

/** One condition on one field. Text compares code point by code point. */
export interface Condition {
  /**
   * A text field of the view, or `state`. `roleKey` matches a grant if any of its roles matches, `permission` a role if
   * any of its permissions matches.
   */
  readonly field: string
  /** Whether the text equals the value, begins with it, or contains it. */
  readonly operator: 'equals' | 'startsWith' | 'contains'
  /** The text that it is compared with; may be empty. */
  readonly value: string
  /**
   * Converts both sides to lower case and then to upper case, by the rules of Unicode and not of a
   * language.
   */
  readonly ignoreCase: boolean
}

/** One field of a sort order; the next one decides between equal rows. */
export interface SortKey {
  /** A field of the view that is not a list, or `sequence`, `creationDate` or `changeDate` of `details`. */
  readonly field: string
  /** Ascending or descending. */
  readonly direction: 'asc' | 'desc'
}

/** A page of one organization's objects, or of the objects in one of its projects. */
export interface ListQuery<Type extends ViewType> {
  /** The type of the objects. */
  readonly type: Type
  /** The organization that owns them. */
  readonly orgId: string
  /** Only for roles and grants of projects: the project. */
  readonly projectId?: string
  /**
   * Only for grants of projects, instead of `projectId`: the grants that `orgId` received from all organizations. Their
   * order ends with `projectOrgId` and `projectId`.
   */
  readonly isReceived?: true
  /** All must hold. */
  readonly conditions: readonly Condition[]
  /**
   * A total order: it ends with the object's id or key, so that no two rows are equal. User grants end with the field
   * `key`, which sorts by `projectOrgId`, `projectId` and `userId`.
   */
  readonly sort: readonly SortKey[]
  /** The page begins after the row with these values of the `sort` fields. */
  readonly after?: readonly SortValue[]
  /** 1 to 1000 rows. */
  readonly limit: number
}

/** Most rows that a list counts, because in a large organization a full count would take longer than the page. */
export const MAX_TOTAL_SIZE = 10_000

/** The result of a {@link ListQuery}, read at one moment. */
export interface Listing<Row> {
  /** The page, in the order of `sort`. */
  readonly items: readonly Row[]
  /** Whether rows follow the last of `items`. */
  readonly hasMore: boolean
  /** Number of rows on all pages that meet the conditions; at most 10,000. */
  readonly totalSize: number
  /** True when more than `totalSize` rows meet the conditions; absent otherwise. */
  readonly totalSizeCapped?: true
  /** The checkpoint of the read model when the rows were read. */
  readonly sequence: Position
}

/**
 * How one event changed one field, except ids, keys and `details`. An event that adds an object changes all fields from
 * undefined, except the permissions of a role without any. An event that removes an object changes `state` to
 * `removed`. An event that encrypts a secret again changes none.
 */
export type FieldChange =
  | {
      /** Name of the field; also `state` when the object was added or removed. */
      readonly field: string
      /** The value before; undefined when the object did not exist. */
      readonly from: unknown
      /** The value after. */
      readonly to: unknown
    }
  | {
      /** `clientSecret`. */
      readonly field: string
      /** Values of a secret are never shown. */
      readonly changed: true
    }

/** One change in the history: actor, time, object and changed fields. */
export interface HistoryEntry {
  /** Position of the event. */
  readonly sequence: Position
  /** When it was recorded, to the millisecond. */
  readonly time: Date
  /** The user who acted. */
  readonly actor: Actor
  /** Event type. */
  readonly type: string
  /** The object that changed; in the history of a role, the removal of its project names the project. */
  readonly object: ObjectRef
  /** The fields whose values differ. */
  readonly changes: readonly FieldChange[]
  /** The `correlationId` of the context, if any. */
  readonly correlationId?: string
  /** The `reason` of the context, if any. */
  readonly reason?: string
}

/**
 * A page of the history of one organization or of one of its objects. All conditions must hold, so a read model must
 * not ignore an optional field.
 */
export interface HistoryQuery {
  /** The organization that owns the objects. */
  readonly orgId: string
  /**
   * One object. Default: all objects. The history of a role also has the entry `project.removed` of its project, if the
   * role existed then.
   */
  readonly object?: ObjectRef
  /** Only with a project as `object`: also the entries of all its roles, including removed ones. */
  readonly including?: 'roles'
  /** Never with `object`: the entries of all grants of roles to this user of the organization, and of the user's memberships. */
  readonly user?: string
  /**
   * Never with `object`: the entries of a project of any organization, its roles and grants, and the mappings to its
   * roles. With `user`, only the grants of the user in it.
   */
  readonly project?: {
    /** The organization that owns the project. */
    readonly projectOrgId: string
    /** The `id` of the project. */
    readonly projectId: string
  }
  /** `userId` of who acted. */
  readonly actor?: string
  /** Only entries with one of these event types. */
  readonly types?: readonly string[]
  /** Exclusive lower bound: any integer, even below 0 or of more than 64 bits. */
  readonly after: Position
  /** Exclusive upper bound: any integer. Default: no bound. */
  readonly before?: Position
  /** `asc` (default): oldest first. `desc`: newest first, from below `before`. */
  readonly order?: 'asc' | 'desc'
  /** Most entries to return; at least 1. */
  readonly limit: number
}

/**
 * The views that the library reads, stored by the host. Each result is of one moment, at or after the checkpoint of the
 * call; changing a returned value changes nothing stored. `apply` rejects an event of an unknown type and then applies
 * nothing. Run `readModelLaws` of `claviger/laws` against your implementation.
 */
export interface ReadModel extends Projection, AccessReads {
  /** Returns the object, or undefined. A role is not found once its project is removed. */
  get<Type extends ViewType>(orgId: string, ref: RefOf<Type>): Promise<Views[Type] | undefined>

  /**
   * Returns a page of objects. Roles of a removed project are not listed. Rejects a query by a field that lists cannot
   * filter or sort by.
   */
  list<Type extends ViewType>(query: ListQuery<Type>): Promise<Listing<Views[Type]>>

  /**
   * Returns the organization that has verified a domain (in ASCII and lower case) and the provider that it has set;
   * undefined without either, or if the provider is inactive or removed.
   */
  route(domain: string): Promise<SignInRoute | undefined>

  /** Returns a page of history, including the history of removed objects. */
  history(query: HistoryQuery): Promise<readonly HistoryEntry[]>

  /**
   * Only for a read model in the same database as `store`: returns reads that check in the same query whether they are
   * up to date. Undefined for any other pair of a store and a read model, including copies of these objects.
   */
  readAtHead?(pair: {
    /** The store that events are read from. */
    readonly store: EventStore
    /** The read model that is queried. */
    readonly readModel: ReadModel
  }): ReadAtHead | undefined

  /**
   * Only beside `readAtHead`: applies the events that this process has recorded, without reading the log, if nothing else
   * was recorded after the checkpoint. Strong reads call it first.
   *
   * @returns the events that it applied; none when there are none, or when the read has to catch up as usual
   */
  applyOwn?(): Promise<readonly RecordedEvent[]>
}

/** Reads like the {@link ReadModel}, and returns how up to date the result is. */
export type ReadAtHead = <Method extends ReadMethod, Type extends ViewType>(
  query: ReadQuery<Method, Type>,
) => Promise<FoundAtHead<ReadResults<Type>[Method]>>

/** A method of a {@link ReadModel} that reads. */
export type ReadMethod = keyof ReadArguments<ViewType>

/** A read as data: a method of a {@link ReadModel} and its arguments. */
export type ReadQuery<Method extends ReadMethod = ReadMethod, Type extends ViewType = ViewType> = {
  readonly [Each in Method]: {
    /** The method that reads. */
    readonly method: Each
    /** Its arguments. */
    readonly args: ReadArguments<Type>[Each]
  }
}[Method]

/** Arguments of the {@link ReadModel}'s methods that read. */
export interface ReadArguments<Type extends ViewType> {
  /** The organization, and the object in it. */
  readonly get: readonly [orgId: string, ref: RefOf<Type>]
  /** The page of objects. */
  readonly list: readonly [query: ListQuery<Type>]
  /** The user and the project. */
  readonly access: readonly [query: AccessQuery]
  /** The page of a user's roles. */
  readonly heldRoles: readonly [query: HeldRolesQuery]
  /** The page of holders of a project's roles. */
  readonly holders: readonly [query: HoldersQuery]
  /** The page of an organization's users. */
  readonly users: readonly [query: UsersQuery]
  /** The roles that a change affects. */
  readonly affected: readonly [query: AffectedQuery]
  /** The groups of a provider. */
  readonly mappedGroups: readonly [query: MappedGroupsQuery]
  /** The domain, in ASCII and lower case. */
  readonly route: readonly [domain: string]
  /** The page of history. */
  readonly history: readonly [query: HistoryQuery]
}

/** Results of the {@link ReadModel}'s methods that read. */
export interface ReadResults<Type extends ViewType> {
  /** The object; undefined when it does not exist. */
  readonly get: Views[Type] | undefined
  /** The page of objects. */
  readonly list: Listing<Views[Type]>
  /** Everything that decides whether a role counts. */
  readonly access: FoundAccess
  /** The page of roles. */
  readonly heldRoles: Slice<HeldRole>
  /** The page of users. */
  readonly holders: Slice<Holder>
  /** The page of users. */
  readonly users: Slice<UserRoles>
  /** The roles that a change affects. */
  readonly affected: Affected
  /** The mappings of the groups. */
  readonly mappedGroups: readonly MappedGroup[]
  /** Where users of the domain sign in; undefined without a route. */
  readonly route: SignInRoute | undefined
  /** The page of history. */
  readonly history: readonly HistoryEntry[]
}

/** The methods of a {@link ReadModel} that read, by name: a {@link ReadQuery} calls one of them. */
export type ReadMethods<Type extends ViewType> = {
  readonly [Method in ReadMethod]: (
    ...args: ReadArguments<Type>[Method]
  ) => Promise<ReadResults<Type>[Method]>
}

/** The result of a read, of one moment. */
export interface FoundAtHead<Found> {
  /** The read model's result. */
  readonly found: Found
  /** Position of the store's last event; `0n` for an empty store. */
  readonly head: Position
  /** The checkpoint of the read model. The result is up to date unless this is below `head`. */
  readonly reached: Position
}

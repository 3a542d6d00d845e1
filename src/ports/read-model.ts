import type { OidcConfig, ProviderAppearance } from '../domain/identity-provider/commands.js'
import type { ProjectSettings } from '../domain/project/commands.js'
import type { ProjectRoleDisplay } from '../domain/project-role/commands.js'
import type { SetupIntent } from '../domain/setup-link/events.js'
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
} from './access-reads.js'
import type { Actor, EventStore, Position } from './event-store.js'
import type { Projection } from './projection.js'

/** Owner of an object, its times, and its place in the log. */
export interface ObjectDetails {
  /** Position of the last event of the object. */
  readonly sequence: Position
  /** Time of the first event of the object. */
  readonly creationDate: Date
  /** Time of the last event of the object. */
  readonly changeDate: Date
  /** Organization the object belongs to. */
  readonly resourceOwner: string
}

/** An identity provider as it is read; never with its secret. */
export interface IdentityProvider extends ProviderAppearance, OidcConfig {
  /** Unique within the organization. */
  readonly idpId: string
  /** An inactive provider cannot be used; nothing else of it changes. */
  readonly state: 'active' | 'inactive'
  /** The `managedBy` of the desired state that alone may change it; absent when anybody may who has the permission. */
  readonly protectedBy?: string | undefined
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A project as it is read. */
export interface Project extends ProjectSettings {
  /** Unique within the organization. */
  readonly id: string
  /** Users cannot log in to an inactive project, see `checkLogin`; nothing else of it changes. */
  readonly state: 'active' | 'inactive'
  /** The `managedBy` of the desired state that alone may change it; absent when anybody may who has the permission. */
  readonly protectedBy?: string | undefined
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A role as it is read. */
export interface ProjectRole extends ProjectRoleDisplay {
  /** The `id` of its project. */
  readonly projectId: string
  /** What authorization checks look at; unique within the project. */
  readonly roleKey: string
  /** What the role allows, in the order of code points; empty for none. */
  readonly permissions: readonly string[]
  /** A removed role is not read. */
  readonly state: 'active'
  /** The `managedBy` of the desired state that alone may change it; absent when anybody may who has the permission. */
  readonly protectedBy?: string | undefined
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A grant of a project to another organization as it is read. */
export interface ProjectGrant {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The organization that may give roles of the project to its users. */
  readonly grantedOrgId: string
  /** The roles that it may give; those that were removed since are left out, also when they were added again. */
  readonly roleKeys: readonly string[]
  /** While a grant is inactive, no role counts that the organization has given. */
  readonly state: 'active' | 'inactive'
  /** The `managedBy` of the desired state that alone may change it; absent when anybody may who has the permission. */
  readonly protectedBy?: string | undefined
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A role that a user was given. */
export interface GrantedRole {
  /** What authorization checks look at. */
  readonly roleKey: string
  /** The role does not count from this moment on; absent for a role without an end. */
  readonly expiresAt?: Date
}

/** A grant of roles to a user as it is read. */
export interface UserGrant {
  /** The user, as the host names them. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /**
   * The roles that the user was given. Left out are those that ended since: with the role, also when it was added
   * again, or with the grant of the project. Expired ones are shown.
   */
  readonly roles: readonly GrantedRole[]
  /** While a grant is inactive, none of its roles counts. */
  readonly state: 'active' | 'inactive'
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A domain as it is read. */
export interface Domain {
  /** In ASCII and lower case, such as `example.com`; unique within the organization. */
  readonly domain: string
  /** Once it is verified, no other organization can verify it. */
  readonly state: 'pending' | 'verified'
  /** The provider that users with addresses of the domain sign in with; absent when there is none. */
  readonly idpId?: string
  /** While the domain is pending: the text to publish as a TXT record at `_claviger-challenge.<domain>`. */
  readonly challenge?: string
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A mapping of a group of an identity provider to roles of a project as it is read. */
export interface RoleMapping {
  /** The provider of the group. */
  readonly idpId: string
  /** The group, as the provider names it. */
  readonly group: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The roles that members have. Left out are those that ended since, as of a grant to a user. */
  readonly roleKeys: readonly string[]
  /** Hours that a report counts; absent where it counts until the next one. */
  readonly validFor?: number
  /** A removed mapping is not read, nor is one of a removed provider or project. */
  readonly state: 'active'
  /** The `managedBy` of the desired state that alone may change it; absent when anybody may who has the permission. */
  readonly protectedBy?: string | undefined
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** A link by which somebody without an account sets up sign-in, as it is read; never with its token. */
export interface SetupLink {
  /** Unique within the organization. */
  readonly linkId: string
  /**
   * Issued; opened at least once; finished with; or withdrawn. A link that is completed, revoked or expired does not open.
   * Expiry changes no state.
   */
  readonly state: 'issued' | 'used' | 'completed' | 'revoked'
  /** What its holder may set up. */
  readonly intents: readonly SetupIntent[]
  /** The link does not open from this moment on. */
  readonly expiresAt: Date
  /** For the organization that issued it, such as whom it was sent to; absent when there is none. */
  readonly note?: string
  /** Its owner, times and place in the log. */
  readonly details: ObjectDetails
}

/** What an identity provider last said about a user, as it is read. */
export interface Membership {
  /** The provider. */
  readonly idpId: string
  /** The user, as the host names them. */
  readonly userId: string
  /** The groups that the user is in, in the order of code points: of those that mappings named at the report. */
  readonly groups: readonly string[]
  /** A removed membership is not read, nor is one of a removed provider. */
  readonly state: 'active'
  /** Its owner, times and place in the log; `changeDate` is the time of the report. */
  readonly details: ObjectDetails
}

/** Where a user with an address of a domain signs in. */
export interface SignInRoute {
  /** The organization that has verified the domain. */
  readonly orgId: string
  /** The provider that it has set for the domain; it is active. */
  readonly idpId: string
}

/** What is read, by the type of object. */
export interface Views {
  /** As `iam.identityProviders` reads it. */
  readonly identity_provider: IdentityProvider
  /** As `iam.projects` reads it. */
  readonly project: Project
  /** As `iam.projectRoles` reads it. */
  readonly project_role: ProjectRole
  /** As `iam.projectGrants` reads it. */
  readonly project_grant: ProjectGrant
  /** As `iam.userGrants` reads it. */
  readonly user_grant: UserGrant
  /** As `iam.domains` reads it. */
  readonly domain: Domain
  /** As `iam.roleMappings` reads it. */
  readonly role_mapping: RoleMapping
  /** As `iam.memberships` reads it. */
  readonly membership: Membership
  /** As `iam.setupLinks` reads it. */
  readonly setup_link: SetupLink
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

/** A value that rows are ordered by: text by code point, false before true, numbers by size. */
export type SortValue = string | boolean | Position

/** One condition on one field. Text compares code point by code point. */
export interface Condition {
  /**
   * A shown field that holds text, or `state`. `roleKey` matches a grant if any of its roles does, `permission` a role
   * if any of its permissions does.
   */
  readonly field: string
  /** Whether the text is the value, begins with it, or has it anywhere. */
  readonly operator: 'equals' | 'startsWith' | 'contains'
  /** The text that it is compared with; may be empty. */
  readonly value: string
  /**
   * Converts both sides to lower case and then to upper case, by the rules of Unicode and not of a
   * language.
   */
  readonly ignoreCase: boolean
}

/** One field of an order; the next one decides among rows that are equal in it. */
export interface SortKey {
  /** A shown field that is no list; `sequence`, `creationDate` and `changeDate` stand for those of `details`. */
  readonly field: string
  /** Least first, or greatest first. */
  readonly direction: 'asc' | 'desc'
}

/** A page of one organization's objects, or of what lies in one of its projects. */
export interface ListQuery<Type extends ViewType> {
  /** The type of the objects. */
  readonly type: Type
  /** The organization that owns them. */
  readonly orgId: string
  /** For roles and grants of projects, and for them alone. */
  readonly projectId?: string
  /**
   * For grants of projects, in place of `projectId`: those that `orgId` was granted, by all organizations. Their
   * order ends with `projectOrgId` and `projectId`.
   */
  readonly isReceived?: true
  /** All must hold. */
  readonly conditions: readonly Condition[]
  /**
   * Total: it ends with the object's id or key, so that no two rows are equal. That of a user's grant is the field
   * `key`, which orders by `projectOrgId`, `projectId` and `userId`.
   */
  readonly sort: readonly SortKey[]
  /** Values of the `sort` fields of the row after which the page begins, exclusive. */
  readonly after?: readonly SortValue[]
  /** 1 to 1000 rows. */
  readonly limit: number
}

/** How many rows a list counts: in a large organization, a full count would take longer than the page. */
export const MAX_TOTAL_SIZE = 10_000

/** What a {@link ListQuery} finds, all as of one moment. */
export interface Listing<Row> {
  /** The page, in the order asked for. */
  readonly items: readonly Row[]
  /** Whether rows follow the last of `items`. */
  readonly hasMore: boolean
  /** Rows that meet the conditions, on all pages together; at most 10,000. */
  readonly totalSize: number
  /** True when more than `totalSize` rows meet the conditions; absent otherwise. */
  readonly totalSizeCapped?: true
  /** The checkpoint that the rows were read at. */
  readonly sequence: Position
}

/**
 * How one event changed one field, except ids, keys and `details`. An event that adds an object changes all of
 * them, from undefined, except permissions of a role that has none; one that removes it changes `state` to `removed`; one that seals a secret anew
 * changes none.
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
      /** No more is shown of a secret. */
      readonly changed: true
    }

/** Who changed what, when. */
export interface HistoryEntry {
  /** Position of the event. */
  readonly sequence: Position
  /** When it was recorded, to the millisecond. */
  readonly time: Date
  /** Who acted. */
  readonly actor: Actor
  /** Event type. */
  readonly type: string
  /** The object that changed; in the history of a role, the removal of its project names the project. */
  readonly object: ObjectRef
  /** The fields whose values differ. */
  readonly changes: readonly FieldChange[]
  /** That of the context, if it had one. */
  readonly correlationId?: string
  /** That of the context, if it had one: why the change was made. */
  readonly reason?: string
}

/**
 * A page of the history of one organization or of one of its objects. All conditions must hold; a read
 * model that ignores an optional field answers wrongly.
 */
export interface HistoryQuery {
  /** The organization that owns the objects. */
  readonly orgId: string
  /**
   * The one object; all when absent. The history of a role also has the entry `project.removed` of its
   * project, when the role has an entry below it and the last one is no removal.
   */
  readonly object?: ObjectRef
  /** Only with a project as `object`: also the entries of all its roles, removed ones included. */
  readonly including?: 'roles'
  /** Never with `object`: the entries of all grants of roles to this user of the organization, and of the user's memberships. */
  readonly user?: string
  /** `userId` of who acted. */
  readonly actor?: string
  /** Event types, any of which an entry must have. */
  readonly types?: readonly string[]
  /** Exclusive lower bound; any integer, also one below 0 or of more than 64 bits. */
  readonly after: Position
  /** Exclusive upper bound; any integer; none when absent. */
  readonly before?: Position
  /** Oldest first, `asc`, when absent; with `desc` the page begins with the newest entry below `before`. */
  readonly order?: 'asc' | 'desc'
  /** Most entries; at least 1. */
  readonly limit: number
}

/**
 * The views that the library itself reads, stored by the host. Each answer is as of one moment, at or
 * after the checkpoint when it was asked for, and may be changed by its caller without effect on others.
 * `apply` rejects an event of a type that the library does not have, with nothing applied. Run
 * `readModelLaws` of `claviger/testing` against your implementation.
 */
export interface ReadModel extends Projection, AccessReads {
  /** The object, or undefined; a role is not found once its project is removed. */
  get<Type extends ViewType>(orgId: string, ref: RefOf<Type>): Promise<Views[Type] | undefined>

  /**
   * A page of objects; of roles, none once their project is removed. Rejects a query by a field that cannot
   * be filtered or sorted by.
   */
  list<Type extends ViewType>(query: ListQuery<Type>): Promise<Listing<Views[Type]>>

  /**
   * The organization that has verified a domain, given in ASCII and lower case, and the provider that it has set;
   * undefined when there is none of either, or the provider is inactive or removed.
   */
  route(domain: string): Promise<SignInRoute | undefined>

  /** A page of history; removed objects have theirs, too. */
  history(query: HistoryQuery): Promise<readonly HistoryEntry[]>

  /**
   * Of a read model in the same database as a store: reads that say, in the same query, whether they are up to date.
   * Undefined for any other pair than that store and this very read model: a copy of either may answer otherwise.
   */
  readAtHead?(pair: {
    /** The store that events are read from. */
    readonly store: EventStore
    /** The read model that is queried. */
    readonly readModel: ReadModel
  }): ReadAtHead | undefined
}

/** Reads as the {@link ReadModel} does, and says how up to date the result is. */
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

/** What the methods of a {@link ReadModel} that read are given. */
export interface ReadArguments<Type extends ViewType> {
  /** The organization, and the object in it. */
  readonly get: readonly [orgId: string, ref: RefOf<Type>]
  /** Which page of objects. */
  readonly list: readonly [query: ListQuery<Type>]
  /** Which user and which project. */
  readonly access: readonly [query: AccessQuery]
  /** Which page of the roles of a user. */
  readonly heldRoles: readonly [query: HeldRolesQuery]
  /** Which page of the users who have roles of a project. */
  readonly holders: readonly [query: HoldersQuery]
  /** Which roles a change concerns. */
  readonly affected: readonly [query: AffectedQuery]
  /** Which groups of which provider. */
  readonly mappedGroups: readonly [query: MappedGroupsQuery]
  /** The domain, in ASCII and lower case. */
  readonly route: readonly [domain: string]
  /** Which page of history. */
  readonly history: readonly [query: HistoryQuery]
}

/** What the methods of a {@link ReadModel} that read find. */
export interface ReadResults<Type extends ViewType> {
  /** The object; undefined when it does not exist. */
  readonly get: Views[Type] | undefined
  /** The page of objects. */
  readonly list: Listing<Views[Type]>
  /** All that decides whether a role counts. */
  readonly access: FoundAccess
  /** The page of roles. */
  readonly heldRoles: Slice<HeldRole>
  /** The page of users. */
  readonly holders: Slice<Holder>
  /** The roles that a change concerns. */
  readonly affected: Affected
  /** The mappings of the groups. */
  readonly mappedGroups: readonly MappedGroup[]
  /** Where users of the domain sign in; undefined when nowhere. */
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

/** The result of a read, all as of one moment. */
export interface FoundAtHead<Found> {
  /** As the read model answers it. */
  readonly found: Found
  /** Position of the store's last event; `0n` when there is none. */
  readonly head: Position
  /** The checkpoint of the read model. The result is up to date unless this is below `head`. */
  readonly reached: Position
}

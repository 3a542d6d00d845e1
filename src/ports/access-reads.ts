import type { RoleSource } from '../domain/facts.js'
import type { ProjectSettings } from '../domain/project/aggregate.js'
import type { Position } from './event-store.js'

/** A user of an organization, and a project of any organization. */
export interface AccessQuery {
  /** The organization of the user. */
  readonly orgId: string
  /** Your id of the user. */
  readonly userId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** Roles on this resource count as well. Absent: only roles for the whole project count. */
  readonly resource?: string | undefined
}

/** Everything that decides whether a role counts, except the present time; read at one moment. */
export interface FoundAccess {
  /** Undefined if the project does not exist. */
  readonly project: FoundProject | undefined
  /** State of the project's grant to the user's organization; undefined without a grant. */
  readonly projectGrant: 'active' | 'inactive' | undefined
  /** The user's grants: of the whole project, then on the resource. At most one each. */
  readonly grants: readonly FoundGrant[]
  /**
   * The roles of groups that the user was last reported in, on the whole project and on the resource, sorted by
   * `roleKey`, `idpId`, `group` and `resource`, including roles that expired or whose provider is inactive. A report counts only for
   * mappings that were added before it.
   */
  readonly mapped: readonly FoundMappedRole[]
}

/** A grant to a user. */
export interface FoundGrant {
  /** None of the roles of an inactive grant counts. */
  readonly state: 'active' | 'inactive'
  /** The roles, including expired ones, sorted by `roleKey`. */
  readonly roles: readonly FoundRole[]
  /** Roles that ended because the role, or the project's grant of it, was removed; sorted by `roleKey`. */
  readonly lost: readonly LostRole[]
}

/** A role that a user has as a member of a group. */
export interface FoundMappedRole extends FoundRole {
  /** The group. */
  readonly via: RoleSource
  /** The resource that the group has the role on; absent for the whole project. */
  readonly resource?: string
  /** Whether the provider of the group is active. */
  readonly isProviderActive: boolean
}

/** How a user has a role: by a grant to the user, or as a member of a group of an identity provider. */
export type Source = 'grant' | RoleSource

/** `idpId` and `group` of a {@link Source}; both are empty for a grant, which therefore sorts first. */
export type SourceKey = readonly [idpId: string, group: string]

/** The fields of a project that decide about access. */
export interface FoundProject extends ProjectSettings {
  /** Roles of an inactive project do not count. */
  readonly state: 'active' | 'inactive'
}

/** A role that a user was given, with its display fields. */
export interface FoundRole {
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** For people to read. */
  readonly displayName: string
  /** Empty without a group. */
  readonly group: string
  /** The role's permissions, sorted by code point; may be empty. */
  readonly permissions: readonly string[]
  /** When the role expires; absent for never. */
  readonly expiresAt?: Date
}

/** A role that a user was given, and why it ended. */
export interface LostRole {
  /** The key that authorization checks use. */
  readonly roleKey: string
  /**
   * `role`: the role was removed. `project_grant`: it was removed from the project's grant, or that grant was removed.
   */
  readonly with: 'role' | 'project_grant'
}

/** Which roles that count to find, and when. */
interface RolesQuery {
  /** Only roles that count on this resource: on it, or on the whole project. Default: on all resources. */
  readonly resource?: string | undefined
  /** Only roles with this key. Default: all roles. */
  readonly roleKey?: string | undefined
  /** Only roles that have this permission, or had it at that position. Default: all roles. */
  readonly permission?: string | undefined
  /**
   * Roles that counted right after the event at this position, or the last event before it. Default: roles that count
   * now. Display fields are the current ones, and empty if the role no longer exists.
   */
  readonly at?: Position
  /** The present: roles that expired by then do not count. */
  readonly now: Date
}

/** A page of the roles of one user that count. */
export interface HeldRolesQuery extends RolesQuery {
  /** The organization of the user. */
  readonly orgId: string
  /** Your id of the user. */
  readonly userId: string
  /** Only projects with this `id`, of any organization. Default: all. */
  readonly projectId?: string | undefined
  /** Only projects of this organization. Default: of all organizations. */
  readonly projectOrgId?: string | undefined
  /** The page begins after the role with this `projectOrgId`, `projectId`, `resource` or '', `roleKey` and way. */
  readonly after?: readonly [
    projectOrgId: string,
    projectId: string,
    resource: string,
    roleKey: string,
    ...SourceKey,
  ]
  /** 1 to 1000 roles. */
  readonly limit: number
}

/** Where a user has a role, and how. */
interface RoleAt {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The resource that the role is given on; absent for the whole project. */
  readonly resource?: string
  /** How the user has the role. A role that a user has in several ways is one item for each way. */
  readonly via: Source
}

/** A role that counts for a user. */
export interface HeldRole extends FoundRole, RoleAt {}

/** A page of the users who have roles of an organization's projects that count or counted. */
export interface HoldersQuery extends RolesQuery {
  /** The organization that owns the projects. */
  readonly orgId: string
  /** The `id` of one project. Default: all projects of the organization. */
  readonly projectId?: string | undefined
  /** One user, of any organization. Default: all users. */
  readonly userId?: string | undefined
  /** Only users of this organization. Default: all organizations. */
  readonly userOrgId?: string | undefined
  /**
   * The page begins after the holder with this `roleKey`, `orgId`, `resource` or '', way and `userId`; with `projectId`
   * first if the query is about all projects.
   */
  readonly after?:
    | readonly [roleKey: string, orgId: string, resource: string, ...SourceKey, userId: string]
    | readonly [
        projectId: string,
        roleKey: string,
        orgId: string,
        resource: string,
        ...SourceKey,
        userId: string,
      ]
  /** 1 to 1000 holders. */
  readonly limit: number
}

/** A user who has a role of a project. */
export interface Holder extends AffectedRole {
  /** The `id` of the project; only if the query is about all projects. */
  readonly projectId?: string
  /** When the role expires; absent for never. */
  readonly expiresAt?: Date
  /**
   * When the user was given the role in its current generation; a change of `expiresAt` does not change it. For a role
   * from a group: when the group was given the role or the user was first reported in the group, whichever was later.
   */
  readonly from: Date
  /** How the user has the role. A user who has it in several ways is one item for each way. */
  readonly via: Source
}

/** A page of the users of one organization for whom roles count or counted, of their own and of granted projects. */
export interface UsersQuery extends RolesQuery {
  /** The organization of the users. */
  readonly orgId: string
  /** Only these users: 1 to 1000, without duplicates. Default: all users. */
  readonly userIds?: readonly string[] | undefined
  /** Only roles of projects with this `id`, of any organization. Default: all projects. */
  readonly projectId?: string | undefined
  /** Only roles of projects of this organization. Default: all organizations. */
  readonly projectOrgId?: string | undefined
  /** The page begins after this user. */
  readonly after?: readonly [userId: string]
  /** 1 to 1000 users. */
  readonly limit: number
}

/** A user, with the roles that meet the query. */
export interface UserRoles {
  /** The user's id in the organization. */
  readonly userId: string
  /** At least one, sorted by `projectOrgId`, `projectId`, `resource`, `roleKey` and way: the grant first, then groups. */
  readonly roles: readonly RoleOfUser[]
}

/** A role that counts for a user, and since when the user has it. */
export interface RoleOfUser extends RoleAt {
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** For people to read. */
  readonly displayName: string
  /** When the role expires; absent for never. */
  readonly expiresAt?: Date
  /**
   * When the user was given the role in its current generation; a change of `expiresAt` does not change it. For a role
   * from a group: when the group was given the role or the user was first reported in the group, whichever was later.
   */
  readonly since: Date
}

/**
 * Finds the roles of users that a change of a project, role, project grant, mapping or identity provider would revoke
 * or give. A role that a user has in several ways counts once for each resource, and once for the whole project.
 */
export type AffectedQuery = AffectedInProject | AffectedByGroup | AffectedByProvider

/** The fields of every {@link AffectedQuery}. */
interface AffectedMoment {
  /** The state right after the event at this position, or the last event before it. */
  readonly at: Position
  /** The present: roles that expired by then do not count. */
  readonly now: Date
  /** How many roles to name: 1 to 1000. */
  readonly limit: number
}

/** Roles of one project. */
export interface AffectedInProject extends AffectedMoment {
  /** The organization that owns the project. */
  readonly orgId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** Any of these roles: at most 400, without duplicates. Default: all roles. */
  readonly roleKeys?: readonly string[]
  /** The organization of the users. Default: all organizations. */
  readonly userOrgId?: string
  /**
   * Counts as if the project were active; with `userOrgId`, as if the project's grant to that organization were active.
   */
  readonly asIfActive?: true
}

/**
 * Roles of one project that the members of a group would have through the group alone, by reports in a range of
 * positions.
 */
export interface AffectedByGroup extends AffectedMoment {
  /** The organization that owns the project. */
  readonly orgId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The resource that the group would have the roles on; absent for the whole project. */
  readonly resource?: string
  /** The roles: at most 400, without duplicates. */
  readonly roleKeys: readonly string[]
  /** The group, and the organization that owns its provider. */
  readonly members: RoleSource & {
    /** The organization of the provider and of the users. */
    readonly orgId: string
    /** Reports above this position. */
    readonly after: Position
    /** Reports at this position or below. Default: no upper bound. */
    readonly until?: Position
  }
  /** Other mappings of the organization's groups to the project that count as if they were changed. Default: none. */
  readonly others?: readonly (RoleSource & {
    /** The resource that the mapping is about; absent for the whole project. */
    readonly resource?: string | undefined
    /** The mapping gives all `roleKeys`, by reports above this position; absent: it gives none of them. */
    readonly after?: Position | undefined
  })[]
}

/** Roles of all projects that users have only through the groups of one provider. */
export interface AffectedByProvider extends AffectedMoment {
  /** The provider. */
  readonly provider: {
    /** The organization of the provider and of the users. */
    readonly orgId: string
    /** The provider's id. */
    readonly idpId: string
  }
  /** Counts the roles as if the provider were active. */
  readonly asIfActive?: true
}

/** Roles of users. A user who has two of them counts twice. */
export interface Affected {
  /** How many there are. */
  readonly count: number
  /** The first of them, by `roleKey`, `orgId`, `userId` and `resource`. */
  readonly first: readonly AffectedRole[]
}

/** A role of a user. */
export interface AffectedRole {
  /** The organization of the user. */
  readonly orgId: string
  /** The user's id in their organization. */
  readonly userId: string
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** The resource that the role is given on; absent for the whole project. */
  readonly resource?: string
}

/** Finds the mappings of some groups of a provider. */
export interface MappedGroupsQuery {
  /** The organization that owns the provider. */
  readonly orgId: string
  /** The id of the provider. */
  readonly idpId: string
  /** 1 to 1,000 groups, without duplicates. */
  readonly groups: readonly string[]
}

/** One mapping of a group. */
export interface MappedGroup {
  /** The group, as in the query. */
  readonly group: string
  /** Position of the event that added the mapping. */
  readonly since: Position
  /** How many hours a report counts; absent: until the next report. */
  readonly validFor?: number
}

/** A part of a query's results, in order. */
export interface Slice<Item> {
  /** At most `limit` items. */
  readonly items: readonly Item[]
  /** Whether there are more results after `items`. */
  readonly hasMore: boolean
}

/**
 * Reads who has which role. A role counts while the user's grant has it, it has not expired, and the grant, the project
 * and (if another organization owns the project) the project's grant are active. It also counts through a group: while
 * a mapping of the group has it, the user was reported in the group after the mapping was added, `validFor` has not
 * passed since the report, and the provider, the project and the project's grant are active.
 */
export interface AccessReads {
  /** Returns everything that a check of one user and one project depends on. */
  access(query: AccessQuery): Promise<FoundAccess>

  /**
   * Returns a page of the roles that count for one user, or counted at a position, sorted by `projectOrgId`,
   * `projectId`, `resource` (the whole project first), `roleKey` and way: the grant first, then groups by `idpId` and `group`.
   */
  heldRoles(query: HeldRolesQuery): Promise<Slice<HeldRole>>

  /**
   * Returns a page of the users, of all organizations, for whom roles of an organization's projects count, or counted
   * at a position. Sorted by `roleKey`, `orgId`, `resource` (the whole project first), way and `userId`; by `projectId`
   * first if the query is about all projects. Grants come first, then groups by `idpId` and `group`.
   */
  holders(query: HoldersQuery): Promise<Slice<Holder>>

  /**
   * Returns a page of the users of one organization for whom roles count, or counted at a position, each once with these
   * roles. Sorted by `userId`.
   */
  users(query: UsersQuery): Promise<Slice<UserRoles>>

  /** Counts the roles of users that a change affects, and returns the first of them. */
  affected(query: AffectedQuery): Promise<Affected>

  /** Returns the mappings of some groups of a provider in any order, including mappings whose roles have all ended. */
  mappedGroups(query: MappedGroupsQuery): Promise<readonly MappedGroup[]>
}

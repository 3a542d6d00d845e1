import type { RoleSource } from '../domain/aggregate.js'
import type { ProjectSettings } from '../domain/project/commands.js'
import type { Position } from './event-store.js'

/** A user of an organization, and a project of any organization. */
export interface AccessQuery {
  /** The organization of the user. */
  readonly orgId: string
  /** The user, as the host names them. */
  readonly userId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The `id` of the project. */
  readonly projectId: string
}

/** All that decides whether a role counts, except the time of day; all as of one moment. */
export interface FoundAccess {
  /** Undefined when there is no such project. */
  readonly project: FoundProject | undefined
  /** State of the grant of the project to the user's organization; undefined when there is none. */
  readonly projectGrant: 'active' | 'inactive' | undefined
  /** State of the grant of roles to the user; undefined when there is none. */
  readonly userGrant: 'active' | 'inactive' | undefined
  /** The roles of the user's grant, expired ones included, by `roleKey` in the order of code points. */
  readonly roles: readonly FoundRole[]
  /** Roles that the user's grant was recorded with and that ended since, without an event of that grant. */
  readonly lost: readonly LostRole[]
  /**
   * The roles of groups that the user was last reported in, expired ones and those of an inactive provider included, by
   * `roleKey`, `idpId` and `group`. A report counts for the mappings that were added before it.
   */
  readonly mapped: readonly FoundMappedRole[]
}

/** A role that the members of a group have, as a user has it. */
export interface FoundMappedRole extends FoundRole {
  /** The group. */
  readonly via: RoleSource
  /** Whether the provider of the group is active. */
  readonly isProviderActive: boolean
}

/** How a user has a role: by a grant to the user, or as a member of a group of an identity provider. */
export type RoleWay = 'grant' | RoleSource

/** `idpId` and `group` of a {@link RoleWay}; both are empty for a grant, which therefore comes first. */
export type WayKey = readonly [idpId: string, group: string]

/** A project, as far as it decides about access. */
export interface FoundProject extends ProjectSettings {
  /** No role of an inactive project counts. */
  readonly state: 'active' | 'inactive'
}

/** A role that a user was given, as it is shown to people. */
export interface FoundRole {
  /** What authorization checks look at. */
  readonly roleKey: string
  /** For people to read. */
  readonly displayName: string
  /** Empty for none. */
  readonly group: string
  /** What the role allows, in the order of code points; empty for none. */
  readonly permissions: readonly string[]
  /** The role does not count from this moment on; absent for a role without an end. */
  readonly expiresAt?: Date
}

/** A role that a user was given, and what ended first. */
export interface LostRole {
  /** What authorization checks look at. */
  readonly roleKey: string
  /** The role itself was removed; or it was taken from the grant of the project, or that grant was removed. */
  readonly with: 'role' | 'project_grant'
}

/** A page of the roles of one user that count. */
export interface HeldRolesQuery {
  /** The organization of the user. */
  readonly orgId: string
  /** The user, as the host names them. */
  readonly userId: string
  /** Of projects with this `id`, of any organization; of all when absent. */
  readonly projectId?: string
  /**
   * Those that counted right after the event at this position, or the last one before it; those that count when absent.
   * Either way they are shown as their roles are now; with empty texts where there is no such role any more.
   */
  readonly at?: Position
  /** Roles that have expired at this moment do not count. */
  readonly now: Date
  /** `projectOrgId`, `projectId`, `roleKey` and way of the role after which the page begins, exclusive. */
  readonly after?: readonly [projectOrgId: string, projectId: string, roleKey: string, ...WayKey]
  /** 1 to 1000 roles. */
  readonly limit: number
}

/** A role of a user that counts. */
export interface HeldRole extends FoundRole {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** How the user has the role; a role that a user has in several ways is an item for each. */
  readonly via: RoleWay
}

/** A page of the users who have roles of an organization's projects that count or counted. */
export interface HoldersQuery {
  /** The organization that owns the projects. */
  readonly orgId: string
  /** The `id` of one project; all of the organization when absent. */
  readonly projectId?: string
  /** One user, of any organization; all when absent. */
  readonly userId?: string
  /** Roles with this key; all when absent. */
  readonly roleKey?: string
  /** Roles that have this permission, or had it at that position; all when absent. */
  readonly permission?: string
  /** As it was right after the event at this position, or the last one before it; as it is when absent. */
  readonly at?: Position
  /** Roles that have expired at this moment do not count. */
  readonly now: Date
  /**
   * `roleKey`, `orgId`, way and `userId` of the holder after whom the page begins, exclusive; before them `projectId`, where
   * the query is about all projects.
   */
  readonly after?:
    | readonly [roleKey: string, orgId: string, ...WayKey, userId: string]
    | readonly [projectId: string, roleKey: string, orgId: string, ...WayKey, userId: string]
  /** 1 to 1000 holders. */
  readonly limit: number
}

/** A user who has a role of a project. */
export interface Holder {
  /** The user, as their organization names them. */
  readonly userId: string
  /** The organization of the user. */
  readonly orgId: string
  /** The `id` of the project, where the query is about all projects. */
  readonly projectId?: string
  /** What authorization checks look at. */
  readonly roleKey: string
  /** The role does not count from this moment on; absent for a role without an end. */
  readonly expiresAt?: Date
  /**
   * When the user was given the role, in its current generation; a change of `expiresAt` leaves it as it is. By a group:
   * when the group was given the role or the user was first reported in it, whichever was later.
   */
  readonly from: Date
  /** How the user has the role; a user who has it in several ways is an item for each. */
  readonly via: RoleWay
}

/**
 * Roles that count for users at a position: those that a change of the project, of a role, of a grant of the project, of a
 * mapping or of an identity provider would end, or begin. A role that a user has in several ways counts once.
 */
export type AffectedQuery = AffectedInProject | AffectedByGroup | AffectedByProvider

/** What every {@link AffectedQuery} has. */
interface AffectedMoment {
  /** As it was right after the event at this position, or the last one before it. */
  readonly at: Position
  /** Roles that have expired at this moment do not count. */
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
  /** Any of these roles, at most 400 and none twice; all when absent. */
  readonly roleKeys?: readonly string[]
  /** The organization of the users; all when absent. */
  readonly userOrgId?: string
  /** Counts the roles as if the project, or with `userOrgId` the grant of it to that organization, were active. */
  readonly asIfActive?: true
}

/**
 * Roles of one project as if a group had them: those of its members, by reports in a range of positions, who have the role
 * in no other way.
 */
export interface AffectedByGroup extends AffectedMoment {
  /** The organization that owns the project. */
  readonly orgId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** These roles, at most 400 and none twice. */
  readonly roleKeys: readonly string[]
  /** The group, and the organization that owns its provider. */
  readonly members: RoleSource & {
    /** The organization of the provider and of the users. */
    readonly orgId: string
    /** Reports above this position. */
    readonly after: Position
    /** Reports at this position or below; all above `after` when absent. */
    readonly until?: Position
  }
}

/** Roles of all projects that users have by the groups of one provider, and in no other way. */
export interface AffectedByProvider extends AffectedMoment {
  /** The provider. */
  readonly provider: {
    /** The organization of the provider and of the users. */
    readonly orgId: string
    /** Its id. */
    readonly idpId: string
  }
  /** Counts the roles as if the provider were active. */
  readonly asIfActive?: true
}

/** Roles of users. A user who has two of them counts twice. */
export interface Affected {
  /** How many there are. */
  readonly count: number
  /** The first of them, by `roleKey`, `orgId` and `userId`. */
  readonly first: readonly AffectedRole[]
}

/** A role of a user. */
export interface AffectedRole {
  /** The organization of the user. */
  readonly orgId: string
  /** The user, as their organization names them. */
  readonly userId: string
  /** What authorization checks look at. */
  readonly roleKey: string
}

/** Which of some groups of a provider have mappings. */
export interface MappedGroupsQuery {
  /** The organization that owns the provider. */
  readonly orgId: string
  /** The id of the provider. */
  readonly idpId: string
  /** 1 to 1,000 groups, none twice. */
  readonly groups: readonly string[]
}

/** A group with a mapping: one for each mapping. */
export interface MappedGroup {
  /** As asked for. */
  readonly group: string
  /** Position of the event that added the mapping. */
  readonly since: Position
  /** Hours that a report counts; absent where it counts until the next one. */
  readonly validFor?: number
}

/** Some of what a query finds, in its order. */
export interface Slice<Item> {
  /** At most as many as asked for. */
  readonly items: readonly Item[]
  /** Whether more follow the last of `items`. */
  readonly hasMore: boolean
}

/**
 * Who has which role. A role counts while the user's grant has it and these are active: that grant, the project
 * and, where another organization owns the project, the grant of the project; and until it expires. It also counts while a
 * mapping of a group has it that the user was reported in since the mapping was added, and the provider is active in place
 * of the grant; until `validFor` has passed since the report.
 */
export interface AccessReads {
  /** What a check of one user and one project goes by. */
  access(query: AccessQuery): Promise<FoundAccess>

  /**
   * A page of the roles of one user that count, or counted at a position, in the order of `projectOrgId`, `projectId`,
   * `roleKey` and way: the grant first, then by `idpId` and `group`.
   */
  heldRoles(query: HeldRolesQuery): Promise<Slice<HeldRole>>

  /**
   * A page of the users, of all organizations, who have roles of an organization's projects that count, or counted at a
   * position, in the order of `roleKey`, `orgId`, way and `userId`; of all projects, by `projectId` first. Grants come first,
   * then the groups by `idpId` and `group`.
   */
  holders(query: HoldersQuery): Promise<Slice<Holder>>

  /** How many roles of users count that a change concerns, and the first of them. */
  affected(query: AffectedQuery): Promise<Affected>

  /** The mappings of some groups of a provider, in any order, those whose roles have all ended included. */
  mappedGroups(query: MappedGroupsQuery): Promise<readonly MappedGroup[]>
}

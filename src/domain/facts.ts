/**
 * What the stream of one object contributes to the question who has which role: at most one fact at a time, which holds
 * from one event of the stream to the next. Only events of that stream change it. Whether a role counts is a question
 * about the facts of several streams: a fact names a role with the generations that it rests on, and counts while they
 * are the current ones.
 */
export type Fact = ProjectFact | RoleFact | ProjectGrantFact | HeldFact | ProviderFact | MemberFact

/** Whether something counts. */
export type Activity = 'active' | 'inactive'

/** A project, by its owner. */
export interface OfProject {
  /** The organization that owns the project. */
  readonly projectOrgId: string
  readonly projectId: string
}

/** A project exists. When it is removed, all facts that name it end; its id is never used again. */
export interface ProjectFact extends OfProject {
  readonly in: 'project'
  readonly state: Activity
}

/** A role of a project exists. */
export interface RoleFact extends OfProject {
  readonly in: 'role'
  readonly roleKey: string
  /** The generation: version of the event that added the role. It stays until the role is removed. */
  readonly since: number
  readonly permissions: readonly string[]
}

/** An organization may give roles of a project. */
export interface ProjectGrantFact extends OfProject {
  readonly in: 'project_grant'
  /** The organization. */
  readonly orgId: string
  readonly state: Activity
  /** As recorded, including roles that have ended. */
  readonly roles: readonly PermittedRole[]
}

/** A role that an organization may give. */
export interface PermittedRole {
  readonly roleKey: string
  /** The generation of the role, see {@link RoleFact.since}. */
  readonly roleSince: number
  /** The generation of the permission: version of the event that put this generation of the role into the grant. */
  readonly since: number
}

/** A user or a group has roles of a project. */
export interface HeldFact extends OfProject {
  readonly in: 'held'
  /** The organization of the user, or of the group's provider. */
  readonly orgId: string
  /** The resource that the roles are given on; absent for the whole project. */
  readonly resource?: string | undefined
  /** The user, or the group whose members have the roles. */
  readonly holder: { readonly userId: string } | RoleSource
  readonly state: Activity
  /** As recorded, including roles that have ended. */
  readonly roles: readonly GivenRole[]
  /** For a group: how many hours a report counts; absent: until the next report. */
  readonly validFor?: number | undefined
}

/** A group of an identity provider whose members have roles. */
export interface RoleSource {
  /** The id of the provider. */
  readonly idpId: string
  /** The group, as the provider names it. */
  readonly group: string
}

/** A role that a user or a group was given. */
export interface GivenRole {
  readonly roleKey: string
  /** The generation of the role, see {@link RoleFact.since}. */
  readonly roleSince: number
  /** The generation of {@link PermittedRole.since}; absent where the organization owns the project. */
  readonly grantSince?: number | undefined
  /** When the role expires, in RFC 3339; absent for never. */
  readonly expiresAt?: string | undefined
}

/** An identity provider exists. When it is removed, all facts that name it end; its id is never used again. */
export interface ProviderFact {
  readonly in: 'provider'
  readonly orgId: string
  readonly idpId: string
  readonly state: Activity
}

/** A provider reported the groups of a user. */
export interface MemberFact {
  readonly in: 'member'
  /** The organization of the provider and of the user. */
  readonly orgId: string
  readonly idpId: string
  readonly userId: string
  readonly groups: readonly string[]
}

import { err, ok, type Result } from 'neverthrow'
import type { PrivateLabelingSetting } from './commands.js'

/** The fields of a project that a login depends on, as `iam.projects.get` returns them. */
export interface LoginProject {
  /** Absent counts as active, and what is no state as inactive. */
  readonly state?: 'active' | 'inactive' | undefined
  /** The user must have a role of the project. */
  readonly projectRoleCheck: boolean
  /** The user's organization must own the project or have a grant to it. */
  readonly hasProjectCheck: boolean
  /** Names the organization that owns the project. */
  readonly details: {
    /** Organization the project belongs to. */
    readonly resourceOwner: string
  }
}

/** The user who logs in. */
export interface LoginUser {
  /** The organization of the user. */
  readonly userOrgId: string
  /** Keys of the roles of this project that the user was assigned. */
  readonly userRoleKeys: readonly string[]
  /** Organizations that have a grant to this project. */
  readonly grantedOrgIds: readonly string[]
}

/** Nobody may log in to a project that was deactivated. */
export interface ProjectInactive {
  readonly kind: 'ProjectInactive'
}

/** `projectRoleCheck`: the user has none of the roles that the project has. */
export interface ProjectRoleRequired {
  readonly kind: 'ProjectRoleRequired'
}

/** `hasProjectCheck`: the user's organization has no grant to the project. */
export interface ProjectGrantRequired {
  readonly kind: 'ProjectGrantRequired'
  /** The one without a grant. */
  readonly userOrgId: string
}

/** Why a user may not log in to a project. */
export type LoginRefusal = ProjectInactive | ProjectRoleRequired | ProjectGrantRequired

/**
 * Whether a user may log in to an application of a project. `roleKeys` are those of the roles that the project has now: a removed role gives
 * no access.
 */
export const checkLogin = (
  {
    project,
    roleKeys,
  }: {
    /** The project that the application belongs to. */
    readonly project: LoginProject
    /** Keys of its roles, or of those of them that the user was assigned. */
    readonly roleKeys: readonly string[]
  },
  { userOrgId, userRoleKeys, grantedOrgIds }: LoginUser,
): Result<void, LoginRefusal> => {
  if ((project.state ?? 'active') !== 'active') return err({ kind: 'ProjectInactive' })
  if (project.projectRoleCheck && !userRoleKeys.some((key) => roleKeys.includes(key)))
    return err({ kind: 'ProjectRoleRequired' })
  const isOwner = userOrgId === project.details.resourceOwner
  if (project.hasProjectCheck && !isOwner && !grantedOrgIds.includes(userOrgId))
    return err({ kind: 'ProjectGrantRequired', userOrgId })
  return ok(undefined)
}

/** The fields of a role that logins and displays need. */
export interface RoleInformation {
  /** What authorization checks look at. */
  readonly roleKey: string
  /** For people to read. */
  readonly displayName: string
  /** Empty for none. */
  readonly group: string
}

/**
 * The roles of a user for the user info response: those that the project still has, if it asserts
 * roles; else none.
 */
export const roleClaims = (
  {
    project,
    roles,
  }: {
    /** The project that the application belongs to. */
    readonly project: {
      /** False: no roles are included. */
      readonly projectRoleAssertion: boolean
    }
    /** The roles that the project has now. */
    readonly roles: readonly RoleInformation[]
  },
  userRoleKeys: readonly string[],
): readonly RoleInformation[] => {
  if (!project.projectRoleAssertion) return []
  return roles
    .filter(({ roleKey }) => userRoleKeys.includes(roleKey))
    .map(({ roleKey, displayName, group }) => ({ roleKey, displayName, group }))
}

/**
 * The organization whose branding the login of a project shows; undefined when the project leaves
 * it to the host's default.
 */
export const brandingOrganization = (
  project: {
    /** Whose branding the login shows. */
    readonly privateLabelingSetting: PrivateLabelingSetting
    /** Names the organization that owns the project. */
    readonly details: {
      /** Organization the project belongs to. */
      readonly resourceOwner: string
    }
  },
  {
    userOrgId,
  }: {
    /** The organization of the user; absent before the user is known. */
    readonly userOrgId?: string | undefined
  } = {},
): string | undefined => {
  switch (project.privateLabelingSetting) {
    case 'PRIVATE_LABELING_SETTING_UNSPECIFIED':
      return undefined
    case 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY':
      return project.details.resourceOwner
    case 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY':
      return userOrgId
  }
}

/** The roles of `group`, such as to give a user all of them. */
export const rolesOfGroup = <Role extends Pick<RoleInformation, 'group'>>(
  roles: readonly Role[],
  group: string,
): readonly Role[] => roles.filter((role) => role.group === group)

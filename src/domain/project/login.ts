import { err, ok, type Result } from 'neverthrow'
import type { PrivateLabelingSetting } from './command-schemas.js'

/** The fields of a project that a login depends on, as `iam.projects.get` returns them. */
export interface LoginProject {
  /** Absent means active; any other value means inactive. */
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

/** The project was deactivated, so nobody may log in. HTTP status 409. */
export interface ProjectInactive {
  readonly kind: 'ProjectInactive'
}

/** The project has `projectRoleCheck`, and the user has none of its roles. HTTP status 409. */
export interface ProjectRoleRequired {
  readonly kind: 'ProjectRoleRequired'
}

/** The project has `hasProjectCheck`, and the user's organization has no grant to it. HTTP status 409. */
export interface ProjectGrantRequired {
  readonly kind: 'ProjectGrantRequired'
  /** The organization without a grant. */
  readonly userOrgId: string
}

/** Errors of a login check. */
export type LoginRefusal = ProjectInactive | ProjectRoleRequired | ProjectGrantRequired

/**
 * Checks whether a user may log in to an application of a project. `roleKeys` are the keys of the project's current
 * roles: a removed role gives no access.
 */
export const checkLogin = (
  {
    project,
    roleKeys,
  }: {
    /** The project that the application belongs to. */
    readonly project: LoginProject
    /** Keys of its current roles; at least those that the user was assigned. */
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
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** Name that people see. */
  readonly displayName: string
  /** Empty without a group. */
  readonly group: string
}

/**
 * Returns a user's roles for the user info response: those that the project still has, if it has
 * `projectRoleAssertion`; else none.
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
    /** The project's current roles. */
    readonly roles: readonly RoleInformation[]
  },
  userRoleKeys: readonly string[],
): readonly RoleInformation[] => {
  if (!project.projectRoleAssertion) return []
  return roles
    .filter(({ roleKey }) => userRoleKeys.includes(roleKey))
    .map(({ roleKey, displayName, group }) => ({ roleKey, displayName, group }))
}

/** Returns the organization whose branding the login of a project shows; undefined for the host's default branding. */
export const brandingOrganization = (
  project: {
    /** The branding that the login shows. */
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

/** Returns the roles of `group`, for example to give a user all of them. */
export const rolesOfGroup = <Role extends Pick<RoleInformation, 'group'>>(
  roles: readonly Role[],
  group: string,
): readonly Role[] => roles.filter((role) => role.group === group)

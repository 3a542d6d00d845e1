import { isRequiredText, MAX_GRANTED_ROLES } from '../../domain/values.js'
import type { DesiredProject, DesiredRole, DesiredSettings } from '../../index.js'
import { type Found, textsIn } from '../reading/document.js'
import type { Warn } from '../warning.js'

/** Most roles, and most grants, of one declared project. */
const MAX_DECLARED = 10_000

/** A project while an export is read. */
export interface ProjectDraft {
  readonly orgId: string
  readonly id: string
  readonly name: string
  readonly settings: DesiredSettings | undefined
  readonly roles: Map<string, DesiredRole>
  /** By the organization that is granted, the keys of roles. */
  readonly grants: Map<string, ReadonlySet<string>>
}

/** A role as it was found, with the place of its key. */
export interface FoundRole {
  readonly roleKey: unknown
  readonly displayName: string
  /** Absent where the source has no groups of roles: what was set here stays. */
  readonly group?: string | undefined
  readonly path: string
}

/** Adds a role, unless its key cannot be kept or was there before. */
export const addRole = (
  { roles }: ProjectDraft,
  { roleKey, displayName, group, path }: FoundRole,
  warn: Warn,
): void => {
  if (!isRequiredText(roleKey)) warn('KeyUnusable', path)
  else if (roles.has(roleKey)) warn('Doubled', path)
  else if (roles.size >= MAX_DECLARED) warn('TooMany', path)
  else roles.set(roleKey, { roleKey, displayName, ...(group !== undefined && { group }) })
}

/** A grant of a project as it was found. */
export interface FoundGrant {
  /** The id that the organization will have. */
  readonly grantedOrgId: string
  readonly roleKeys: Found
  readonly path: string
}

/** Adds a grant to another organization with those of its roles that the project has. */
export const addGrant = (
  { orgId, roles, grants }: ProjectDraft,
  { grantedOrgId, roleKeys, path }: FoundGrant,
  warn: Warn,
): void => {
  const keys = grantedKeys(roles, roleKeys, warn)
  if (grantedOrgId === orgId) warn('OrganizationUnknown', path)
  else if (grants.has(grantedOrgId)) warn('Doubled', path)
  else if (grants.size >= MAX_DECLARED) warn('TooMany', path)
  else if (keys.size === 0) warn('NoRoles', path)
  else grants.set(grantedOrgId, keys)
}

const grantedKeys = (
  roles: ProjectDraft['roles'],
  roleKeys: Found,
  warn: Warn,
): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const { value, path } of textsIn(roleKeys, warn))
    if (!roles.has(value)) warn('RoleUnknown', path)
    else if (keys.size >= MAX_GRANTED_ROLES && !keys.has(value)) warn('TooMany', path)
    else keys.add(value)
  return keys
}

export const desiredProject = ({
  id,
  name,
  settings,
  roles,
  grants,
}: ProjectDraft): DesiredProject => ({
  id,
  name,
  ...(settings && { settings }),
  roles: [...roles.values()],
  ...(grants.size > 0 && {
    grants: [...grants].map(([grantedOrgId, keys]) => ({ grantedOrgId, roleKeys: [...keys] })),
  }),
})

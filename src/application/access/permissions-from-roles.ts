import { checkOptions, FUNCTION, type OptionCheck, TEXT } from '../../check-options.js'
import { PERMISSIONS, type Permission, type PermissionTarget } from '../../domain/values.js'
import type { Authorize } from '../../ports/host.js'
import type { AccessChecks } from './access.js'

/** The project whose roles decide who may call claviger's own methods. */
export interface PermissionsFromRolesOptions {
  /** Returns the library. A function, because `createIam` needs the result of `permissionsFromRoles`. */
  readonly iam: () => {
    /** The `access` of an `Iam`. */
    readonly access: Pick<AccessChecks, 'of'>
  }
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project, and grants it to others. Default: each organization has its own. */
  readonly projectOrgId?: string | undefined
  /**
   * Permissions that no role gives, although it lists them. Holders of `project.role.write` can write any permission
   * into a role, `identity_provider.secret.read` too. Default: none are withheld.
   */
  readonly withhold?: readonly Permission[] | undefined
}

/** The resource of a project that an object is about; undefined for the whole project, and for any other object. */
const resourceIn = (
  object: PermissionTarget | undefined,
  project: { readonly id: string; readonly orgId: string },
  orgId: string,
): string | undefined => {
  const isOf = (id: string, owner: string) => id === project.id && owner === project.orgId
  switch (object?.type) {
    case 'project':
      return isOf(object.id, orgId) ? object.resource : undefined
    case 'granted_project':
      return isOf(object.id, object.orgId) ? object.resource : undefined
    case 'role_mapping':
      return isOf(object.projectId, object.projectOrgId ?? orgId) ? object.resource : undefined
  }
  return undefined
}

/**
 * An `authorize` that allows what the caller's roles in one project allow: a role with the permission `user.grant.write`
 * lets its holders give roles, and so on. A role on one resource of the project lets its holders do that on this resource
 * alone. It allows nothing outside of the caller's own organization. Each question is a
 * strong read, so a revoked role counts no more at the next call.
 *
 * @example
 * ```ts
 * const iam = createIam({ ...opened, secrets, authorize: permissionsFromRoles({ iam: () => iam, projectId: 'invoicing' }) })
 * ```
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 */
export const permissionsFromRoles = (options: PermissionsFromRolesOptions): Authorize => {
  checkOptions('permissionsFromRoles', options, {
    required: { iam: FUNCTION, projectId: TEXT },
    optional: { projectOrgId: TEXT, withhold: PERMISSION_LIST },
  })
  const { iam, projectId, projectOrgId, withhold = [] } = options
  return async ({ caller, permission, orgId, object }) => {
    if (orgId !== caller.orgId || withhold.includes(permission)) return false
    const { userId } = caller
    const resource = resourceIn(object, { id: projectId, orgId: projectOrgId ?? orgId }, orgId)
    return iam().access.of({ userId, orgId, projectId, projectOrgId, resource }).can(permission)
  }
}

const PERMISSION_LIST: OptionCheck = [
  (value) => Array.isArray(value) && value.every((each) => PERMISSIONS.includes(each)),
  'must be a list of permissions of claviger, such as identity_provider.secret.read',
]

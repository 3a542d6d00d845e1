import type { RoleSource } from '../../domain/facts.js'
import type { ObjectRef } from '../../domain/values.js'

/** Roles of one project that users have, as far as all given fields match. */
export interface RoleRange {
  /** The organization that owns the project. */
  readonly projectOrgId: string
  readonly projectId: string
  /** The resource that the roles are given on; absent for the whole project, and where `userId` and `source` are. */
  readonly resource?: string
  readonly roleKey?: string
  /** The organization of the users. */
  readonly orgId?: string
  readonly userId?: string
  /** The group whose members have the roles; never with `userId`. */
  readonly source?: RoleSource
}

/** The roles that depend on an object of `orgId`; undefined if it belongs to no project. */
export const rangeOf = (ref: ObjectRef, orgId: string): RoleRange | undefined => {
  switch (ref.type) {
    case 'project':
      return { projectOrgId: orgId, projectId: ref.id }
    case 'project_role':
      return { projectOrgId: orgId, projectId: ref.projectId, roleKey: ref.roleKey }
    case 'project_grant':
      return { projectOrgId: orgId, projectId: ref.projectId, orgId: ref.grantedOrgId }
    case 'user_grant': {
      const { projectOrgId = orgId, projectId, resource, userId } = ref
      return { projectOrgId, projectId, ...(resource !== undefined && { resource }), orgId, userId }
    }
    case 'role_mapping': {
      const { projectOrgId = orgId, projectId, resource, idpId, group } = ref
      const on = resource === undefined ? {} : { resource }
      return { projectOrgId, projectId, ...on, orgId, source: { idpId, group } }
    }
  }
  return undefined
}

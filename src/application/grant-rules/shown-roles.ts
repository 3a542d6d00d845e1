import { aggregates } from '../../domain/aggregates.js'
import { exists } from '../../domain/decider.js'
import { roleMappings } from '../../domain/role-mapping/aggregate.js'
import { type ObjectRef, OrgId, ProjectId, UserId } from '../../domain/values.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { withHeld } from '../../projections/assignments.js'
import type { Streams } from '../recording/streams.js'
import { readCurrentProjectGrant } from './decide-project-grant.js'
import { readCurrentMapping } from './decide-role-mapping.js'
import { readCurrentRoles } from './decide-user-grant.js'

/**
 * Returns `row` of `object` as `get` shows it: a grant without its ended roles, and undefined without its project.
 * Other objects stay as they are.
 */
export const withCurrentRoles = async <Row extends Views[ViewType]>(
  streams: Streams,
  object: ObjectRef,
  row: Row,
): Promise<Views[ViewType] | undefined> => {
  const assigns = aggregates[object.type].assignments?.assigns
  if (!assigns) return row
  const current = await currentRoleKeys(streams, object)
  return current && withHeld(assigns, row, current)
}

/** Keys of the current roles of a grant; undefined when its project does not exist. */
const currentRoleKeys = async (
  streams: Streams,
  object: ObjectRef,
): Promise<ReadonlySet<string> | undefined> => {
  if (object.type === 'project_grant') {
    const state = await readCurrentProjectGrant(streams, {
      projectId: ProjectId.parse(object.projectId),
      grantedOrgId: OrgId.parse(object.grantedOrgId),
    })
    return keysOf(exists(state) ? state.roles : [])
  }
  if (object.type === 'role_mapping') {
    const { type: _, ...ids } = object
    const roles = await readCurrentMapping(streams, roleMappings.ids.parse(ids))
    return roles && keysOf(roles)
  }
  if (object.type !== 'user_grant') return undefined
  const { userId, projectId, projectOrgId = streams.orgId } = object
  const roles = await readCurrentRoles(streams, {
    userId: UserId.parse(userId),
    projectId: ProjectId.parse(projectId),
    projectOrgId: OrgId.parse(projectOrgId),
  })
  return roles && keysOf(roles)
}

const keysOf = (roles: readonly { readonly roleKey: string }[]): ReadonlySet<string> =>
  new Set(roles.map(({ roleKey }) => roleKey))

import { projectGrants } from '../../domain/project-grant/aggregate.js'
import type { RoleGeneration } from '../../domain/role-generations.js'
import { roleMappings } from '../../domain/role-mapping/aggregate.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { type Row, shown } from '../../projections/project.js'
import type { Streams } from '../recording/streams.js'
import { readCurrentProjectGrant } from './decide-project-grant.js'
import { readCurrentMapping } from './decide-role-mapping.js'
import { readCurrentRoles } from './decide-user-grant.js'

/**
 * Returns the object of `row` as `get` shows it: a grant without its ended roles, and undefined without its project.
 * Other objects stay as they are.
 */
export const withCurrentRoles = async (
  streams: Streams,
  object: ObjectRef,
  row: Row,
): Promise<Views[ViewType] | undefined> => {
  if (!('roles' in row.state)) return shown(object, row)
  const roles = await currentRolesOf(streams, object)
  const keys = new Set<string>(roles?.map(({ roleKey }) => roleKey))
  return roles && shown(object, row, (_, { roleKey }) => keys.has(roleKey))
}

/** The current roles of a grant; undefined when its project does not exist. */
const currentRolesOf = async (
  streams: Streams,
  { type, ...ids }: ObjectRef,
): Promise<readonly Pick<RoleGeneration, 'roleKey'>[] | undefined> => {
  if (type === 'project_grant')
    return readCurrentProjectGrant(streams, projectGrants.ids.parse(ids))
  if (type === 'role_mapping') return readCurrentMapping(streams, roleMappings.ids.parse(ids))
  return type === 'user_grant' ? readCurrentRoles(streams, userGrants.ids.parse(ids)) : undefined
}

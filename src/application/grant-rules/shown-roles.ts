import type { RoleGeneration } from '../../domain/role-generations.js'
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
  object: ObjectRef,
): Promise<readonly Pick<RoleGeneration, 'roleKey'>[] | undefined> => {
  if (object.type === 'project_grant') return readCurrentProjectGrant(streams, object)
  if (object.type === 'role_mapping') return readCurrentMapping(streams, object)
  return object.type === 'user_grant' ? readCurrentRoles(streams, object) : undefined
}

import { aggregateNamed } from '../../domain/aggregates.js'
import { isDomainName } from '../../domain/email-domain/domain-name.js'
import {
  fieldOf,
  isId,
  isRequiredText,
  type Permission,
  type PermissionTarget,
} from '../../domain/values.js'
import type { Authorize } from '../../ports/host.js'

/** The object of the input on which a permission is needed; undefined when its id is absent or malformed. */
export type Target = (input: unknown, orgId: string) => PermissionTarget | undefined

/** The target of an object of an aggregate whose ids are fields of the input. */
export const targetOf =
  ({ target }: { target(ids: object, orgId: string): PermissionTarget }): Target =>
  (input, orgId) => {
    if (typeof input !== 'object' || input === null) return undefined
    const object = target(input, orgId)
    return isNamed(object) ? object : undefined
  }

/** The target of a write of one object; the target of a read if the object's ids are malformed. */
export const writeTargetOf =
  (aggregate: {
    target(ids: object, orgId: string): PermissionTarget
    writeTarget(ids: object, orgId: string): PermissionTarget
  }): Target =>
  (input, orgId) => {
    const { target, writeTarget } = aggregate
    return targetOf({ target: writeTarget })(input, orgId) ?? targetOf({ target })(input, orgId)
  }

const isNamed = (object: PermissionTarget): boolean => {
  if (object.type === 'domain') return isDomainName(object.id)
  if (object.type === 'project_role')
    return isId(object.projectId) && isRequiredText(object.roleKey)
  if (object.type === 'role_mapping') {
    const { idpId, projectId, projectOrgId, group } = object
    return [idpId, projectId, projectOrgId].every(isId) && isRequiredText(group) && isOn(object)
  }
  if (object.type === 'desired_state') return isRequiredText(object.managedBy)
  if (!isOn(object)) return false
  return isId(object.id) && (object.type !== 'granted_project' || isId(object.orgId))
}

/** Whether the resource, if there is one, is well-formed. */
const isOn = ({ resource }: { readonly resource?: unknown }): boolean =>
  resource === undefined || isRequiredText(resource)

/** The object that the field `object` names; for a role, its project. */
export const targetOfObject: Target = (input, orgId) => {
  const object = fieldOf(input, 'object')
  const aggregate = aggregateNamed(fieldOf(object, 'type'))
  return aggregate && targetOf(aggregate)(object, orgId)
}

/**
 * An `authorize` that allows the permissions in `caller.permissions` in the caller's own organization, and those in
 * `caller.permissionsIn[orgId]` in others. The host is responsible for both lists. A value that is not a list, such as
 * a string or a `Set`, allows nothing.
 */
export const permissionsFromCaller: Authorize = ({ caller, permission, orgId }) => {
  const listed = orgId === caller.orgId ? caller.permissions : permissionsIn(caller, orgId)
  return Array.isArray(listed) && listed.includes(permission)
}

/** Own properties only: the id of an organization may be `constructor`. */
const permissionsIn = (
  { permissionsIn }: Parameters<Authorize>[0]['caller'],
  orgId: string,
): readonly Permission[] | undefined =>
  permissionsIn && Object.hasOwn(permissionsIn, orgId) ? permissionsIn[orgId] : undefined

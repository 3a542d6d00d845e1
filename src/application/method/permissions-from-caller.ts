import type { Authorize, Permission } from '../../ports/authorize.js'

/**
 * Allows the permissions in `caller.permissions` in the caller's own organization, and those in
 * `caller.permissionsIn[orgId]` in another. The host is responsible for both. A value that is no list, such as a
 * string or a `Set`, allows nothing, like an empty list.
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

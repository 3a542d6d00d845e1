import type { Authorize, Permission } from '../../ports/authorize.js'

/**
 * Allows what `caller.permissions` lists in the caller's own organization, and what
 * `caller.permissionsIn[orgId]` lists in another. The host vouches for both. What is no list, such as a
 * string or a `Set`, allows nothing, as an empty list does.
 */
export const permissionsFromCaller: Authorize = ({ caller, permission, orgId }) => {
  const listed = orgId === caller.orgId ? caller.permissions : permissionsIn(caller, orgId)
  return Array.isArray(listed) && listed.includes(permission)
}

/** Own properties only: an organization may be called `constructor`. */
const permissionsIn = (
  { permissionsIn }: Parameters<Authorize>[0]['caller'],
  orgId: string,
): readonly Permission[] | undefined =>
  permissionsIn && Object.hasOwn(permissionsIn, orgId) ? permissionsIn[orgId] : undefined

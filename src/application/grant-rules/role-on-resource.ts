import type { AccessQuery, HeldRolesQuery } from '../../ports/access-reads.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'

/** Whether a role counts for the user on the whole project, or on any resource of it. */
export const hasRoleOnAny = async (
  runtime: Runtime,
  call: AdmittedCall,
  { orgId, userId, projectOrgId, projectId, at, now }: AccessQuery & Moment,
): Promise<boolean> => {
  const moment = { now, ...(at !== undefined && { at }) }
  const query = { orgId, userId, projectOrgId, projectId, ...moment, limit: 1 }
  const { items } = await runtime.query(call, { method: 'heldRoles', args: [query] })
  return items.length > 0
}

/** When roles count: at a position, or now. */
type Moment = Pick<HeldRolesQuery, 'at' | 'now'>

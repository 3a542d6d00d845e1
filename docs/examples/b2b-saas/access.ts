// What every customer has: the product as a project, and its roles.
import { type Caller, defineAccess, PERMISSIONS } from 'claviger'

const roles = [
  { roleKey: 'viewer', displayName: 'Viewer', permissions: ['invoice.read'] },
  { roleKey: 'approver', displayName: 'Approver', permissions: ['invoice.approve'] },
  { roleKey: 'admin', displayName: 'Admin', permissions: ['webhook.write', ...PERMISSIONS] },
]
const projects = [{ id: 'invoicing', name: 'Invoicing', roles }]

/** `managedBy` marks what is declared here: only that is ever pruned. Raise `version` with each change. */
export const access = defineAccess({ managedBy: 'invoicing', version: 2, prune: true, projects })

/** The caller of this server itself in the organization of a customer; history shows the name. */
export const as = (userId: string) => (orgId: string) =>
  ({ userId, orgId, permissions: PERMISSIONS }) satisfies Caller

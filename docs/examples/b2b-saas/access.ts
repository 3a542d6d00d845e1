// What every customer has: the product as a project, and its roles.
import { type Caller, defineAccess, PERMISSIONS } from 'claviger'

/** What an admin of a customer may do in claviger: neither read secrets of providers nor change what is declared here. */
export const ADMIN = PERMISSIONS.filter((each) => !/\.secret\.|^desired_state\./.test(each))

export const access = defineAccess({
  managedBy: 'invoicing-code', // marks what is declared here: only that is ever pruned
  version: 2, // raise it with each change
  prune: true,
  projects: [
    {
      id: 'invoicing',
      name: 'Invoicing',
      settings: { projectRoleCheck: true }, // nobody opens it without a role
      roles: [
        { roleKey: 'viewer', displayName: 'Viewer', permissions: ['invoice.read'] },
        { roleKey: 'approver', displayName: 'Approver', permissions: ['invoice.approve'] },
        { roleKey: 'admin', displayName: 'Admin', permissions: ['webhook.write', ...ADMIN] },
      ],
    },
  ],
})

/** For calls of this server itself in the organization of a customer; history shows the name. */
export const as = (userId: string, orgId: string): { readonly caller: Caller } => ({
  caller: { userId, orgId, permissions: PERMISSIONS },
})

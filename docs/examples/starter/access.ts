// The roles of the application: change them here, and start again.
import { type Caller, defineAccess } from 'claviger'

export const access = defineAccess({
  managedBy: 'app',
  projects: [
    {
      id: 'invoicing',
      name: 'Invoicing',
      roles: [
        { roleKey: 'viewer', displayName: 'Viewer', permissions: ['invoice.read'] },
        {
          roleKey: 'approver',
          displayName: 'Approver',
          permissions: ['invoice.read', 'invoice.approve'],
        },
      ],
    },
  ],
})

/** The server itself, which declares the roles. */
export const server: Caller = {
  userId: 'server',
  orgId: 'acme',
  permissions: [
    'desired_state.write', // for its `managedBy`
    'identity_provider.read',
    'identity_provider.write',
    'project.read',
    'project.write',
    'project.role.read',
    'project.role.write',
    'project.grant.read',
    'project.grant.write',
    'role_mapping.read',
    'role_mapping.write',
    'membership.read',
    'membership.write',
    'user.grant.read',
    'user.grant.write',
    'event.read',
  ],
}

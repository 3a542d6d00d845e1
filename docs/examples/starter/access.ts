// The roles of the application: change them here, and start again.
import { type Caller, defineAccess } from 'claviger'

export const access = defineAccess({
  managedBy: 'app',
  projects: [
    {
      id: 'app',
      name: 'App',
      settings: { projectRoleCheck: true },
      roles: [
        { roleKey: 'reader', displayName: 'Reader', permissions: ['article.read'] },
        {
          roleKey: 'editor',
          displayName: 'Editor',
          permissions: ['article.read', 'article.edit'],
        },
      ],
    },
  ],
})

/** The server itself, which declares the roles, checks access, and is the admin while you develop. */
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
    'user.grant.read',
    'user.grant.write',
    'event.read',
  ],
}

// The product itself: who opens an application of it, with which roles.
import { type Iam, orThrow, roleClaims } from 'claviger'
import { Router } from 'express'
import type { Pool } from 'pg'
import { forUsers } from './routes.ts'
import type { CallerOf } from './session.ts'
import { roleKeysOf } from './users.ts'

/** What acts here: it reads projects and roles for users who may not. */
const appService = (customerId: string) => ({
  caller: {
    userId: 'apps',
    orgId: customerId,
    permissions: ['project.read', 'project.role.read'] as const,
  },
})

export const appRoutes = (iam: Iam, pool: Pool, callerOf: CallerOf): Router => {
  const routes = Router()
  routes.get(
    '/:projectId',
    forUsers(callerOf)(async ({ caller }, request) => {
      const id = String(request.params['projectId'])
      const context = appService(caller.orgId)
      const userRoleKeys = await roleKeysOf(pool, caller.userId, id)
      // Refused: inactive, or none of the roles that the project has now.
      await orThrow(iam.projects.checkLogin({ id, userOrgId: caller.orgId, userRoleKeys }, context))
      const project = await orThrow(iam.projects.get({ id }, context))
      const { items } = await orThrow(
        iam.projectRoles.list({ projectId: id, pageSize: 1_000 }, context),
      )
      return { project: project.name, roles: roleClaims({ project, roles: items }, userRoleKeys) }
    }),
  )
  return routes
}

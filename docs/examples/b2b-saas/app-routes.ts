// The product itself: who opens an application of it, with which roles.
import { type Iam, orThrow } from 'claviger'
import { Router } from 'express'
import { forUsers } from './routes.ts'
import type { CallerOf } from './session.ts'

/** What acts here: it reads projects, roles and who has them for users who may not. */
const appService = (customerId: string) => ({
  caller: {
    userId: 'apps',
    orgId: customerId,
    permissions: ['project.read', 'project.role.read', 'user.grant.read'] as const,
  },
})

export const appRoutes = (iam: Iam, callerOf: CallerOf): Router => {
  const routes = Router()
  routes.get(
    '/:projectId',
    forUsers(callerOf)(async ({ caller }, request) => {
      const id = String(request.params['projectId'])
      const context = appService(caller.orgId)
      const login = { id, userId: caller.userId, userOrgId: caller.orgId }
      // Refused: inactive, or no role of the project that counts now.
      await orThrow(iam.projects.checkLogin(login, context))
      const project = await orThrow(iam.projects.get({ id }, context))
      return {
        project: project.name,
        roles: await orThrow(iam.projects.roleClaims(login, context)),
      }
    }),
  )
  return routes
}

// What the admins of a customer do, in their own organization.
import { randomBytes } from 'node:crypto'
import { type Iam, IamFailure, orThrow } from 'claviger'
import { type Request, Router } from 'express'
import type { Pool } from 'pg'
import { forAdmins, sequenceIn } from './routes.ts'
import type { CallerOf } from './session.ts'

const param = (request: Request, name: string): string => String(request.params[name])
const page = ({ query }: Request) => ({
  pageSize: 100,
  ...(typeof query['pageToken'] === 'string' && { pageToken: query['pageToken'] }),
})

/** Bodies need no checks of ours: what is wrong with one is answered field by field. */
export const adminRoutes = (iam: Iam, pool: Pool, callerOf: CallerOf): Router => {
  const routes = Router()
  const as = forAdmins(callerOf)

  routes.get(
    '/projects',
    as((context, request) => orThrow(iam.projects.list(page(request), context))),
  )
  routes.post(
    '/projects',
    as((context, { body }) => orThrow(iam.projects.add(body, context))),
  )
  routes.patch(
    '/projects/:id',
    as((context, request) =>
      orThrow(iam.projects.patch({ ...request.body, id: param(request, 'id') }, context)),
    ),
  )

  const role = (request: Request) => ({
    projectId: param(request, 'projectId'),
    roleKey: param(request, 'roleKey'),
  })
  routes.get(
    '/projects/:projectId/roles',
    as((context, request) => {
      const projectId = param(request, 'projectId')
      return orThrow(iam.projectRoles.list({ ...page(request), projectId }, context))
    }),
  )
  routes.post(
    '/projects/:projectId/roles',
    as((context, request) => {
      const projectId = param(request, 'projectId')
      return orThrow(iam.projectRoles.add({ ...request.body, projectId }, context))
    }),
  )
  routes.patch(
    '/projects/:projectId/roles/:roleKey',
    as((context, request) =>
      orThrow(iam.projectRoles.patch({ ...request.body, ...role(request) }, context)),
    ),
  )
  routes.delete(
    '/projects/:projectId/roles/:roleKey',
    as((context, request) => orThrow(iam.projectRoles.remove(role(request), context))),
  )

  routes.get(
    '/providers',
    as((context, request) => orThrow(iam.identityProviders.list(page(request), context))),
  )
  routes.post(
    '/providers',
    as((context, { body }) => orThrow(iam.identityProviders.addOidc(body, context))),
  )
  routes.patch(
    '/providers/:idpId',
    as((context, request) => {
      const idpId = param(request, 'idpId')
      return orThrow(iam.identityProviders.patch({ ...request.body, idpId }, context))
    }),
  )

  routes.get(
    '/history',
    as((context, { query }) =>
      orThrow(iam.history.list({ after: sequenceIn(String(query['after'] ?? 0)) }, context)),
    ),
  )

  // From here on, rows of our own: the library knows neither users nor webhooks.
  routes.get(
    '/users',
    as(async ({ caller }) => {
      const text =
        'SELECT id, username, is_admin FROM app.users WHERE customer_id = $1 ORDER BY username'
      return { items: (await pool.query(text, [caller.orgId])).rows }
    }),
  )
  routes.put(
    '/users/:userId/roles/:projectId/:roleKey',
    as(async (context, request) => {
      const given = role(request)
      const { details } = await orThrow(iam.projectRoles.get(given, context)) // there is such a role
      const { rowCount } = await pool.query(
        `INSERT INTO app.user_roles
         SELECT customer_id, id, $3, $4, $5 FROM app.users WHERE customer_id = $1 AND id = $2
         ON CONFLICT (user_id, project_id, role_key) DO UPDATE SET role_sequence = excluded.role_sequence`,
        [
          context.caller.orgId,
          param(request, 'userId'),
          given.projectId,
          given.roleKey,
          String(details.sequence),
        ],
      )
      return { given: rowCount === 1 }
    }),
  )
  routes.put(
    '/webhook',
    as(async ({ caller }, { body }) => {
      if (!URL.canParse(body?.url)) {
        const violations = [{ field: 'url', description: 'must be a URL' }]
        throw new IamFailure({ kind: 'InvalidArgument', violations })
      }
      const secret = `whsec_${randomBytes(24).toString('base64')}`
      await pool.query(
        `INSERT INTO app.webhooks (customer_id, url, secret) VALUES ($1, $2, $3)
         ON CONFLICT (customer_id) DO UPDATE SET url = excluded.url, secret = excluded.secret`,
        [caller.orgId, new URL(body.url).href, secret],
      )
      return { webhookSecret: secret } // shown once
    }),
  )
  return routes
}

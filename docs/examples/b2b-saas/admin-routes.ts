// What the admins of a customer do, in their own organization.
import { randomBytes } from 'node:crypto'
import { type Caller, type Context, type Iam, IamFailure, orThrow } from 'claviger'
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

  /** A role for a user of the caller's, who is a row of ours. */
  const given = async ({ caller }: Context & { readonly caller: Caller }, request: Request) => {
    const { projectId, roleKey } = role(request)
    const user = { userId: param(request, 'userId'), projectId }
    const text = 'SELECT 1 FROM app.users WHERE customer_id = $1 AND id = $2'
    const { rowCount } = await pool.query(text, [caller.orgId, user.userId])
    if (rowCount === 1) return { user, roleKey }
    throw new IamFailure({ kind: 'NotFound', object: { type: 'user_grant', ...user } })
  }
  routes.put(
    '/users/:userId/roles/:projectId/:roleKey',
    as(async (context, request) => {
      const { user, roleKey } = await given(context, request)
      const grant = { ...user, roles: [{ roleKey }] }
      const { caller } = context // without a key: to give a role twice changes nothing
      const added = await iam.userGrants.addRoles(grant, { caller })
      const isFirst = added.isErr() && added.error.kind === 'NotFound'
      return isFirst ? orThrow(iam.userGrants.add(grant, { caller })) : orThrow(added)
    }),
  )
  routes.delete(
    '/users/:userId/roles/:projectId/:roleKey',
    as(async (context, request) => {
      const { user, roleKey } = await given(context, request)
      return orThrow(iam.userGrants.removeRoles({ ...user, roleKeys: [roleKey] }, context))
    }),
  )
  routes.get(
    '/projects/:projectId/users',
    as((context, request) => {
      const { pageToken } = page(request)
      const at =
        request.query['at'] === undefined ? undefined : new Date(String(request.query['at']))
      const projectId = param(request, 'projectId')
      return orThrow(iam.access.whoHas({ projectId, at, pageToken }, context))
    }),
  )

  // From here on, rows of our own: the library knows no names of users, and no webhooks.
  routes.get(
    '/users',
    as(async ({ caller }) => {
      const text =
        'SELECT id, username, is_admin FROM app.users WHERE customer_id = $1 ORDER BY username'
      return { items: (await pool.query(text, [caller.orgId])).rows }
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

import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { ANSWER_HEADERS, DETAILS, PROJECT, READ_HEADERS, ROLE } from '../http/bare-answers.ts'
import { TOKEN } from '../http/calls.ts'

/** Routes of Hono that parse the same body and answer the same bytes. */
export const bareHono = async (): Promise<RequestListener> => {
  const app = new Hono()
  app.post('/v1/projects/:projectId/roles', async (context) => {
    if (context.req.header('authorization') !== TOKEN) return context.body(null, 401)
    ROLE.parse(await context.req.json())
    return context.json({ details: DETAILS }, 200, ANSWER_HEADERS)
  })
  app.get('/v1/projects/:id', (context) => {
    if (context.req.header('authorization') !== TOKEN) return context.body(null, 401)
    return context.json({ project: { ...PROJECT, details: DETAILS } }, 200, READ_HEADERS)
  })
  return getRequestListener(app.fetch)
}

// Answers `auth_request` of nginx by asking an AuthZEN decision point.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'

/** What the adapter asks, and by whom it lets itself be identified. */
export interface AdapterOptions {
  /** `access_evaluation_endpoint` of the decision point. */
  readonly endpoint: string
  /** The token of this gateway. */
  readonly token: string
  /** The user of a request, by its session or token; undefined if there is none. */
  readonly userOf: (headers: IncomingHttpHeaders) => string | undefined
}

/** The permission that each method needs. */
const PERMISSIONS = new Map([
  ['GET', 'invoice.read'],
  ['POST', 'invoice.approve'],
])

/** Paths whose first segment is a project. Others are refused: the server behind might read them differently. */
const PATH = /^\/([a-z][a-z0-9-]*)(\/[a-z0-9-]+)*$/

/** Answers 204 where the request may pass, 401 without a user, 403 where it may not. */
export const createAdapter = ({ endpoint, token, userOf }: AdapterOptions): Server =>
  createServer(async ({ headers }, response) => {
    const status = await decide(headers).catch(() => 500)
    response.writeHead(status).end()

    async function decide(headers: IncomingHttpHeaders): Promise<number> {
      const id = userOf(headers)
      if (id === undefined) return 401
      const [, project] = PATH.exec(String(headers['x-original-uri'])) ?? []
      const name = PERMISSIONS.get(String(headers['x-original-method']))
      if (project === undefined || name === undefined) return 403
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-request-id': String(headers['x-request-id']),
        },
        body: JSON.stringify({
          subject: { type: 'user', id },
          action: { name },
          resource: { type: 'project', id: project },
        }),
        signal: AbortSignal.timeout(1_000),
      })
      // nginx makes a 500 of every other status: without a decision nobody passes.
      if (!answer.ok) return 500
      const { decision } = await answer.json()
      return decision === true ? 204 : 403
    }
  })

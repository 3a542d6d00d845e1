// A server with a guarded route and the admin console: `node main.ts`, then try the lines that it prints.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpStatusOf, IamFailure, orThrow } from 'claviger'
import { consoleHandler } from 'claviger/console'
import { access, server } from './access.ts'
import { as, fill, people } from './demo.ts'
import { close, iam } from './iam.ts'

await fill()
await orThrow(iam.apply(access, { caller: server }))

const signIn = process.env['SIGN_IN'] ? await import('./sign-in.ts') : undefined

const admin = consoleHandler(iam, {
  basePath: '/admin',
  // For development only: everybody who reaches this port is Ada. Answer the user of your session instead.
  authenticate: () => as('ada').caller,
  users: {
    describe: (ids) => people.filter(({ id }) => ids.includes(id)),
    find: (text) => people.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())),
  },
})

/** The guard: one question for own users and for those of advisers. */
const userOfProject = (userId: string) => {
  const { orgId } = as(userId).caller
  return iam.access.of({ userId, orgId, projectId: 'invoicing', projectOrgId: 'acme' })
}

/** The changes that the role of an approver rests on, as text. */
const why = async (userId: string): Promise<string> => {
  const role = { userId, projectId: 'invoicing', projectOrgId: 'acme', roleKey: 'approver' }
  const { allowed, reasons, because } = await orThrow(iam.access.explain(role, as(userId)))
  const verdict = allowed ? 'yes' : `no: ${reasons.map(({ kind }) => kind).join(', ')}`
  const changes = because.map((cause) => {
    const by = 'actor' in cause ? `  by ${cause.actor.userId}` : '' // not of another organization
    return `${cause.time.toISOString().slice(0, 10)}  ${cause.type}${by}`
  })
  return [`May ${userId} approve invoices? ${verdict}`, ...changes, ''].join('\n')
}

const http = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname.startsWith('/admin')) return admin(request, response)
  if (signIn && pathname.startsWith('/sign-in'))
    return signIn.signInRoutes(request, response, () =>
      response.setHeader('content-type', 'text/html').end(signIn.signInPage),
    )
  // Without sign-in, the address names the user: for development only.
  const userId = (signIn ? signIn.userOf(request) : (searchParams.get('user') ?? 'ben')) ?? ''
  if (signIn && !userId) return response.writeHead(303, { location: '/sign-in' }).end()
  try {
    if (pathname === '/why') return response.end(await why(userId))
    await userOfProject(userId).require('invoice.approve')
    response.end('Approved.\n')
  } catch (thrown) {
    response.statusCode = thrown instanceof IamFailure ? httpStatusOf(thrown.error) : 500
    response.end(`${thrown}\n`)
  }
})
http.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  console.log(`Ben may approve invoices until next week. Ask, see why, and take it from him:

  curl -i '${origin}/?user=ben'     200
  curl '${origin}/why?user=ben'     why
  ${origin}/admin/matrix?projectId=invoicing&userId=ben
                              press the cell under Approver, then Revoke
  curl -i '${origin}/?user=ben'     403

Cleo approves because of her group, and Dina of the adviser may only read.
Stop with Ctrl+C. The people and their history are in demo.ts.`)
})

process.once('SIGTERM', () => http.close(() => close()).closeAllConnections())

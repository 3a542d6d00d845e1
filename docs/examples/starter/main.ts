// A server with a guarded route and the admin console: `node main.ts`, then open the addresses that it prints.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpStatusOf, IamFailure, orThrow } from 'claviger'
import { consoleHandler } from 'claviger/console'
import { access, server } from './access.ts'
import { close, iam } from './iam.ts'

const context = { caller: server }
await orThrow(iam.apply(access, context))

// Ada may edit. A grant that is already there stays as it is.
const ada = { userId: 'ada', projectId: 'app', roles: [{ roleKey: 'editor' }] }
const added = await iam.userGrants.add(ada, context)
if (added.isErr() && added.error.kind !== 'AlreadyExists') throw new IamFailure(added.error)

// For development only: everybody who reaches this port is an admin. Answer the user of your session instead.
const admin = consoleHandler(iam, { basePath: '/admin', authenticate: () => server })

const signIn = process.env['SIGN_IN'] ? await import('./sign-in.ts') : undefined

const http = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname.startsWith('/admin')) return admin(request, response)
  if (signIn && pathname.startsWith('/sign-in'))
    return signIn.signInRoutes(request, response, () =>
      response.setHeader('content-type', 'text/html').end(signIn.signInPage),
    )
  // Without sign-in, the address names the user: for development only.
  const userId = (signIn ? signIn.userOf(request) : searchParams.get('user')) ?? ''
  if (signIn && !userId) return response.writeHead(303, { location: '/sign-in' }).end()
  try {
    await orThrow(
      iam.access.require({ userId, projectId: 'app', permission: 'article.edit' }, context),
    )
    response.end('You may edit articles.\n')
  } catch (thrown) {
    response.statusCode = thrown instanceof IamFailure ? httpStatusOf(thrown.error) : 500
    response.end(`${thrown}\n`)
  }
})
http.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}/?user=ada  may edit`)
  console.log(`http://127.0.0.1:${port}/?user=bob  may not`)
  console.log(`http://127.0.0.1:${port}/admin      shows why, and gives roles`)
})

process.once('SIGTERM', () => http.close(() => close()).closeAllConnections())

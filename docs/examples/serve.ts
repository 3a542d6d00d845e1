// A demo host: `npm run serve` keeps an SQLite file and serves it in every protocol, with tokens for development.
import { resolveTxt } from 'node:dns/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  type Permission,
  permissionsFromCaller,
} from 'claviger'
import { consoleHandler } from 'claviger/console'
import { openIdSignIn } from 'claviger/oidc'
import { openSqlite } from 'claviger/sqlite'
import { nodeHandler } from 'claviger/transport'
import { getPublicSuffix } from 'tldts'

/** `npm run serve -- other.db` keeps another file. */
const file = process.argv[2] ?? 'claviger-demo.db'
const { HTTP_PORT = '8080', GRPC_PORT = '8081' } = process.env

const { close, ...opened } = openSqlite(file)
const iam = createIam({
  ...opened,
  // For a demo alone: whoever has this file can open its secrets. A host takes the key from a secret manager.
  secrets: aesGcmCipher({ current: 'demo', keys: { demo: new Uint8Array(32).fill(1) } }),
  authorize: permissionsFromCaller,
  domains: { resolveTxt, isPublicSuffix: (domain) => getPublicSuffix(domain) === domain },
})

const reading: Permission[] = [
  'identity_provider.read',
  'project.read',
  'project.role.read',
  'project.grant.read',
  'user.grant.read',
  'domain.read',
  'event.read',
]
const writing: Permission[] = [
  'desired_state.write',
  'identity_provider.write',
  'project.write',
  'project.role.write',
  'project.grant.write',
  'user.grant.write',
  'domain.write',
  'setup_link.read',
  'setup_link.write',
]

/** A host asks its own sessions or its identity provider; here, a token is drawn at every start. */
const draw = (): string => crypto.randomUUID().replaceAll('-', '')
const [admin, reader] = [draw(), draw()]
const callers = new Map<string, Caller>([
  [
    `Bearer ${admin}`,
    { userId: 'demo-admin', orgId: 'acme', permissions: [...reading, ...writing] },
  ],
  [`Bearer ${reader}`, { userId: 'demo-reader', orgId: 'acme', permissions: reading }],
])

const handler = nodeHandler(iam, {
  authenticate: (headers) => callers.get(headers.get('authorization') ?? ''),
  onError: (cause, { correlationId, method }) => console.error(method, correlationId, cause),
})

// In plain text, HTTP/1.1 and HTTP/2 need a port each. With a certificate, one port serves both:
// `http2.createSecureServer({ key, cert, allowHTTP1: true }, handler)`.
/** Tests providers for the console; nobody signs in here. */
const signIn = openIdSignIn({
  iam,
  caller: {
    userId: 'demo',
    orgId: 'acme',
    permissions: ['identity_provider.read', 'identity_provider.secret.read'],
  },
  callbackBase: 'https://app.example/sign-in/callback',
  key: crypto.getRandomValues(new Uint8Array(32)),
})
const pages = consoleHandler(iam, {
  basePath: '/console',
  testIdentityProvider: signIn.test,
  authenticate: (headers) => callers.get(`Bearer ${tokenIn(headers.get('cookie') ?? '')}`),
})
/** The token in the cookie that the page at /sign-in sets. */
const tokenIn = (cookies: string): string => /(?:^|; )demo=(\w+)/.exec(cookies)?.[1] ?? ''

const SIGN_IN = `<!doctype html><html lang="en"><title>Sign in</title>
<form method="post"><label>Token <input type="password" name="token" required></label> <button>Sign in</button></form>`

const showSignIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST')
    return void response.setHeader('content-type', 'text/html').end(SIGN_IN)
  const token = new URLSearchParams(await text(request)).get('token') ?? ''
  const cookie = `demo=${token.replaceAll(/\W/g, '')}; HttpOnly; SameSite=Strict; Path=/console`
  response.writeHead(303, { 'set-cookie': cookie, location: '/console/' }).end()
}

const http = createServer((request, response) => {
  if (request.url === '/sign-in') void showSignIn(request, response)
  else if (request.url?.startsWith('/console')) pages(request, response)
  else handler(request, response)
})
const http2 = createHttp2Server(handler)

const listen = (server: Server, port: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(port), '127.0.0.1', () => {
      const { port: taken } = server.address() as AddressInfo
      resolve(taken)
    })
  })

const httpOrigin = `http://localhost:${await listen(http, HTTP_PORT)}`
const grpcOrigin = `http://localhost:${await listen(http2, GRPC_PORT)}`

const proto = 'src/transport/proto'

console.log(`claviger serves ${file}

  JSON and gRPC-web   ${httpOrigin}          OpenAPI: ${httpOrigin}/openapi.json
  gRPC                ${grpcOrigin}          .proto files: ${proto}

  console             ${httpOrigin}/sign-in   with one of these tokens

  tokens until this process ends:
    ${admin}  may read and write in the organization acme
    ${reader}  may only read there

Add a project, and a role to it:

  curl -s ${httpOrigin}/v1/projects -H 'Authorization: Bearer ${admin}' -H 'Content-Type: application/json' -d '{"id":"portal","name":"Portal"}'
  curl -s ${httpOrigin}/v1/projects/portal/roles -H 'Authorization: Bearer ${admin}' -H 'Content-Type: application/json' -d '{"roleKey":"editor","displayName":"Editor","group":"content"}'

Add an identity provider over gRPC, and list the projects over gRPC and gRPC-web:

  npx buf curl --schema ${proto} --protocol grpc --http2-prior-knowledge -H 'Authorization: Bearer ${admin}' -d '{"name":"Google","stylingType":"STYLING_TYPE_GOOGLE","clientId":"client-1","clientSecret":"hush","issuer":"https://accounts.google.com","scopes":["openid","email"]}' ${grpcOrigin}/claviger.v1.IdentityProviderService/AddOidcIdentityProvider
  npx buf curl --schema ${proto} --protocol grpc --http2-prior-knowledge -H 'Authorization: Bearer ${reader}' -d '{}' ${grpcOrigin}/claviger.v1.ProjectService/ListProjects
  npx buf curl --schema ${proto} --protocol grpcweb -H 'Authorization: Bearer ${reader}' -d '{}' ${httpOrigin}/claviger.v1.ProjectService/ListProjects

See what a refusal looks like:

  curl -s ${httpOrigin}/v1/projects/portal/roles -H 'Authorization: Bearer ${reader}' -H 'Content-Type: application/json' -d '{"roleKey":"viewer","displayName":"Viewer"}'

Stop with Ctrl+C.`)

const stop = () => {
  http.closeAllConnections()
  http.close()
  http2.close()
  void close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)

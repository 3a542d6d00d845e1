// A demo host: `npm run serve` keeps an SQLite file and serves it in every protocol, with tokens for development.
import { resolveTxt } from 'node:dns/promises'
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  type Permission,
  permissionsFromCaller,
} from 'claviger'
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
  'identity_provider.write',
  'project.write',
  'project.role.write',
  'project.grant.write',
  'user.grant.write',
  'domain.write',
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
const http = createServer(handler)
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

  tokens until this process ends:
    ${admin}  may read and write in the organization acme
    ${reader}  may only read there

Add a project, and a role to it:

  curl -s ${httpOrigin}/v1/projects -H 'Authorization: Bearer ${admin}' -H 'Content-Type: application/json' -d '{"id":"portal","name":"Portal"}'
  curl -s ${httpOrigin}/v1/projects/portal/roles -H 'Authorization: Bearer ${admin}' -H 'Content-Type: application/json' -d '{"roleKey":"editor","displayName":"Editor","group":"content"}'

Add an identity provider over gRPC, and list the projects over gRPC and gRPC-web:

  npx buf curl --protocol grpc --http2-prior-knowledge -H 'Authorization: Bearer ${admin}' -d '{"name":"Google","stylingType":"STYLING_TYPE_GOOGLE","clientId":"client-1","clientSecret":"hush","issuer":"https://accounts.google.com","scopes":["openid","email"]}' ${grpcOrigin}/claviger.v1.IdentityProviderService/AddOidcIdentityProvider
  npx buf curl --protocol grpc --http2-prior-knowledge -H 'Authorization: Bearer ${reader}' -d '{}' ${grpcOrigin}/claviger.v1.ProjectService/ListProjects
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

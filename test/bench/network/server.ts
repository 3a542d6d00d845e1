import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import {
  aesGcmCipher,
  createIam,
  memoryEventStore,
  type Permission,
  permissionsFromCaller,
} from 'claviger'
import { nodeHandler, ProjectRoleService, ProjectService } from 'claviger/transport'
import fastify from 'fastify'
import * as z from 'zod'
import { TOKEN } from './calls.ts'

const permissions: readonly Permission[] = ['project.read', 'project.write', 'project.role.write']
const CALLER = { userId: 'u1', orgId: 'acme', permissions: [...permissions] }
const DETAILS = {
  sequence: '1769851800250000',
  creationDate: '2026-01-31T09:30:00.250Z',
  changeDate: '2026-01-31T09:30:00.250Z',
  resourceOwner: 'acme',
}

/** What is answered about the project of the benchmark. */
const PROJECT = {
  id: 'portal',
  name: 'Portal',
  projectRoleAssertion: false,
  projectRoleCheck: false,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  state: 'STATE_ACTIVE',
}

const claviger = async (): Promise<RequestListener> => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })
  const added = await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller: CALLER })
  if (added.isErr()) throw new Error(added.error.kind)
  return nodeHandler(iam, {
    authenticate: (headers) => (headers.get('authorization') === TOKEN ? CALLER : undefined),
  })
}

const ROLE = z.strictObject({
  roleKey: z.string().min(1).max(200),
  displayName: z.string().min(1).max(200),
  group: z.string().max(200).default(''),
})

const ANSWER_HEADERS = { 'cache-control': 'no-store', etag: `"${DETAILS.sequence}"` }
const READ_HEADERS = { ...ANSWER_HEADERS, vary: 'Authorization, Cookie, x-service-orgid' }

/** Routes of Fastify that parse the same body and answer the same bytes. */
const bareJson = async (): Promise<RequestListener> => {
  const app = fastify()
  app.post('/v1/projects/:projectId/roles', (request, reply) => {
    if (request.headers.authorization !== TOKEN) return reply.code(401).send()
    ROLE.parse(request.body)
    return reply.headers(ANSWER_HEADERS).send({ details: DETAILS })
  })
  app.get('/v1/projects/:id', (request, reply) => {
    if (request.headers.authorization !== TOKEN) return reply.code(401).send()
    return reply.headers(READ_HEADERS).send({ project: { ...PROJECT, details: DETAILS } })
  })
  await app.ready()
  return app.routing
}

/** Rpcs of ConnectRPC that answer the same messages. */
const bareRpc = (router: ConnectRouter): void => {
  const time = timestampFromDate(new Date(DETAILS.creationDate))
  const details = {
    sequence: BigInt(DETAILS.sequence),
    creationDate: time,
    changeDate: time,
    resourceOwner: 'acme',
  }
  router.rpc(ProjectRoleService.method.addProjectRole, () => ({ details }))
  router.rpc(ProjectService.method.getProject, () => ({
    project: { id: 'portal', name: 'Portal', state: 1, details },
  }))
}

const [server, protocol] = process.argv.slice(2)

const listener = async (): Promise<RequestListener> => {
  if (server === 'claviger') return claviger()
  return protocol === 'rest' ? bareJson() : connectNodeAdapter({ routes: bareRpc })
}

const listen = await listener()
// The listeners of both take what HTTP/2 has in their place.
const made = protocol === 'grpc' ? createHttp2Server(listen as never) : createServer(listen)
made.listen(0, '127.0.0.1', () => {
  const { port } = made.address() as AddressInfo
  process.send?.(port)
})
process.once('disconnect', () => process.exit())

import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import {
  aesGcmCipher,
  type Context,
  createIam,
  httpStatusOf,
  type Iam,
  type IamError,
  memoryEventStore,
  type NewRoleInput,
  type ObjectDetails,
  type Permission,
  permissionsFromCaller,
  toStatus,
} from 'claviger'
import { nodeHandler, ProjectRoleService, ProjectService } from 'claviger/transport'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { ANSWER_HEADERS, DETAILS, PROJECT, READ_HEADERS, ROLE } from './bare-answers.ts'
import { type Server, TOKEN } from './calls.ts'

const permissions: readonly Permission[] = ['project.read', 'project.write', 'project.role.write']
const CALLER = { userId: 'u1', orgId: 'acme', permissions: [...permissions] }
const newIam = async (): Promise<Iam> => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })
  const added = await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller: CALLER })
  if (added.isErr()) throw new Error(added.error.kind)
  return iam
}

const claviger = async (): Promise<RequestListener> =>
  nodeHandler(await newIam(), {
    authenticate: (headers) => (headers.get('authorization') === TOKEN ? CALLER : undefined),
  })

/** What a host would write in Fastify on the same `iam`: the same bodies, statuses and headers. */
const byHand = async (): Promise<RequestListener> => {
  const iam = await newIam()
  const app = fastify()
  const contextOf = ({ headers }: FastifyRequest): Context => ({
    caller: headers.authorization === TOKEN ? CALLER : undefined,
    orgId: headers['x-service-orgid']?.toString(),
  })
  const refuse = (reply: FastifyReply, error: IamError) => {
    const status = toStatus(error)
    return reply.code(httpStatusOf(status)).send(status)
  }
  const detailsOf = ({ sequence, ...details }: ObjectDetails) => ({
    sequence: String(sequence),
    ...details,
  })
  app.post<{ Params: { projectId: string }; Body: NewRoleInput }>(
    '/v1/projects/:projectId/roles',
    async (request, reply) => {
      const role = { ...request.params, ...request.body }
      const added = await iam.projectRoles.add(role, contextOf(request))
      if (added.isErr()) return refuse(reply, added.error)
      const { details } = added.value
      reply.headers({ 'cache-control': 'no-store', etag: `"${details.sequence}"` })
      return { details: detailsOf(details) }
    },
  )
  app.get<{ Params: { id: string } }>('/v1/projects/:id', async (request, reply) => {
    const found = await iam.projects.get({ id: request.params.id }, contextOf(request))
    if (found.isErr()) return refuse(reply, found.error)
    const { details, state, ...project } = found.value
    reply.headers({ ...READ_HEADERS, etag: `"${details.sequence}"` })
    return {
      project: { ...project, state: `STATE_${state.toUpperCase()}`, details: detailsOf(details) },
    }
  })
  await app.ready()
  return app.routing
}

/** Routes of Fastify that parse the same body and answer the same bytes. */
const bareFastify = async (): Promise<RequestListener> => {
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

// The compiler does not follow this name: peers are a package of their own.
const HONO: string = '../peers/hono.ts'

const LISTENERS: Readonly<Record<Server, () => Promise<RequestListener>>> = {
  claviger,
  'route by hand': byHand,
  'Fastify and zod': bareFastify,
  'Hono and zod': async () => (await import(HONO)).bareHono(),
  ConnectRPC: async () => connectNodeAdapter({ routes: bareRpc }),
}

const [server, protocol] = process.argv.slice(2)
const listen = await LISTENERS[server as Server]()
// The listeners of both take what HTTP/2 has in their place.
const made = protocol === 'grpc' ? createHttp2Server(listen as never) : createServer(listen)
made.listen(0, '127.0.0.1', () => {
  const { port } = made.address() as AddressInfo
  process.send?.(port)
})
// Answers any message with the microseconds of processor time since the one before it.
let before = process.cpuUsage()
process.on('message', () => {
  const { user, system } = process.cpuUsage(before)
  before = process.cpuUsage()
  process.send?.(user + system)
})
process.once('disconnect', () => process.exit())

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import {
  aesGcmCipher,
  type Context,
  createIam,
  httpStatusOf,
  type IamError,
  memoryEventStore,
  type ObjectDetails,
  PERMISSIONS,
  permissionsFromCaller,
  toJson,
} from 'claviger'
import { ProjectRoleService, ProjectService } from 'claviger/client'
import { nodeHandler } from 'claviger/transport'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { ANSWER_HEADERS, DETAILS, PROJECT, READ_HEADERS, ROLE } from './bare-answers.ts'
import { type Server, TOKEN } from './calls.ts'

const CALLER = { userId: 'u1', orgId: 'acme', permissions: PERMISSIONS }

const openIam = async () => {
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
  nodeHandler(await openIam(), {
    authenticate: (headers) => (headers.get('authorization') === TOKEN ? CALLER : undefined),
  })

/** The routes that a host writes by hand: the same methods, the same answers. */
const fastifyOnClaviger = async (): Promise<RequestListener> => {
  const iam = await openIam()
  const app = fastify()
  const contextOf = ({ headers }: FastifyRequest): Context | undefined =>
    headers.authorization === TOKEN ? { caller: CALLER } : undefined
  const refuse = (reply: FastifyReply, error: IamError) =>
    reply.code(httpStatusOf(error)).send({ error: toJson(error) })
  const shown = (details: ObjectDetails) => ({ ...details, sequence: String(details.sequence) })

  app.post<{ Params: { projectId: string }; Body: { roleKey: string; displayName: string } }>(
    '/v1/projects/:projectId/roles',
    async (request, reply) => {
      const context = contextOf(request)
      if (!context) return reply.code(401).send()
      const { projectId } = request.params
      const added = await iam.projectRoles.add({ ...request.body, projectId }, context)
      if (added.isErr()) return refuse(reply, added.error)
      const { details } = added.value
      return reply
        .headers({ ...ANSWER_HEADERS, etag: `"${details.sequence}"` })
        .send({ details: shown(details) })
    },
  )
  app.get<{ Params: { id: string } }>('/v1/projects/:id', async (request, reply) => {
    const context = contextOf(request)
    if (!context) return reply.code(401).send()
    const got = await iam.projects.get({ id: request.params.id }, context)
    if (got.isErr()) return refuse(reply, got.error)
    const { details, ...project } = got.value
    return reply
      .headers({ ...READ_HEADERS, etag: `"${details.sequence}"` })
      .send({ project: { ...project, details: shown(details) } })
  })
  await app.ready()
  return app.routing
}

/** Routes of Fastify that parse the same body and answer the same bytes, and do nothing. */
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

/** Rpcs of ConnectRPC that answer the same messages, and do nothing. */
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

const LISTENERS: Readonly<Record<Server, () => Promise<RequestListener>>> = {
  claviger,
  'Fastify by hand on claviger': fastifyOnClaviger,
  'bare Fastify': bareFastify,
  'bare ConnectRPC': async () => connectNodeAdapter({ routes: bareRpc }),
}

const listen = await LISTENERS[process.argv[2] as Server]()
const server = createServer(listen)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.(port)
})
// Any message asks for the time of the processor so far, in microseconds.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.once('disconnect', () => process.exit())

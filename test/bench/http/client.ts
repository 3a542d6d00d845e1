import { create, type DescMethodUnary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { ProjectRoleService, ProjectService } from 'claviger/client'
import { type Operation, type Protocol, TOKEN } from './calls.ts'

/** What a server is called with for some seconds, by a process of its own. */
export interface Load {
  readonly protocol: Protocol
  readonly operation: Operation
  readonly port: number
  readonly seconds: number
}

/** Calls over HTTP/1.1. */
export interface Http {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  /** A new body for each call; none when absent. */
  readonly bodyOf?: (() => string | Buffer) | undefined
  /** Whether a body with a status of 200 is the answer; all are when absent. */
  readonly isAnswer?: ((body: string) => boolean) | undefined
  readonly port: number
  readonly connections: number
  readonly seconds: number
}

// The compiler does not follow this name: peers are a package of their own.
const AUTOCANNON: string = '../peers/autocannon.ts'
const { callHttp }: { callHttp: (calls: Http) => Promise<number> } = await import(AUTOCANNON)

const CONNECTIONS = 16
const JSON_HEADERS = { authorization: TOKEN, 'content-type': 'application/json' }

let roles = 0
const run = Date.now().toString(36)
const nextRole = () => ({ roleKey: `${run}-${roles++}`, displayName: 'Editor', group: 'content' })

/** A call in gRPC-web: one message behind a flag and its length. The status is at the end of the answer. */
const grpcWeb = <Rpc extends DescMethodUnary>(
  { parent, name, input }: Rpc,
  messageOf: () => MessageInitShape<Rpc['input']>,
) => ({
  method: 'POST' as const,
  path: `/${parent.typeName}/${name}`,
  headers: { authorization: TOKEN, 'content-type': 'application/grpc-web+proto' },
  bodyOf: () => {
    const message = toBinary(input, create<Rpc['input']>(input, messageOf()))
    const frame = Buffer.alloc(5 + message.length)
    frame.writeUInt32BE(message.length, 1)
    frame.set(message, 5)
    return frame
  },
  isAnswer: (body: string) => /grpc-status: ?0/.test(body),
})

const REQUESTS: Readonly<
  Record<
    Protocol,
    Record<Operation, Pick<Http, 'method' | 'path' | 'headers' | 'bodyOf' | 'isAnswer'>>
  >
> = {
  rest: {
    get: { method: 'GET', path: '/v1/projects/portal', headers: { authorization: TOKEN } },
    post: {
      method: 'POST',
      path: '/v1/projects/portal/roles',
      headers: JSON_HEADERS,
      bodyOf: () => JSON.stringify(nextRole()),
    },
  },
  connect: {
    get: {
      method: 'POST',
      path: '/claviger.v1.ProjectService/GetProject',
      headers: { ...JSON_HEADERS, 'connect-protocol-version': '1' },
      bodyOf: () => '{"id":"portal"}',
    },
    post: {
      method: 'POST',
      path: '/claviger.v1.ProjectRoleService/AddProjectRole',
      headers: { ...JSON_HEADERS, 'connect-protocol-version': '1' },
      bodyOf: () => JSON.stringify({ projectId: 'portal', ...nextRole() }),
    },
  },
  'grpc-web': {
    get: grpcWeb(ProjectService.method.getProject, () => ({ id: 'portal' })),
    post: grpcWeb(ProjectRoleService.method.addProjectRole, () => ({
      projectId: 'portal',
      ...nextRole(),
    })),
  },
}

// Answers a load with the number of its calls.
process.on('message', async ({ protocol, operation, port, seconds }: Load) => {
  const request = REQUESTS[protocol][operation]
  process.send?.(await callHttp({ ...request, port, seconds, connections: CONNECTIONS }))
})
process.once('disconnect', () => process.exit())

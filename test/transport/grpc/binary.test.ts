import { createServer } from 'node:http2'
import { create, toBinary } from '@bufbuild/protobuf'
import * as grpc from '@grpc/grpc-js'
import { ProjectRoleService, ProjectService } from 'claviger/client'
import { nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statusOf } from '../clients/rpc-status.js'
import { openIam, transportOptions } from '../host.js'
import { violationsIn } from '../http-client.js'
import { listening } from '../servers.js'

const same = (bytes: Buffer) => bytes

/** Sends bytes as a gRPC request, and answers with its error. */
const openGrpc = async () => {
  const iam = await openIam()
  const { options, failures } = transportOptions()
  const server = createServer(nodeHandler(iam, options))
  const origin = await listening(server)
  const client = new grpc.Client(origin.slice('http://'.length), grpc.credentials.createInsecure())
  onTestFinished(() => {
    client.close()
    server.close()
  })
  const send = (path: string, bytes: Uint8Array): Promise<grpc.ServiceError | null> =>
    new Promise((resolve) => {
      const metadata = new grpc.Metadata()
      metadata.set('authorization', 'Bearer admin')
      client.makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, (error) =>
        resolve(error),
      )
    })
  return { send, failures }
}

const violationsOf = (error: grpc.ServiceError | null) => {
  const [bytes] = error?.metadata.get('grpc-status-details-bin') ?? []
  return violationsIn(statusOf(Buffer.from(bytes ?? '')) as never)
}

const UPDATE = '/claviger.v1.ProjectService/UpdateProject'
const LIST = '/claviger.v1.ProjectService/ListProjects'
const ADD_ROLES = '/claviger.v1.ProjectRoleService/AddProjectRoles'

const project = toBinary(
  ProjectService.method.updateProject.input,
  create(ProjectService.method.updateProject.input, { id: 'portal', name: 'Portal' }),
)

/** A varint field. */
const field = (number: number, value: number) => [(number << 3) & 0x7f, value]

describe('A binary request', () => {
  it('is refused for a field that no message of ours has', async () => {
    const { send } = await openGrpc()
    const error = await send(UPDATE, new Uint8Array([...project, ...field(14, 1)]))
    expect(error?.code).toBe(grpc.status.INVALID_ARGUMENT)
    expect(violationsOf(error)).toEqual({ '': 'must not have a field numbered 14' })
  })

  it('is refused for such a field in a nested message', async () => {
    const { send } = await openGrpc()
    const { input } = ProjectService.method.listProjects
    const message = create(input, { filter: { name: { equals: 'Portal' } } })
    message.filter!.name!.$unknown = [{ no: 9, wireType: 0, data: new Uint8Array([1]) }]
    const error = await send(LIST, toBinary(input, message))
    expect(error?.code).toBe(grpc.status.INVALID_ARGUMENT)
    expect(violationsOf(error)).toEqual({ 'filter.name': 'must not have a field numbered 9' })
  })

  it('is refused for such a field in one of several nested messages', async () => {
    const { send } = await openGrpc()
    const { input } = ProjectRoleService.method.addProjectRoles
    const role = { roleKey: 'a', displayName: 'A' }
    const message = create(input, { projectId: 'portal', roles: [role, role] })
    message.roles[1]!.$unknown = [{ no: 9, wireType: 0, data: new Uint8Array([1]) }]
    const error = await send(ADD_ROLES, toBinary(input, message))
    expect(error?.code).toBe(grpc.status.INVALID_ARGUMENT)
    expect(violationsOf(error)).toEqual({ 'roles[1]': 'must not have a field numbered 9' })
  })

  it('is refused for the number of an enum value that there is not', async () => {
    const { send } = await openGrpc()
    const error = await send(UPDATE, new Uint8Array([...project, ...field(6, 99)]))
    expect(error?.code).toBe(grpc.status.INVALID_ARGUMENT)
    expect(Object.keys(violationsOf(error))).toEqual(['privateLabelingSetting'])
  })

  it('is taken when it is well-formed', async () => {
    const { send } = await openGrpc()
    expect(await send(UPDATE, new Uint8Array([...project, ...field(6, 2)]))).toBeNull()
  })

  it('is refused if it is not protobuf, or larger than 1 MiB', async () => {
    const { send, failures } = await openGrpc()
    const broken = await send(UPDATE, new Uint8Array([0x0a, 0x7f, 0x01]))
    expect(broken?.code).toBe(grpc.status.INTERNAL)
    const large = await send(UPDATE, new Uint8Array(1024 * 1024 + 1))
    expect(large?.code).toBe(grpc.status.RESOURCE_EXHAUSTED)
    expect(failures).toEqual([])
  })
})

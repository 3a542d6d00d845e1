import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { ProjectRoleService, ProjectService } from 'claviger/client'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../src/transport/grpc/codec.js'
import { readJson } from '../../../src/transport/json/read.js'
import { AddProjectRolesRequest, ListProjectsRequest } from '../../../src/transport/wire.js'
import { callers, openIam, transportOptions } from '../host.js'
import { violationsIn } from '../http-client.js'

const { addProjectRoles } = ProjectRoleService.method
const roles = Array.from({ length: 3_000 }, (_, index) => ({
  roleKey: `role-${index}`,
  displayName: 'Role',
}))

const open = async () => {
  const iam = await openIam()
  const handler = fetchHandler(iam, transportOptions().options)
  const call = (token: string, type: string, body: BodyInit) =>
    handler(
      new Request('http://localhost/claviger.v1.ProjectRoleService/AddProjectRoles', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
      }),
    )
  return { iam, call }
}

const framed = (message: Uint8Array) => {
  const head = new DataView(new ArrayBuffer(5))
  head.setUint32(1, message.length)
  return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), message]))
}

describe('A list with too many items', () => {
  const request = { projectId: 'portal', roles }
  const json = JSON.stringify(request)
  const message = toBinary(addProjectRoles.input, create(addProjectRoles.input, request))

  it('is refused in JSON, to a permitted caller alone', async () => {
    const { iam, call } = await open()
    const answer = await call('admin', 'application/json', json)
    expect(answer.status).toBe(400)
    expect(violationsIn(await answer.json())).toEqual({ roles: 'must have at most 1000 items' })
    expect((await call('guest', 'application/json', json)).status).toBe(403)
    const list = await iam.projectRoles.list({ projectId: 'portal' }, { caller: callers['admin'] })
    expect(list._unsafeUnwrap().totalSize).toBe(1)
  })

  it('is refused in gRPC-web, to a permitted caller alone', async () => {
    const { call } = await open()
    const type = 'application/grpc-web+proto'
    const told = await (await call('admin', type, framed(message))).text()
    expect(told).toContain('grpc-status: 3')
    expect(await (await call('guest', type, framed(message))).text()).toContain('grpc-status: 7')
  })

  it('has as many as are allowed added', async () => {
    const { call } = await open()
    const body = JSON.stringify({ projectId: 'portal', roles: roles.slice(0, 1_000) })
    expect((await call('admin', 'application/json', body)).status).toBe(200)
  })
})

describe('The parts of a message', () => {
  const count = (bytes: Uint8Array) => readMessage(AddProjectRolesRequest, bytes)
  const times = (count: number, bytes: readonly number[]) =>
    new Uint8Array(Array.from({ length: count }, () => bytes).flat())

  it('are counted at any depth, and may be 150,000', () => {
    // Roles with a key and two texts more, and a project id that is given again and again.
    const roles = times(30_000, [0x12, 6, 0x0a, 0, 0x12, 0, 0x1a, 0])
    expect(() => count(roles)).not.toThrow()
    expect(() => count(times(150_000, [0x0a, 0]))).not.toThrow()
    expect(violationsOf(() => count(times(150_001, [0x0a, 0])))).toEqual({
      '': 'must have at most 150000 fields and items',
    })
  })

  it('may not be unknown, and each unknown number of a message is named once', () => {
    const inRole = [0x12, 2, 0x78, 1]
    const unknown = 'must not have a field numbered 15'
    expect(violationsOf(() => count(times(2, inRole)))).toEqual({
      'roles[0]': unknown,
      'roles[1]': unknown,
    })
    expect(violationsOf(() => count(times(1_000, [0x70, 1])))).toEqual({
      '': 'must not have a field numbered 14',
    })
  })

  it('may be of every kind, and given several times', () => {
    const desc = ProjectService.method.listProjects.input
    const parts: MessageInitShape<typeof desc>[] = [
      { pageSize: 1, filter: { name: { equals: 'a' } } },
      { pageSize: -2, pageToken: 't', filter: { name: { contains: 'b' }, state: 1 } },
    ]
    const written = parts.map((part) => toBinary(desc, create(desc, part)))
    // The last of a value counts, and messages are merged.
    expect(readMessage(ListProjectsRequest, Buffer.concat(written))).toMatchObject({
      pageSize: -2,
      pageToken: 't',
      filter: { name: { equals: 'a', contains: 'b' }, state: 'active' },
    })
  })

  it.each([
    ['a list of numbers', [0x10, 1]],
    ['a text that is a number', [0x08, 1]],
    ['a text that ends early', [0x0a, 5, 0x61]],
    ['a role that ends behind the message', [0x12, 0x7f, 0x0a, 0]],
    ['a role whose key ends behind it', [0x12, 2, 0x0a, 9, 0x12, 0, 0x12, 0, 0x12, 0, 0x12, 0]],
    ['a group without an end', [0x7b]],
  ])('are not those of protobuf with %s', (_, bytes) => {
    expect(statusOf(() => count(new Uint8Array(bytes)))).toMatchObject({
      code: 13,
      message: 'The message is not valid protobuf',
    })
  })

  it('are told as too many in gRPC-web', async () => {
    const { call } = await open()
    const body = framed(times(150_001, [0x0a, 0]))
    const told = await (await call('admin', 'application/grpc-web+proto', body)).text()
    const text = told.replace(/[\w+/]{40,}/g, (found) => Buffer.from(found, 'base64').toString())
    expect(text).toContain('must have at most 150000 fields and items')
  })
})

const statusOf = (read: () => unknown) => {
  try {
    return read()
  } catch (thrown) {
    return Object(thrown).status
  }
}

const violationsOf = (read: () => unknown) => violationsIn(Object(statusOf(read)))

describe('JSON', () => {
  const rolesIn = (json: Readonly<Record<string, unknown>>) =>
    readJson(AddProjectRolesRequest, json)['roles'] as Record<string, string>[]

  it('is read up to one item more than are allowed', () => {
    const read = rolesIn({ projectId: 'portal', roles })
    expect(read).toEqual(
      roles.slice(0, 1_001).map((role) => ({ ...role, group: '', permissions: [] })),
    )
  })

  it('keeps texts as they are, for the library to refuse', async () => {
    const long = { roleKey: `x${'😀'.repeat(500)}`, displayName: '😀'.repeat(500), group: 'g' }
    expect(rolesIn({ projectId: 'portal', roles: [long] })).toEqual([{ ...long, permissions: [] }])
    const { call } = await open()
    const body = JSON.stringify({ projectId: 'portal', roles: [long] })
    expect(violationsIn(await (await call('admin', 'application/json', body)).json())).toEqual({
      'roles[0].roleKey': 'must be at most 200 characters',
      'roles[0].displayName': 'must be at most 200 characters',
    })
  })

  it('may have either name of a field, and null for an absent one', () => {
    const json = { projectId: 'portal', roles: [{ role_key: '😀'.repeat(200), group: null }] }
    expect(rolesIn(json)).toEqual([
      { roleKey: '😀'.repeat(200), displayName: '', group: '', permissions: [] },
    ])
  })
})

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { fetchHandler, ProjectRoleService, ProjectService } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { readJson } from '../../../src/transport/json/read.js'
import { countParts } from '../../../src/transport/rpc/count-parts.js'
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

  it('is refused in the Connect protocol, to a permitted caller alone', async () => {
    const { call } = await open()
    const body = new Uint8Array(message)
    expect((await call('admin', 'application/proto', body)).status).toBe(400)
    expect((await call('guest', 'application/proto', body)).status).toBe(403)
  })

  it('has as many as are allowed added', async () => {
    const { call } = await open()
    const body = JSON.stringify({ projectId: 'portal', roles: roles.slice(0, 1_000) })
    expect((await call('admin', 'application/json', body)).status).toBe(200)
  })
})

describe('The parts of a message', () => {
  const count = (bytes: Uint8Array) => countParts(AddProjectRolesRequest, bytes)
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

  it('may be 500 unknown ones, and the next one is reported', () => {
    const inRole = [0x12, 2, 0x78, 1]
    expect(() => count(times(500, inRole))).not.toThrow()
    expect(violationsOf(() => count(times(501, inRole)))).toEqual({
      '': 'must not have a field numbered 15',
    })
  })

  it('may be of every kind, and given several times', () => {
    const desc = ProjectService.method.listProjects.input
    const parts: MessageInitShape<typeof desc>[] = [
      { pageSize: 1, filter: { name: { equals: 'a' } } },
      { pageSize: -2, pageToken: 't', filter: { name: { contains: 'b' }, state: 1 } },
    ]
    const written = parts.map((part) => toBinary(desc, create(desc, part)))
    expect(() => countParts(ListProjectsRequest, Buffer.concat(written))).not.toThrow()
  })

  it.each([
    ['a list of numbers', [0x10, 1]],
    ['a text that is a number', [0x08, 1]],
    ['a text that ends early', [0x0a, 5, 0x61]],
    ['a role that ends behind the message', [0x12, 0x7f, 0x0a, 0]],
    ['a role whose key ends behind it', [0x12, 2, 0x0a, 9, 0x12, 0, 0x12, 0, 0x12, 0, 0x12, 0]],
    ['a group without an end', [0x7b]],
  ])('are not those of protobuf with %s', (_, bytes) => {
    expect(() => count(new Uint8Array(bytes))).toThrow('The message is not valid protobuf')
  })

  it.each(['application/proto', 'application/grpc-web+proto'])(
    'are told as too many in %s',
    async (type) => {
      const { call } = await open()
      const bytes = times(150_001, [0x0a, 0])
      const told = await (
        await call('admin', type, type.includes('web') ? framed(bytes) : bytes)
      ).text()
      const text = told.replace(/[\w+/]{40,}/g, (found) => Buffer.from(found, 'base64').toString())
      expect(text).toContain('must have at most 150000 fields and items')
    },
  )
})

const violationsOf = (read: () => unknown) => {
  try {
    return read()
  } catch (thrown) {
    return violationsIn(Object(thrown).status)
  }
}

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

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import {
  fetchHandler,
  IdentityProviderService,
  ProjectRoleService,
  ProjectService,
} from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { messageFields } from '../../../src/transport/messages/message-fields.js'
import { readJson } from '../../../src/transport/messages/read-json.js'
import { shortMessage } from '../../../src/transport/rpc/short-message.js'
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

describe('A shortened message', () => {
  const { input } = addProjectRoles
  const fields = messageFields(input)
  const read = (bytes: Uint8Array) => fromBinary(input, shortMessage(fields, bytes))

  it('has one item more than are allowed', () => {
    const bytes = toBinary(input, create(input, { projectId: 'portal', roles }))
    expect(read(bytes)).toEqual(
      create(input, { projectId: 'portal', roles: roles.slice(0, 1_001) }),
    )
  })

  it('is the message itself where it has no more', () => {
    const { addOidcIdentityProvider, listIdentityProviders } = IdentityProviderService.method
    for (const [desc, init] of [
      [input, { projectId: 'portal', roles: roles.slice(0, 1_000) }],
      [
        addOidcIdentityProvider.input,
        { name: 'n', issuer: '', scopes: ['a', 'a'], stylingType: 1, autoRegister: true },
      ],
      [listIdentityProviders.input, { pageSize: -1, filter: { name: { equals: 'é' }, state: 2 } }],
      [listIdentityProviders.input, {}],
    ] as const) {
      const message = create(desc, init as object)
      const short = shortMessage(messageFields(desc), toBinary(desc, message))
      expect(fromBinary(desc, short)).toEqual(message)
    }
  })

  it('has the last value of a field, and all of a message', () => {
    const desc = ProjectService.method.listProjects.input
    const parts: MessageInitShape<typeof desc>[] = [
      { pageSize: 1, filter: { name: { equals: 'a' } } },
      { pageSize: 2, pageToken: 't', filter: { name: { contains: 'b' }, state: 1 } },
      { pageSize: 3, filter: { id: { equals: 'c' }, state: 2 } },
    ]
    const written = parts.map((part) => toBinary(desc, create(desc, part)))
    const bytes = new Uint8Array(Buffer.concat(written))
    const short = shortMessage(messageFields(desc), bytes)
    expect(fromBinary(desc, short)).toEqual(fromBinary(desc, bytes))
  })

  it('keeps unknown fields, at any depth, as many as an answer can name', () => {
    const unknown = new BinaryWriter().tag(15, WireType.Varint).uint32(7).finish()
    const role = new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(unknown).finish()
    const many = Array<Uint8Array>(2_000).fill(unknown)
    expect(read(new Uint8Array(Buffer.concat(many))).$unknown).toHaveLength(500)
    const nested = read(new Uint8Array(Buffer.concat([role, unknown])))
    expect(nested.roles[0]?.$unknown).toHaveLength(1)
    expect(nested.$unknown).toHaveLength(1)
  })

  it.each([
    ['a list of numbers', [0x10, 1]],
    ['a text that is a number', [0x08, 1]],
    ['a text that ends early', [0x0a, 5, 0x61]],
    ['a role that ends behind the message', [0x12, 0x7f, 0x0a, 0]],
    ['a role whose key ends behind it', [0x12, 2, 0x0a, 9, 0x12, 0, 0x12, 0, 0x12, 0, 0x12, 0]],
    ['a group without an end', [0x7b]],
  ])('is none with %s', (_, bytes) => {
    expect(() => read(new Uint8Array(bytes))).toThrow('The message is no protobuf')
  })
})

describe('Shortened JSON', () => {
  const fields = messageFields(addProjectRoles.input)
  const rolesIn = (json: Readonly<Record<string, unknown>>) =>
    readJson(fields, json)['roles'] as Record<string, string>[]

  it('has one item more than are allowed', () => {
    const read = rolesIn({ projectId: 'portal', roles })
    expect(read).toEqual(roles.slice(0, 1_001).map((role) => ({ ...role, group: '' })))
  })

  it('has texts that are too long cut, but not within a character', () => {
    const long = { roleKey: `x${'😀'.repeat(500)}`, displayName: '😀'.repeat(500), group: 'g' }
    const [short] = rolesIn({ projectId: 'portal', roles: [long] })
    expect([...(short?.['roleKey'] ?? '')].length).toBeGreaterThan(200)
    expect(short?.['roleKey']?.isWellFormed()).toBe(true)
    expect(short?.['displayName']).toBe('😀'.repeat(201))
    expect(short?.['group']).toBe('g')
  })

  it('is the JSON itself where there is no more', () => {
    const json = { projectId: 'portal', roles: [{ role_key: '😀'.repeat(200), group: null }] }
    expect(rolesIn(json)).toEqual([{ roleKey: '😀'.repeat(200), displayName: '', group: '' }])
  })
})

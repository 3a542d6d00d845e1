import { create, type DescMethod, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { ConnectError, createClient } from '@connectrpc/connect'
import { IdentityProviderService, ProjectService } from 'claviger/client'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { inProcess } from '../clients/in-process.js'
import { callers, IDP_ID } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'
import { settings } from '../samples.js'
import { services } from '../services.js'

const context = { caller: callers['admin'] }
const headers = { authorization: 'Bearer admin' }

/** A project with every setting on, and what calls it in JSON and in protobuf. */
const open = async () => {
  const host = await openHost()
  const { iam, options, call } = host
  await iam.projects.update({ id: 'portal', ...settings } as never, context)
  const transport = inProcess(fetchHandler(iam, options))
  const projects = createClient(ProjectService, transport)
  const patch = (request: MessageInitShape<typeof ProjectService.method.patchProject.input>) =>
    projects.patchProject(request, { headers })
  const shown = async () => {
    const { details: _, ...project } = (
      await iam.projects.get({ id: 'portal' }, context)
    )._unsafeUnwrap()
    return project
  }
  return {
    ...host,
    transport,
    patch,
    shown,
    patchJson: (body: string) => call('PATCH', '/v1/projects/portal', body),
  }
}

const before = { id: 'portal', state: 'active', ...settings }

describe('PATCH in JSON', () => {
  it.each([
    ['{"name":"New"}', { name: 'New' }],
    ['{"has_project_check":false}', { hasProjectCheck: false }],
    ['{"hasProjectCheck":null}', {}],
    ['{}', {}],
    ['{"name":"New","updateMask":"name"}', { name: 'New' }],
    ['{"name":"New","update_mask":"name"}', { name: 'New' }],
    [
      '{"name":"New","hasProjectCheck":false,"updateMask":"has_project_check,name"}',
      { name: 'New', hasProjectCheck: false },
    ],
    ['{"updateMask":""}', {}],
    ['{"name":"New","updateMask":null}', { name: 'New' }],
  ])('changes with %s what is there, and nothing else', async (body, changed) => {
    const { patchJson, shown } = await open()
    expect((await patchJson(body)).status).toBe(200)
    expect(await shown()).toEqual({ ...before, ...changed })
  })

  it.each([
    '{"name":"New","updateMask":"hasProjectCheck"}',
    '{"name":"New","updateMask":"name,hasProjectCheck"}',
    '{"name":"New","hasProjectCheck":false,"updateMask":"name"}',
    '{"name":"New","updateMask":""}',
    '{"name":null,"updateMask":"name"}',
    '{"name":"New","updateMask":"name,name"}',
    '{"name":"New","updateMask":"*"}',
    '{"name":"New","updateMask":"id"}',
    '{"name":"New","updateMask":"updateMask"}',
    '{"name":"New","updateMask":"colour"}',
    '{"name":"New","updateMask":"name,"}',
    `{"name":"New","updateMask":"name${',name'.repeat(10_000)}"}`,
  ])('refuses the mask of %.60s', async (body) => {
    const { patchJson, shown } = await open()
    const answer = await patchJson(body)
    expect(answer.status).toBe(400)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['update_mask'])
    expect(await shown()).toEqual(before)
  })

  it('refuses a mask that is not text, and a duplicate mask', async () => {
    const { patchJson } = await open()
    const list = await patchJson('{"updateMask":["name"]}')
    expect(violationsIn(list.json)).toEqual({ updateMask: 'must be text' })
    const object = await patchJson('{"update_mask":{"paths":["name"]}}')
    expect(violationsIn(object.json)).toEqual({ update_mask: 'must be text' })
    const twice = await patchJson('{"name":"N","updateMask":"name","update_mask":"name"}')
    expect(violationsIn(twice.json)).toEqual({ updateMask: 'must not be given twice' })
  })

  it('empties a list that is there and empty', async () => {
    const { call, iam } = await open()
    expect((await call('PATCH', `/v1/idps/${IDP_ID}`, '{"scopes":[]}')).status).toBe(200)
    const found = await iam.identityProviders.get({ idpId: IDP_ID }, context)
    expect(found._unsafeUnwrap()).toMatchObject({ scopes: [], name: 'Corporate' })
  })

  it('addresses a role by its key in the query', async () => {
    const { call, iam } = await open()
    const path = '/v1/projects/portal/role?role_key=editor'
    expect((await call('PATCH', path, '{"displayName":"Chief"}')).status).toBe(200)
    const role = await iam.projectRoles.get({ projectId: 'portal', roleKey: 'editor' }, context)
    expect(role._unsafeUnwrap()).toMatchObject({ displayName: 'Chief', group: 'content' })
  })

  it('is among the methods of the path', async () => {
    const { call } = await open()
    const answer = await call('POST', '/v1/projects/portal')
    expect(answer.headers.get('allow')).toBe('PUT, PATCH, DELETE, GET, HEAD')
  })
})

describe('A patch in protobuf', () => {
  const mask = (...paths: string[]) => ({ updateMask: { paths } })

  it.each<[name: string, request: object, changed: object]>([
    [
      'without a mask what is there',
      { name: 'New', hasProjectCheck: false },
      { name: 'New', hasProjectCheck: false },
    ],
    ['with an empty mask what is there', { name: 'New', ...mask() }, { name: 'New' }],
    ['nothing where nothing is there', {}, {}],
    [
      'by a mask what that names alone',
      { name: 'New', hasProjectCheck: false, ...mask('name') },
      { name: 'New' },
    ],
    [
      'by a mask what is not there to its default',
      mask('has_project_check', 'private_labeling_setting'),
      { hasProjectCheck: false, privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED' },
    ],
    [
      'by a mask with names of JSON',
      { projectRoleCheck: false, ...mask('projectRoleCheck') },
      { projectRoleCheck: false },
    ],
  ])('changes %s', async (_, request, changed) => {
    const { patch, shown } = await open()
    await patch({ id: 'portal', ...request })
    expect(await shown()).toEqual({ ...before, ...changed })
  })

  it.each([['id'], ['update_mask'], ['colour'], ['*'], ['name', 'name'], ['project.name'], ['']])(
    'refuses a mask of %j',
    async (...paths) => {
      const { patch, shown } = await open()
      const thrown = await patch({ id: 'portal', name: 'New', ...mask(...paths) }).catch(
        ConnectError.from,
      )
      expect(thrown).toMatchObject({ code: 3 })
      const details = (thrown as ConnectError).details.map((detail) =>
        'type' in detail ? Buffer.from(detail.value).toString() : '',
      )
      expect(details.join()).toContain('update_mask')
      expect(await shown()).toEqual(before)
    },
  )

  it('does not empty a name by a mask', async () => {
    const { patch, shown } = await open()
    const thrown = await patch({ id: 'portal', ...mask('name') }).catch(ConnectError.from)
    expect(thrown).toMatchObject({ code: 3 })
    expect(await shown()).toEqual(before)
  })

  it('empties a list by a mask alone', async () => {
    const { iam, transport } = await open()
    const client = createClient(IdentityProviderService, transport)
    const scopes = async () =>
      (await iam.identityProviders.get({ idpId: IDP_ID }, context))._unsafeUnwrap().scopes
    await client.patchIdentityProvider({ idpId: IDP_ID, scopes: [] }, { headers })
    expect(await scopes()).toEqual(['openid', 'email'])
    await client.patchIdentityProvider({ idpId: IDP_ID, ...mask('scopes') }, { headers })
    expect(await scopes()).toEqual([])
  })

  it('is the same in gRPC-web, where its mask is read like any other field', async () => {
    const { origin, shown } = await open()
    const { input } = ProjectService.method.patchProject
    const message = toBinary(
      input,
      create(input, { id: 'portal', name: 'New', ...mask('has_project_check') }),
    )
    const head = new DataView(new ArrayBuffer(5))
    head.setUint32(1, message.length)
    const answer = await fetch(`${origin}/claviger.v1.ProjectService/PatchProject`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/grpc-web+proto' },
      body: new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), message])),
    })
    expect(await answer.text()).toContain('grpc-status: 0')
    expect(await shown()).toEqual({ ...before, hasProjectCheck: false })
  })
})

it('Every update of a whole has a patch at its path, but those of grants and mappings, whose roles are given as a whole', () => {
  const names = services.flatMap(({ methods }) => methods.map(({ name }: DescMethod) => name))
  const withoutPatch = [
    'UpdateOidcConfig',
    'UpdateProjectGrant',
    'UpdateUserGrant',
    'UpdateRoleMapping',
  ]
  const updates = names.filter((name) => name.startsWith('Update') && !withoutPatch.includes(name))
  expect(names.filter((name) => name.startsWith('Patch'))).toEqual(
    updates.map((name) => name.replace('Update', 'Patch')),
  )
})

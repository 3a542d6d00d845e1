import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { AccessService } from 'claviger/client'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../src/transport/grpc/codec.js'
import { ApplyAccessRequest } from '../../../src/transport/wire.js'
import { inProcess } from '../clients/in-process.js'
import { callers } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'

const context = { caller: callers['admin'] }
const { input } = AccessService.method.applyAccess
const PATHS = ['/v1/access:apply', `/${AccessService.typeName}/ApplyAccess`]

/** What the library gets of a message. */
const read = (request: object) =>
  readMessage(ApplyAccessRequest, toBinary(input, create(input, request as object)))

describe('A desired state', () => {
  it('is the file that readAccess takes, in JSON', async () => {
    const file = {
      projects: [
        {
          id: 'portal',
          name: 'Portal',
          settings: {},
          roles: [{ roleKey: 'a', displayName: 'A' }],
          grants: [{ grantedOrgId: 'globex', roleKeys: ['a'] }],
        },
      ],
      managedBy: 'team',
      version: 7,
      prune: true,
    }
    for (const path of PATHS) {
      const { iam, call } = await openHost()
      const planned = (await iam.plan(file, context))._unsafeUnwrap()
      const answer = await call('POST', path, JSON.stringify({ ...file, validateOnly: true }))
      expect(answer.json.counts).toMatchObject(planned.counts)
      expect(answer.json.version).toBe('7')
    }
  })

  it('tells a list of roles that is empty from one that is absent', () => {
    const role = { roleKey: 'a', displayName: 'A' }
    const values = read({
      projects: [
        { id: 'a' },
        { id: 'b', updateMask: { paths: ['roles'] } },
        { id: 'c', roles: [role] },
        {
          id: 'd',
          settings: { projectRoleCheck: false },
          roles: [role],
          updateMask: { paths: [] },
        },
      ],
    })
    expect(values['projects']).toMatchObject([
      {},
      { roles: [] },
      { roles: [role] },
      { roles: [role] },
    ])
    expect(Object.keys(Object(Reflect.get(Object(values['projects']), 0)))).not.toContain('roles')
    expect(values['projects']).toMatchObject([
      {},
      {},
      {},
      { settings: { projectRoleCheck: false } },
    ])
  })

  it('tells a list of grants that is empty from one that is absent', () => {
    const grant = { grantedOrgId: 'globex', roleKeys: ['a'] }
    const { projects } = read({
      projects: [
        { id: 'a' },
        { id: 'b', updateMask: { paths: ['grants'] } },
        { id: 'c', grants: [grant] },
        { id: 'd', grants: [grant], updateMask: { paths: ['roles', 'grants'] } },
      ],
    })
    expect(projects).toMatchObject([
      {},
      { grants: [] },
      { grants: [grant] },
      { roles: [], grants: [grant] },
    ])
    const given = (index: number) => Object.keys(Object(Reflect.get(Object(projects), index)))
    expect(given(0)).not.toContain('grants')
    expect(given(1)).not.toContain('roles')
  })

  it.each([
    ['{"projects":[{"id":"a","name":"A","updateMask":"roles"}]}', 'projects[0].update_mask'],
    ['{"projects":[{"id":"a","name":"A","roles":[],"updateMask":""}]}', 'projects[0].update_mask'],
    [
      '{"projects":[{"id":"a"},{"id":"b","updateMask":"roles,roles","roles":[]}]}',
      'projects[1].update_mask',
    ],
    ['{"identityProviders":[{"updateMask":"idpId"}]}', 'identityProviders[0].update_mask'],
    ['{"projects":[{"id":"a","updateMask":7}]}', 'projects[0].updateMask'],
    ['{"projects":[{"id":"a","settings":{"colour":"red"}}]}', 'projects[0].settings.colour'],
    ['{"projects":[{"id":"a","roles":[{"roleKey":1}]}]}', 'projects[0].roles[0].roleKey'],
    [
      '{"projects":[{"id":"a","grants":[{"grantedOrgId":"globex","roleKeys":[1]}]}]}',
      'projects[0].grants[0].roleKeys[0]',
    ],
    ['{"projects":[null]}', 'projects[0]'],
    ['{"version":1.5}', 'version'],
    ['{"version":"18446744073709551616"}', 'version'],
    ['{"changes":[]}', 'changes'],
  ])('is refused where it is wrong, on every path: %s', async (body, field) => {
    const { iam, call } = await openHost()
    for (const path of PATHS)
      expect(Object.keys(violationsIn((await call('POST', path, body)).json))).toEqual([field])
    expect((await iam.projects.list({}, context))._unsafeUnwrap().totalSize).toBe(1)
  })

  it('has in protobuf no mask of what it does not have', async () => {
    const { iam, options } = await openHost()
    const message = { projects: [{ id: 'a' }, { id: 'b', updateMask: { paths: ['settings'] } }] }
    const client = createClient(AccessService, inProcess(fetchHandler(iam, options)))
    const headers = { authorization: 'Bearer admin' }
    const thrown = await client.applyAccess(message, { headers }).catch(ConnectError.from)
    expect(thrown).toMatchObject({ code: Code.InvalidArgument })
    expect(() => read(message)).toThrow()
  })

  it('has versions that the library has', async () => {
    const { call } = await openHost()
    for (const version of ['9007199254740992', '0']) {
      const answer = await call(
        'POST',
        '/v1/access:apply',
        JSON.stringify({ managedBy: 'm', version }),
      )
      expect(violationsIn(answer.json)).toEqual({
        version: 'must be a whole number from 1 to 2^53 - 1',
      })
    }
  })

  it('shows no secret and no event, neither planned nor applied', async () => {
    const { call } = await openHost()
    const desired = {
      identityProviders: [
        { idpId: 'new', name: 'N', clientId: 'c', clientSecret: 'hush hush', issuer: 'https://i' },
      ],
    }
    for (const validateOnly of [true, false]) {
      const { status, text, json } = await call(
        'POST',
        '/v1/access:apply',
        JSON.stringify({ ...desired, validateOnly }),
      )
      expect(status).toBe(200)
      expect(text).not.toMatch(/hush|aes|event/)
      expect(json.changes[0].fields.at(-1)).toEqual({ field: 'clientSecret', secret: 'set' })
    }
  })

  it('is for one organization, not for one object, dry run or not', async () => {
    const { call } = await openHost()
    const headers = { 'if-match': '"1"', 'idempotency-key': 'k' }
    for (const body of ['{}', '{"validateOnly":true}']) {
      const answer = await call('POST', '/v1/access:apply', body, headers)
      const description = 'is not accepted by this method'
      expect(violationsIn(answer.json)).toEqual({
        expectedSequence: description,
        idempotencyKey: description,
      })
    }
  })
})

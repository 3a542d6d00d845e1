import { describe, expect, it } from 'vitest'
import { callers } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'

const context = { caller: callers['admin'] }

describe('JSON with unknown fields or values', () => {
  it('is refused for an unknown name of an enum value, and resets no setting', async () => {
    const { iam, call } = await openHost()
    const setting = 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY'
    const project = { name: 'Portal', privateLabelingSetting: setting }
    await call('PUT', '/v1/projects/portal', JSON.stringify(project))

    const body = '{"name":"Portal","privateLabelingSetting":"PRIVATE_LABELING_SETTING_ENFORCED"}'
    const answer = await call('PUT', '/v1/projects/portal', body)

    expect(answer.status).toBe(400)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['privateLabelingSetting'])
    const kept = await iam.projects.get({ id: 'portal' }, context)
    expect(kept._unsafeUnwrap().privateLabelingSetting).toBe(setting)
  })

  it('is refused for an unknown number of an enum value', async () => {
    const { call } = await openHost()
    const body = '{"name":"Portal","privateLabelingSetting":99}'
    const answer = await call('PUT', '/v1/projects/portal', body)
    expect(answer.status).toBe(400)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['privateLabelingSetting'])
  })

  it('may give the known number of an enum value', async () => {
    const { iam, call } = await openHost()
    await call('PUT', '/v1/projects/portal', '{"name":"Portal","privateLabelingSetting":1}')
    const { privateLabelingSetting } = (
      await iam.projects.get({ id: 'portal' }, context)
    )._unsafeUnwrap()
    expect(privateLabelingSetting).toBe(
      'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    )
  })

  it('may give the name of every enum value, that of none too', async () => {
    const { call } = await openHost()
    for (const privateLabelingSetting of [
      'PRIVATE_LABELING_SETTING_UNSPECIFIED',
      'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    ]) {
      const body = JSON.stringify({ name: 'Portal', privateLabelingSetting })
      expect((await call('PUT', '/v1/projects/portal', body)).status).toBe(200)
    }
  })

  it.each([
    ['IdentityProviderService/UpdateOidcConfig', '{"scopes":"x"}', 'scopes', 'must be a list'],
    ['ProjectRoleService/AddProjectRoles', '{"roles":[null]}', 'roles[0]', 'must be a JSON object'],
    ['ProjectService/ListProjects', '{"filter":[]}', 'filter', 'must be a JSON object'],
    ['ProjectService/ListProjects', '{"pageSize":1.5}', 'pageSize', 'must be a whole number'],
    [
      'ProjectService/ListProjects',
      '{"pageSize":2147483648}',
      'pageSize',
      'must be a whole number',
    ],
  ])('is refused for another shape: %s %s', async (rpc, body, field, description) => {
    const { call, failures } = await openHost()
    const answer = await call('POST', `/claviger.v1.${rpc}`, body)
    expect(answer.status).toBe(400)
    expect(violationsIn(answer.json)).toEqual({ [field]: description })
    expect(failures).toEqual([])
  })

  it('is refused for unknown fields, each by its path', async () => {
    const { call } = await openHost()
    const body = '{"colour":"red","roles":[{"roleKey":"a","displayName":"A","color":"red"}]}'
    const answer = await call('POST', '/v1/projects/portal/roles:batchAdd', body)
    expect(answer.status).toBe(400)
    expect(violationsIn(answer.json)).toEqual({
      colour: 'is not a field of the request',
      'roles[0].color': 'is not a field of the request',
    })
  })

  it('is refused for unknown query parameters, and for those that belong into the body', async () => {
    const { call } = await openHost()
    const listed = await call('GET', '/v1/projects?pageSize=1&color=red')
    expect(violationsIn(listed.json)).toEqual({ color: 'is not a query parameter of this method' })
    const put = await call('PUT', '/v1/projects/portal?name=X', '{"name":"Y"}')
    expect(violationsIn(put.json)).toEqual({ name: 'is not a query parameter of this method' })
  })

  it('is refused for query parameters on the path of an rpc, which has none', async () => {
    const { call } = await openHost()
    const path = '/claviger.v1.ProjectService/GetProject'
    for (const name of ['colour', 'id', 'connect']) {
      const answer = await call('POST', `${path}?${name}=portal`, '{"id":"portal"}')
      expect(answer.status).toBe(400)
      expect(violationsIn(answer.json)).toEqual({
        [name]: 'is not a query parameter of this method',
      })
    }
    const stranger = await call('POST', `${path}?colour=red`, '{}', { authorization: '' })
    expect(stranger.status).toBe(401)
    expect((await call('POST', `${path}?`, '{"id":"portal"}')).status).toBe(200)
  })
})

import { describe, expect, it } from 'vitest'
import { callers } from './host.js'
import { openHost, violationsIn } from './http-client.js'

const context = { caller: callers['admin'] }

const KIBIBYTE = 1024

/** A body that comes in pieces, without telling its length. */
const inPieces = (text: string) =>
  new ReadableStream({
    start(controller) {
      for (let index = 0; index < text.length; index += 64 * KIBIBYTE)
        controller.enqueue(new TextEncoder().encode(text.slice(index, index + 64 * KIBIBYTE)))
      controller.close()
    },
  })

describe('JSON that says what we do not know', () => {
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
})

describe('A body', () => {
  const refusals: readonly (readonly [name: string, body: BodyInit, field: string])[] = [
    ['that is truncated', '{"name":"Por', ''],
    ['that is empty', '', ''],
    ['that is no object', '["name"]', ''],
    ['that is null', 'null', ''],
    ['with something after its end', '{"name":"Portal"} {}', ''],
    ['that is not UTF-8', new Uint8Array([...Buffer.from('{"name":"'), 0xff, 0x22, 0x7d]), ''],
    ['that is nested deeply', '['.repeat(100_000), ''],
    [
      'with a field that is nested deeply',
      `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      'name',
    ],
    ['with a name that stands there twice', '{"name":"a","name":"b"}', 'name'],
    ['with a name that stands there twice, escaped', '{"name":"a","n\\u0061me":"b"}', 'name'],
    [
      'with both names of a field',
      '{"name":"a","hasProjectCheck":true,"has_project_check":false}',
      'hasProjectCheck',
    ],
    ['with a value of another type', '{"name":1}', 'name'],
    ['with a number for a flag', '{"name":"a","hasProjectCheck":1}', 'hasProjectCheck'],
    ['that contradicts the path', '{"name":"a","id":"other"}', 'id'],
    ['with a lone surrogate', '{"name":"\\ud800"}', 'name'],
  ]

  it.for(refusals)('%s is refused', async ([, body, field]) => {
    const { iam, call } = await openHost()
    const before = (await iam.projects.get({ id: 'portal' }, context))._unsafeUnwrap()
    const answer = await call('PUT', '/v1/projects/portal', body)
    expect(answer.status).toBe(400)
    expect(answer.json.code).toBe(3)
    expect(Object.keys(violationsIn(answer.json))).toEqual([field])
    const after = (await iam.projects.get({ id: 'portal' }, context))._unsafeUnwrap()
    expect(after).toEqual(before)
  })

  it('that says in null what is absent, is taken', async () => {
    const { call } = await openHost()
    const body = '{"name":"Portal","hasProjectCheck":null,"privateLabelingSetting":null}'
    expect((await call('PUT', '/v1/projects/portal', body)).status).toBe(200)
    const issuer = '{"name":"n","clientId":"c","clientSecret":"s","issuer":null}'
    const answer = await call('POST', '/v1/idps/oidc', issuer)
    expect(violationsIn(answer.json)).toEqual({ issuer: 'is required' })
  })

  it('may have white space around and within', async () => {
    const { call } = await openHost()
    const answer = await call('PUT', '/v1/projects/portal', ' \r\n\t{ \n"name" : "Portal" } ')
    expect(answer.status).toBe(200)
  })

  it('of a request without fields of its own may be absent, empty or an empty object', async () => {
    const { call } = await openHost()
    expect((await call('POST', '/v1/projects/portal:deactivate')).status).toBe(200)
    expect((await call('POST', '/v1/projects/portal:reactivate', '')).status).toBe(200)
    expect((await call('POST', '/v1/projects/portal:deactivate', '{ }')).status).toBe(200)
    const surplus = await call('POST', '/v1/projects/portal:deactivate', '{"force":true}')
    expect(violationsIn(surplus.json)).toEqual({ force: 'is not a field of the request' })
  })

  it.for([
    ['with its length', (text: string) => text],
    ['in pieces', inPieces],
  ] as const)('of more than 1 MiB is refused, sent %s', async ([, sent]) => {
    const { call } = await openHost()
    const largest = `{"name":"${'x'.repeat(KIBIBYTE * KIBIBYTE - 11)}"}`
    const allowed = await call('POST', '/v1/projects', sent(largest))
    expect(violationsIn(allowed.json)).toEqual({ name: 'must be at most 200 characters' })
    const answer = await call('POST', '/v1/projects', sent(`${largest} `))
    expect(answer.status).toBe(413)
    expect(answer.json).toMatchObject({ code: 8, details: [{ reason: 'RESOURCE_EXHAUSTED' }] })
  })
})

it('A body that is compressed is refused', async () => {
  const { call } = await openHost()
  const answer = await call('PUT', '/v1/projects/portal', '{"name":"X"}', {
    'content-encoding': 'gzip',
  })
  expect([answer.status, answer.json.code]).toEqual([501, 12])
})

it('The key of a role is taken from the body of PUT as well, but not from both', async () => {
  const { call } = await openHost()
  const body = '{"roleKey":"editor","displayName":"New"}'
  expect((await call('PUT', '/v1/projects/portal/role', body)).status).toBe(200)
  const both = await call('PUT', '/v1/projects/portal/role?role_key=other', body)
  expect(violationsIn(both.json)).toEqual({ roleKey: 'must not be given twice' })
})

describe('A path', () => {
  it('may hold an encoded slash, which no id has', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects/por%2Ftal')
    expect(answer.status).toBe(400)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['id'])
  })

  it('is refused when it is malformed, and so is a query', async () => {
    const { call } = await openHost()
    const paths = [
      '/v1/projects/por%zz',
      '/v1/projects/%ff',
      '/v1/projects/portal/role?role_key=%e0%a4',
    ]
    for (const path of paths) {
      const answer = await call('GET', path)
      expect(answer.status).toBe(400)
      expect(Object.values(violationsIn(answer.json))).toEqual(['must be percent-encoded UTF-8'])
    }
  })

  it('tells nobody anything before it is known who calls', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects/por%zz', undefined, { authorization: '' })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('may hold an id that ends like a method', async () => {
    const { call } = await openHost()
    const id = 'a:deactivate'
    await call('POST', '/v1/projects', JSON.stringify({ id, name: 'A' }))
    expect((await call('POST', `/v1/projects/${id}:deactivate`)).status).toBe(200)
    expect((await call('GET', `/v1/projects/${id}`)).json.project).toMatchObject({
      id,
      state: 'STATE_INACTIVE',
    })
  })

  it('answers another method with 405 and what it has', async () => {
    const { call } = await openHost()
    const resource = await call('PATCH', '/v1/projects/portal', '{}')
    expect(resource.status).toBe(405)
    expect(resource.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'PUT'])
    expect(resource.json.details).toMatchObject([{ reason: 'METHOD_NOT_ALLOWED' }])
    const rpc = await call('GET', '/claviger.v1.ProjectService/GetProject')
    expect([rpc.status, rpc.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await call('DELETE', '/openapi.json')).status).toBe(405)
  })

  it('answers another content type with 415 and what it takes', async () => {
    const { call } = await openHost()
    for (const type of ['text/plain', 'application/jsonp', 'application/json; charset=latin1']) {
      const answer = await call('PUT', '/v1/projects/portal', '{"name":"P"}', {
        'content-type': type,
      })
      expect([answer.status, answer.headers.get('accept')]).toEqual([415, 'application/json'])
    }
    const rpc = await call('POST', '/claviger.v1.ProjectService/GetProject', 'id=portal', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(rpc.status).toBe(415)
  })

  it('that nobody serves is answered with 404', async () => {
    const { call } = await openHost()
    for (const path of [
      '/',
      '/v1/projects/',
      '/v1/projects/a/b/c',
      '/v2/projects',
      '/v1x1/projects',
    ]) {
      const answer = await call('GET', path)
      expect([answer.status, answer.json.code]).toEqual([404, 5])
    }
  })
})

describe('A query', () => {
  it('gives every field once, whatever name it has', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects?pageSize=1&page_size=2')
    expect(violationsIn(answer.json)).toEqual({ page_size: 'must not be given twice' })
  })

  it('names fields of messages with dots', async () => {
    const { call } = await openHost()
    const found = await call(
      'GET',
      '/v1/projects?filter.state=STATE_ACTIVE&filter.name.equals=Portal',
    )
    expect(found.json.totalSize).toBe(1)
    const wrong = await call('GET', '/v1/projects?filter.state=STATE_ASLEEP')
    expect(Object.keys(violationsIn(wrong.json))).toEqual(['filter.state'])
    const odd = await call('GET', '/v1/projects?filter.name=Portal')
    expect(Object.keys(violationsIn(odd.json))).toEqual(['filter.name'])
    const deep = await call('GET', '/v1/projects?pageSize.x=1&pageSize=1')
    expect(deep.status).toBe(400)
    const proto = await call('GET', '/v1/projects?filter.__proto__.x=1')
    expect(proto.status).toBe(400)
  })

  it('sorts by fields that there are', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects?orderBy=colour')
    expect(Object.keys(violationsIn(answer.json))).toEqual(['orderBy'])
  })

  it('asks for the next page until there is none', async () => {
    const { call } = await openHost()
    await call('POST', '/v1/projects', '{"id":"another","name":"Another"}')
    const first = await call('GET', '/v1/projects?pageSize=1')
    const token = encodeURIComponent(first.json.nextPageToken)
    const second = await call('GET', `/v1/projects?pageSize=1&pageToken=${token}`)
    expect(second.json.nextPageToken).toBe('')
    expect([...first.json.projects, ...second.json.projects].map(({ id }) => id)).toEqual([
      'another',
      'portal',
    ])
  })
})

describe('An answer', () => {
  it('writes zero values, sequences as text, and dates with milliseconds', async () => {
    const { call } = await openHost()
    const { text } = await call('GET', '/v1/projects/portal')
    expect(text).toContain('"projectRoleAssertion":false')
    expect(text).toContain('"privateLabelingSetting":"PRIVATE_LABELING_SETTING_UNSPECIFIED"')
    expect(text).toMatch(/"sequence":"\d+"/)
    expect(text).toContain('"creationDate":"2026-02-03T04:05:06.000Z"')
  })

  it('leaves texts that look like dates as they are', async () => {
    const { call } = await openHost()
    const name = '"creationDate":"2026-02-03T04:05:06Z"'
    await call('PUT', '/v1/projects/portal', JSON.stringify({ name }))
    expect((await call('GET', '/v1/projects/portal')).json.project.name).toBe(name)
  })

  it('repeats no secret, however wrong the request is', async () => {
    const { call, failures } = await openHost()
    const secret = 918273645
    const bodies = [
      { clientSecret: secret },
      { clientSecret: [String(secret)] },
      { clientSecret: { deep: String(secret) } },
      { clientSecret: String(secret), scopes: String(secret), stylingType: String(secret) },
      { clientSecret: String(secret), issuer: '' },
    ]
    for (const headers of [{}, { 'connect-protocol-version': '1' }] as Record<string, string>[]) {
      for (const body of bodies) {
        const path = '/claviger.v1.IdentityProviderService/AddOidcIdentityProvider'
        const answer = await call('POST', path, JSON.stringify(body), headers)
        expect(answer.status).toBe(400)
        const shown = `${answer.text}${Buffer.from(answer.text, 'base64')}`
        expect(shown).not.toContain(String(secret))
      }
    }
    expect(failures).toEqual([])
  })
})

import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'
import { listening } from '../servers.js'

describe('A path', () => {
  it('may hold an encoded slash, which no id has', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects/por%2Ftal')
    expect(answer.status).toBe(400)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['id'])
  })

  it('has a domain in its one form only, which a host that guards paths knows', async () => {
    const { call } = await openHost()
    for (const path of [
      'Acme.example',
      '%EF%BC%A1cme.example',
      'ac%C2%ADme.example',
      '%C3%A9.test',
    ])
      for (const rest of ['', '/history']) {
        const { status, json } = await call('GET', `/v1/domains/${path}${rest}`)
        expect([status, violationsIn(json)]).toEqual([
          400,
          { domain: expect.stringContaining('lower case in a path') },
        ])
      }
    expect((await call('GET', '/v1/domains/acme.example')).status).toBe(404)
  })

  it('takes time in line with its length, and that of its query', async () => {
    const handler = fetchHandler(await openIam(), transportOptions().options)
    const headers = { authorization: 'Bearer admin' }
    const began = process.cpuUsage()
    for (const path of [
      `/v1/history?${'types=a&'.repeat(50_000)}`,
      '/a'.repeat(200_000),
      '/'.repeat(100_000),
    ])
      expect((await handler(new Request(`http://x${path}`, { headers }))).status).toBeGreaterThan(
        399,
      )
    const { user, system } = process.cpuUsage(began)
    // In milliseconds of the processor, whatever else runs. The query alone took 18 s.
    expect((user + system) / 1_000).toBeLessThan(4_000)
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

  it('that is malformed is refused after the caller is authenticated', async () => {
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
    const resource = await call('POST', '/v1/projects/portal', '{}')
    expect(resource.status).toBe(405)
    expect(resource.headers.get('allow')?.split(', ').sort()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'PATCH',
      'PUT',
    ])
    expect(resource.json.details).toMatchObject([{ reason: 'METHOD_NOT_ALLOWED' }])
    const rpc = await call('GET', '/claviger.v1.ProjectService/GetProject')
    expect([rpc.status, rpc.headers.get('allow')]).toEqual([405, 'POST'])
    const document = await call('DELETE', '/openapi.json')
    expect([document.status, document.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('answers another content type with 415 and what it takes', async () => {
    const { call } = await openHost()
    for (const type of [
      ...['text/plain', 'application/jsonp', 'application/json-seq', 'application/json+x'],
      ...['application/json; charset=latin1', 'application/json;version=1;Charset="utf-16"'],
      ...['application/json; charset=utf-80', 'application/json; charset='],
    ]) {
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

  it.each(['application/grpc', 'application/grpc+proto', 'application/grpc-web-text'])(
    'answers %s over HTTP/1.1 with 415 and what it takes',
    async (type) => {
      const { call } = await openHost()
      const path = '/claviger.v1.ProjectService/GetProject'
      const answer = await call('POST', path, new Uint8Array(5), { 'content-type': type })
      expect([answer.status, answer.headers.get('accept')]).toEqual([
        415,
        'application/json, application/grpc-web+proto',
      ])
      expect(answer.json.details).toMatchObject([{ reason: 'UNSUPPORTED_MEDIA_TYPE' }])
    },
  )

  it.each([
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json;charset=utf8',
    'application/json;',
    'application/json ; ;charset=utf-8; ',
    'application/json;\tcharset=utf-8',
    'application/json; profile="https://iam.example.com/schema"',
    'application/json;version=1;CHARSET=UTF-8',
    'Application/JSON; charset=utf-8; version=1',
  ])('takes %j for JSON, and answers errors of the specification', async (type) => {
    const { call } = await openHost()
    const headers = { 'content-type': type }
    const put = await call('PUT', '/v1/projects/nowhere', '{"name":"P"}', headers)
    const path = '/claviger.v1.ProjectService/GetProject'
    const rpc = await call('POST', path, '{"id":"nowhere"}', headers)
    expect([put.status, put.json.code]).toEqual([404, 5])
    expect([rpc.status, rpc.json.code]).toEqual([404, 5])
  })

  it('never reads a body as JSON by its name', async () => {
    const { call } = await openHost()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const deactivate = '/v1/projects/portal:deactivate'
    expect((await call('POST', deactivate, '', headers)).status).toBe(200)
    expect((await call('GET', '/v1/projects/portal', undefined, headers)).status).toBe(200)
    const filled = await call('POST', deactivate, 'force=true', headers)
    expect(filled.status).toBe(400)
  })

  it.each(['/v1/idps/google:test', '/v1/domains/acme.example:verify'])(
    'that sends requests to others is not for a form: %s',
    async (path) => {
      const { call } = await openHost()
      for (const type of [
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain',
      ]) {
        const refused = await call('POST', path, '', { 'content-type': type })
        expect(refused.status).toBe(415)
      }
      expect((await call('POST', path)).status).not.toBe(415)
    },
  )

  it('answers HEAD as GET, without a body', async () => {
    const { call } = await openHost()
    for (const [path, status] of [
      ['/v1/projects/portal', 200],
      ['/v1/projects?page_size=1', 200],
      ['/v1/projects/nowhere', 404],
      ['/openapi.json', 200],
      ['/v1/projects/portal/roles:batchAdd', 405],
      ['/claviger.v1.ProjectService/GetProject', 405],
      ['/v2', 404],
    ] as const) {
      const got = await call('GET', path)
      const head = await call('HEAD', path)
      expect([path, got.status, head.status, head.text]).toEqual([path, status, status, ''])
      for (const name of ['content-length', 'content-type', 'etag', 'allow'])
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)])
    }
  })

  it('answers HEAD with fetchHandler and over HTTP/2 too', async () => {
    const { iam, options, handler } = await openHost()
    const server = createServer(handler)
    const session = connect(await listening(server))
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const headers = { authorization: 'Bearer admin' }
    for (const path of ['/v1/projects/portal', '/v1/projects/nowhere', '/openapi.json', '/v2']) {
      const stream = session.request({ ':method': 'HEAD', ':path': path, ...headers })
      const [head] = await once(stream, 'response')
      let text = ''
      for await (const piece of stream) text += piece
      const request = new Request(`http://localhost${path}`, { method: 'HEAD', headers })
      const response = await fetchHandler(iam, options)(request)
      expect([path, text, head[':status']]).toEqual([path, '', response.status])
      expect([path, response.body]).toEqual([path, null])
      expect(head['content-length']).toBe(response.headers.get('content-length'))
      expect(Number(head['content-length'])).toBeGreaterThan(0)
    }
  })

  it('that nobody serves is answered with 404', async () => {
    const { call } = await openHost()
    for (const path of [
      '/',
      '/v1/projects/',
      '/v1/projects/a/b/c',
      '/v2/projects',
      '/v1x1/projects',
      '/other/v1/projects/portal',
    ]) {
      const answer = await call('GET', path)
      expect([answer.status, answer.json.code]).toEqual([404, 5])
    }
  })
})

describe('A query', () => {
  it('accepts every field once, under any of its names', async () => {
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
    const rpc = '/claviger.v1.ProjectService/ListProjects'
    const unknown = await call('POST', rpc, '{"filter":{"state":9}}')
    expect(violationsIn(unknown.json)).toEqual({
      'filter.state': 'must be one of STATE_UNSPECIFIED, STATE_ACTIVE, STATE_INACTIVE',
    })
    const wrong = await call('GET', '/v1/projects?filter.state=STATE_ASLEEP')
    expect(Object.keys(violationsIn(wrong.json))).toEqual(['filter.state'])
    const odd = await call('GET', '/v1/projects?filter.name=Portal')
    expect(Object.keys(violationsIn(odd.json))).toEqual(['filter.name'])
    const deep = await call('GET', '/v1/projects?pageSize.x=1&pageSize=1')
    expect(deep.status).toBe(400)
    const proto = await call('GET', '/v1/projects?filter.__proto__.x=1')
    expect(proto.status).toBe(400)
  })

  it('names only fields that there are, with as many dots as it likes', async () => {
    const iam = await openIam()
    const handler = fetchHandler(iam, transportOptions().options)
    const dots = (count: number) => '.'.repeat(count)
    for (const name of [
      'filter.',
      'filter.state.x',
      'filter.name.equals.x',
      'filter.name.colour',
      'pageSize.x',
      `filter${dots(15_900)}`,
      `filter${dots(60_000)}`,
      `filter.name${'.name'.repeat(12_000)}`,
      `filter.name.equals${dots(200_000)}`,
      `pageSize${dots(200_000)}`,
    ]) {
      const request = new Request(`http://localhost/v1/projects?${name}=1`, {
        headers: { authorization: 'Bearer admin' },
      })
      const answer = await handler(request)
      expect(answer.status).toBe(400)
      expect(violationsIn(await answer.json())).toEqual({
        [name.length > 100 ? `${name.slice(0, 100)}…` : name]:
          'is not a query parameter of this method',
      })
    }
  })

  it('says nothing that the path says', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects/portal?id=other')
    expect(violationsIn(answer.json)).toEqual({ id: 'is not a query parameter of this method' })
  })

  it('gives a field as a whole or by its fields, but not both', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects?filter=x&filter.state=STATE_ACTIVE')
    expect(violationsIn(answer.json)).toEqual({ 'filter.state': 'must not be given twice' })
  })

  it('holds any text, encoded or not, also such as a flag has', async () => {
    const { call } = await openHost()
    for (const name of ['a=b=c', 'true']) {
      await call('POST', '/v1/projects', JSON.stringify({ name }))
      const found = await call('GET', `/v1/projects?filter%2Ename.equals=${name}`)
      expect(found.json.projects).toMatchObject([{ name }])
    }
  })

  it('holds a flag as true or false, and nothing like it', async () => {
    const { call } = await openHost()
    const totalWith = async (flag: string) =>
      (await call('GET', `/v1/projects?filter.name.equals=PORTAL&filter.name.ignoreCase=${flag}`))
        .json
    expect(await totalWith('true')).toMatchObject({ totalSize: 1 })
    expect(await totalWith('false')).toMatchObject({ totalSize: 0 })
    for (const flag of ['trueish', 'True', '1', ''])
      expect(violationsIn(await totalWith(flag))).toEqual({
        'filter.name.ignoreCase': 'must be true or false',
      })
  })

  it('writes whole numbers as JSON does, in a body too', async () => {
    const { call } = await openHost()
    const statusesOf = async (text: string) => [
      (await call('GET', `/v1/projects?pageSize=${encodeURIComponent(text)}`)).status,
      (
        await call(
          'POST',
          '/claviger.v1.ProjectService/ListProjects',
          JSON.stringify({ pageSize: text }),
        )
      ).status,
    ]
    for (const text of ['1', '10', '1.0', '1e0', '10E-1', '0.1e+1', '-0'])
      expect([text, ...(await statusesOf(text))]).toEqual([text, 200, 200])
    for (const text of [
      ...['0x1', '0X1', '0b1', '0o1', '+1', '01', '1.', '.1e1', '1e', ' 1', '1 ', '', '1_0'],
      ...['1.5', 'Infinity', '1e400', '2147483648', '-2147483649', '4294967297', '1n', '１'],
    ])
      expect([text, ...(await statusesOf(text))]).toEqual([text, 400, 400])
  })

  it('sorts by fields that there are', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects?orderBy=colour')
    expect(Object.keys(violationsIn(answer.json))).toEqual(['orderBy'])
  })

  it('sorts by fields under both of their names', async () => {
    const { call } = await openHost()
    await call('POST', '/v1/projects', '{"id":"another","name":"Another"}')
    for (const orderBy of ['changeDate', 'change_date', 'has_project_check, change_date']) {
      const { json } = await call('GET', `/v1/projects?order_by=${orderBy} desc`)
      expect(json.projects.map(({ id }: { readonly id: string }) => id)).toEqual([
        'another',
        'portal',
      ])
    }
    for (const orderBy of ['change_Date', 'change__date', '_change_date', 'change_date_'])
      expect((await call('GET', `/v1/projects?order_by=${orderBy}`)).status).toBe(400)
  })

  it('sorts by each field once, in any direction', async () => {
    const { call } = await openHost()
    for (const orderBy of [
      'name,name',
      'id,name desc,id desc',
      'change_date,changeDate',
      'state,'.repeat(2_000),
    ]) {
      const answer = await call('GET', `/v1/projects?orderBy=${orderBy}`)
      expect(answer.status).toBe(400)
      expect(violationsIn(answer.json)).toEqual({ orderBy: 'must not name a field twice' })
    }
  })

  it('requests the next page until the last', async () => {
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

it('The key of a role is taken from the body of PUT as well, but not from both', async () => {
  const { call } = await openHost()
  const body = '{"roleKey":"editor","displayName":"New"}'
  expect((await call('PUT', '/v1/projects/portal/role', body)).status).toBe(200)
  const both = await call('PUT', '/v1/projects/portal/role?role_key=other', body)
  expect(violationsIn(both.json)).toEqual({ roleKey: 'must not be given twice' })
})

import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { aesGcmCipher, createIam, memoryEventStore, permissionsFromCaller } from 'claviger'
import { ProjectService } from 'claviger/client'
import type { TransportOptions } from 'claviger/transport'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { callers, openIam, transportOptions } from '../host.js'

const admin = callers['admin']

/** Calls a host with other options than most. */
const open = async (changed: Partial<TransportOptions>) => {
  const { options, failures } = transportOptions()
  const iam = await openIam()
  const handler = fetchHandler(iam, { ...options, ...changed })
  const call = async (path: string, init: RequestInit & { duplex?: 'half' } = {}) => {
    const response = await handler(new Request(`https://iam.example.com${path}`, init))
    return { status: response.status, headers: response.headers, json: await response.json() }
  }
  return { call, failures, iam }
}

const put = (body: BodyInit) =>
  ({
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json' },
    duplex: 'half',
  }) as const

describe('authenticate', () => {
  it('gets the headers, and may be asynchronous', async () => {
    const { call } = await open({
      authenticate: async (headers) => (headers.get('cookie') === 'session=1' ? admin : undefined),
    })
    const known = await call('/v1/projects/portal', { headers: { cookie: 'session=1' } })
    expect(known.status).toBe(200)
    expect((await call('/v1/projects/portal')).status).toBe(401)
  })

  it('is called before anything of the body is read', async () => {
    const { call } = await open({ authenticate: () => undefined })
    let isRead = false
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    expect((await call('/v1/projects/portal', put(body))).status).toBe(401)
    expect(isRead).toBe(false)
  })

  it('that finds no caller is answered with the challenge of the host', async () => {
    const { call } = await open({ challenge: 'Cookie realm="acme"' })
    const { headers } = await call('/v1/projects/portal')
    expect(headers.get('www-authenticate')).toBe('Cookie realm="acme"')
  })

  it.each([undefined, null, false, ''])('may return %j without a caller', async (nobody) => {
    const { call, failures } = await open({ authenticate: () => nobody as undefined })
    const { status, headers, json } = await call('/v1/projects/portal', put('no JSON'))
    expect([status, json.code, headers.get('www-authenticate')]).toEqual([401, 16, 'Bearer'])
    expect(failures).toEqual([])
  })

  it('may refuse with an error of the library', async () => {
    const denied = await open({
      authenticate: () => ({ kind: 'PermissionDenied', permission: 'project.read', orgId: 'acme' }),
    })
    const { status, headers, json } = await denied.call('/v1/projects/portal')
    expect([status, json.code, headers.has('www-authenticate')]).toEqual([403, 7, false])

    const cause = new Error('redis://user:password@sessions: no route to host')
    const unavailable = await open({
      authenticate: () => ({ kind: 'Unavailable', outcome: 'not_recorded', cause }),
    })
    const answer = await unavailable.call('/v1/projects/portal')
    expect([answer.status, answer.json.code]).toEqual([503, 14])
    expect(JSON.stringify(answer.json)).not.toContain('redis')
    const { correlationId, outcome } = answer.json.details[0].metadata
    expect(unavailable.failures).toMatchObject([{ cause: { cause }, failure: { correlationId } }])
    expect([outcome, typeof correlationId]).toEqual(['not_recorded', 'string'])
  })

  it('that throws is reported to onError under the correlation id of the answer', async () => {
    const cause = new Error('redis://user:password@sessions: no route to host')
    const { call, failures } = await open({
      authenticate: () => {
        throw cause
      },
    })
    const { status, json } = await call('/v1/projects/portal')
    expect([status, json.code]).toEqual([500, 13])
    expect(JSON.stringify(json)).not.toContain('redis')
    const { correlationId } = json.details[0].metadata
    const method = 'claviger.v1.ProjectService/GetProject'
    expect(failures).toEqual([{ cause, failure: { correlationId, method } }])
    expect(correlationId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each<[name: string, caller: unknown, what: string]>([
    ['userId is missing', { orgId: 'acme' }, 'caller.userId must be'],
    ['userId is empty', { userId: '', orgId: 'acme' }, 'caller.userId must be'],
    ['orgId is missing', { userId: 'u1' }, 'caller.orgId must be'],
    ['orgId is malformed', { userId: 'u1', orgId: 'no+org' }, 'caller.orgId must be'],
    ['permissions are no list', { ...admin, permissions: 'project.read' }, 'caller.permissions'],
    ['a permission is no text', { ...admin, permissions: [1] }, 'caller.permissions'],
    [
      'permissions elsewhere are no lists',
      { ...admin, permissionsIn: { a: 'b' } },
      'permissionsIn',
    ],
    ['the caller is text', 'alice', 'caller.userId must be'],
    [
      'the caller cannot be read',
      {
        orgId: 'acme',
        get userId() {
          throw new Error('not to be read')
        },
      },
      'readable',
    ],
  ])('that answers with a malformed caller is reported to onError: %s', async (_, caller, what) => {
    const { call, failures } = await open({ authenticate: () => caller as never })
    const { status, json } = await call('/v1/projects/portal')
    expect([status, json.code, json.details[0].reason]).toEqual([500, 13, 'UNEXPECTED'])
    expect(JSON.stringify(json)).not.toContain('caller')
    const { correlationId } = json.details[0].metadata
    expect(failures).toMatchObject([{ cause: expect.any(TypeError), failure: { correlationId } }])
    expect(String(failures[0]?.cause)).toContain(what)
  })

  it.each([
    ['an organization header', '/v1/idps/corporate', { 'x-service-orgid': 'acme' }],
    ['a malformed If-Match', '/v1/idps/corporate', { 'if-match': 'bad' }],
  ])(
    'that answers with a malformed caller is no error of a client with %s',
    async (_, path, headers) => {
      const { call, failures } = await open({ authenticate: () => ({ userId: 'u' }) as never })
      const json = { 'content-type': 'application/json', ...headers }
      const { status } = await call(path, { method: 'PATCH', headers: json, body: '{"name":"n"}' })
      expect(status).toBe(500)
      expect(failures).toHaveLength(1)
    },
  )

  it('may refuse a request as malformed', async () => {
    const violations = [{ field: 'caller.token', description: 'must be a token' }]
    const { call } = await open({ authenticate: () => ({ kind: 'InvalidArgument', violations }) })
    const { status, json } = await call('/v1/projects/portal')
    expect([status, json.details[1].fieldViolations]).toEqual([400, violations])
  })

  it.each([
    ['throws', () => raise(new Error('second'))],
    ['throws an error of ConnectRPC', () => raise(ofConnect('second'))],
    ['rejects', async () => raise(new Error('second'))],
  ])('and onError: both errors are written to the console when onError %s', async (_, onError) => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => written.mockRestore())
    const { call } = await open({ authenticate: () => raise(new Error('first')), onError })
    const { status, headers, json } = await call('/v1/projects/portal')
    expect([status, json.code]).toEqual([500, 13])
    expect(JSON.stringify([json, ...headers])).not.toMatch(/first|second|x-internal/)
    const { correlationId } = json.details[0].metadata
    await expect.poll(() => written.mock.calls.map((told) => String(told[2]))).toHaveLength(2)
    expect(written.mock.calls.flat().map(String)).toEqual(
      ['first', 'second'].flatMap((cause) => [
        'claviger.v1.ProjectService/GetProject',
        correlationId,
        expect.stringContaining(cause),
      ]),
    )
  })
})

const raise = (thrown: unknown): never => {
  throw thrown
}

/** An error as a client of ConnectRPC throws it, say one that asks who calls. */
const ofConnect = (message: string) =>
  new ConnectError(message, Code.Unavailable, { 'x-internal': message })

describe('An error that a function of the host throws is shown to no client', () => {
  const secret = 'ECONNREFUSED 10.0.0.5:5432 user=root'
  const thrown: readonly (readonly [name: string, cause: unknown])[] = [
    ['an error of ConnectRPC', ofConnect(secret)],
    ['an error of the library', { kind: 'PermissionDenied', permission: secret, orgId: 'acme' }],
    ['an error with a kind', Object.assign(new Error(secret), { kind: 'NotFound' })],
    ['a text', secret],
    ['nothing', undefined],
  ]

  /** A request over gRPC-web, whose errors are at the end of its body. */
  const overGrpcWeb = (path: string, message: Uint8Array): Request =>
    new Request(`http://localhost/claviger.v1.ProjectService/${path}`, {
      method: 'POST',
      body: new Uint8Array([0, 0, 0, 0, message.length, ...message]),
      headers: { 'content-type': 'application/grpc-web+proto' },
    })

  const { input } = ProjectService.method.addProject
  const namedNew = toBinary(input, create(input, { id: 'new', name: 'New' }))

  /** All that a client sees. */
  const seen = async (response: Response) =>
    JSON.stringify([decodeURIComponent(await response.text()), ...response.headers])

  it.each(thrown)('when authenticate throws %s', async (_, cause) => {
    const { options, failures } = transportOptions()
    const authenticate = () => raise(cause)
    const handler = fetchHandler(await openIam(), { ...options, authenticate })
    const json = await handler(new Request('http://localhost/v1/projects/portal'))
    const grpcWeb = await handler(overGrpcWeb('GetProject', new Uint8Array()))
    expect(json.status).toBe(500)
    expect(await seen(json)).not.toMatch(/ECONNREFUSED|x-internal/)
    const text = await seen(grpcWeb)
    expect(text).toContain('grpc-status: 13')
    expect(text).not.toMatch(/ECONNREFUSED|x-internal/)
    expect(failures.map((failure) => failure.cause)).toEqual([cause, cause])
  })

  it.each(thrown)('when newId throws %s', async (_, cause) => {
    const { options, failures } = transportOptions()
    const iam = createIam({
      store: memoryEventStore(),
      secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
      authorize: permissionsFromCaller,
      newId: () => raise(cause),
    })
    const handler = fetchHandler(iam, { ...options, authenticate: () => callers['admin'] })
    const text = await seen(await handler(overGrpcWeb('AddProject', namedNew)))
    expect(text).toContain('grpc-status: 13')
    expect(text).not.toMatch(/ECONNREFUSED|x-internal/)
    expect(failures).toMatchObject([{ cause }])
  })
})

it.each([{ kind: 'NotFound' }, { kind: 'InvalidArgument' }])(
  'An incomplete error of the library from authenticate is reported: %o',
  async (incomplete) => {
    const { call, failures } = await open({ authenticate: () => incomplete as never })
    const { status, json } = await call('/v1/projects/portal')
    expect([status, json.code]).toEqual([500, 13])
    const { correlationId } = json.details[0].metadata
    expect(failures).toMatchObject([{ cause: expect.any(TypeError), failure: { correlationId } }])
  },
)

describe('The organization header', () => {
  it('has the name that the host gives it', async () => {
    const { call } = await open({ authenticate: () => admin, organizationHeader: 'x-tenant' })
    const selected = await call('/v1/projects/portal', { headers: { 'x-tenant': 'globex' } })
    expect(selected.json.project.name).toBe('Shop')
    const own = await call('/v1/projects/portal', { headers: { 'x-service-orgid': 'globex' } })
    expect(own.json.project.name).toBe('Portal')
  })

  it('given twice names no organization', async () => {
    const { call } = await open({ authenticate: () => admin })
    const headers = new Headers([
      ['x-service-orgid', 'acme'],
      ['x-service-orgid', 'globex'],
    ])
    const { status, json } = await call('/v1/projects/portal', { headers })
    expect([status, json.details[1].fieldViolations[0].field]).toEqual([400, 'orgId'])
  })
})

/** A project of which a client holds the ETag. */
const openTagged = async () => {
  const { call } = await open({ authenticate: () => admin })
  const { headers } = await call('/v1/projects/portal')
  const update = (ifMatch: string) => {
    const request = put('{"name":"New"}')
    return call('/v1/projects/portal', {
      ...request,
      headers: { ...request.headers, 'if-match': ifMatch },
    })
  }
  return { call, update, etag: headers.get('etag') ?? '' }
}

it('If-Match takes what ETag gives, and nothing like it', async () => {
  const { update, etag } = await openTagged()
  for (const wrong of [
    ...[etag.slice(1), `${etag}, "1"`, '"x"', '', '"-gzip"', 'W/', 'W/*'],
    ...[`w/${etag}`, `W/W/${etag}`, `W/${etag.slice(1, -1)}`, etag.replace(/"$/, 'gzip"')],
  ])
    expect((await update(wrong)).json.details[1].fieldViolations[0].field).toBe('expectedSequence')
  expect((await update(etag)).status).toBe(200)
  expect((await update(etag)).status).toBe(409)
})

it.each<[name: string, marked: (etag: string) => string]>([
  ['nginx and Cloudflare mark it', (etag) => `W/${etag}`],
  ['Apache marks it', (etag) => etag.replace(/"$/, '-gzip"')],
  ['Jetty marks it', (etag) => etag.replace(/"$/, '--gzip"')],
  ['two proxies mark it', (etag) => `W/${etag.replace(/"$/, '-br"')}`],
])('If-Match takes the ETag of a compressed answer as %s', async (_, marked) => {
  const { update, etag } = await openTagged()
  expect((await update(marked(etag))).status).toBe(200)
  expect((await update(marked(etag))).status).toBe(409)
})

it('If-Match is ignored by reads, with any value', async () => {
  const { call } = await openTagged()
  for (const ifMatch of ['"1"', 'W/"1"', '"x"', '']) {
    const headers = { 'if-match': ifMatch, 'content-type': 'application/json' }
    for (const path of ['/v1/projects/portal', '/v1/projects'])
      expect((await call(path, { headers })).status).toBe(200)
    const body = '{"userOrgId":"acme"}'
    const check = await call('/v1/projects/portal:checkLogin', { method: 'POST', body, headers })
    expect(check.status).toBe(200)
  }
})

it('A missing option is a TypeError', async () => {
  const iam = await openIam()
  const { options } = transportOptions()
  const { authenticate: _authenticate, ...open } = options
  expect(() => fetchHandler(iam, open as TransportOptions)).toThrow(TypeError)
  expect(() => nodeHandler(iam, { ...options, onError: 1 } as never)).toThrow(TypeError)
})

it.each([
  ['organizationHeader', 'the name of a header', ''],
  ['organizationHeader', 'the name of a header', 'x org'],
  ['organizationHeader', 'the name of a header', 5],
  ['challenge', 'the value of a header', 'Bearer\nSet-Cookie: a=b'],
  ['challenge', 'the value of a header', 'a\u0001b'],
  ['challenge', 'the value of a header', 'é'],
  ['challenge', 'the value of a header', {}],
])('The option %s must be %s, not %j', async (option, what, value) => {
  const { options } = transportOptions()
  const iam = await openIam()
  expect(() => fetchHandler(iam, { ...options, [option]: value } as never)).toThrow(
    new TypeError(`${option} must be ${what}`),
  )
})

it.each(['authentication', 'basepath', 'onerror', '__proto__x'])(
  'An unknown option is a TypeError: %s',
  async (option) => {
    const { options } = transportOptions()
    const iam = await openIam()
    for (const [name, make] of Object.entries({ fetchHandler, nodeHandler }))
      expect(() => make(iam, { ...options, [option]: undefined } as never)).toThrow(
        `${name} has no option ${option}; it has authenticate, `,
      )
  },
)

const makers = Object.entries({ fetchHandler, nodeHandler })

it.each(makers)('Missing options are a TypeError of %s', async (_, make) => {
  const iam = await openIam()
  expect(() => Reflect.apply(make, undefined, [iam])).toThrow(
    new TypeError('authenticate must be a function'),
  )
})

it.each(makers)('Anything else than the library is a TypeError of %s', async (_, make) => {
  const { options } = transportOptions()
  const iam = await openIam()
  for (const given of [[undefined, options], [options], [{}, options], [iam.projects, options], []])
    expect(() => Reflect.apply(make, undefined, given)).toThrow(
      new TypeError('iam must be made by createIam'),
    )
})

it.each(makers)(
  'A library without a method that is served is a TypeError of %s',
  async (_, make) => {
    const { options } = transportOptions()
    const iam = await openIam()
    const { deactivate: _left, ...userGrants } = iam.userGrants
    expect(() => Reflect.apply(make, undefined, [{ ...iam, userGrants }, options])).toThrow(
      new TypeError('claviger.v1.UserGrantService/DeactivateUserGrant has no method'),
    )
  },
)

it('An unexpected error is written to the console without onError', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const cause = new Error('out of order')
  const handler = fetchHandler(await openIam(), {
    authenticate: () => {
      throw cause
    },
  })
  const answer = await handler(new Request('http://localhost/v1/projects/portal'))
  expect(answer.status).toBe(500)
  expect(written.mock.calls.flat()).toContain(cause)
  written.mockRestore()
})

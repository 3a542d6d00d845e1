import { createServer } from 'node:http'
import type { Iam } from 'claviger'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { callers, openIam, transportOptions } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'
import { closed, listening } from '../servers.js'

const context = { caller: callers['admin'] }

const KIBIBYTE = 1024

/** A request for `fetchHandler`; `Request` itself lets no GET have a body. */
const requestOf = (verb: string, path: string, body: BodyInit, type = 'application/json') => {
  const request = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer admin', 'content-type': type },
    body,
  })
  return Object.defineProperty(request, 'method', { value: verb })
}

const everythingOf = async (iam: Iam) => [
  (await iam.projects.list({}, context))._unsafeUnwrap().items,
  (await iam.projectRoles.list({ projectId: 'portal' }, context))._unsafeUnwrap().items,
  (await iam.projectRoles.list({ projectId: 'victim' }, context))._unsafeUnwrap().items,
]

/** A body that comes in pieces, without telling its length. */
const inPieces = (text: string) =>
  new ReadableStream({
    start(controller) {
      for (let index = 0; index < text.length; index += 64 * KIBIBYTE)
        controller.enqueue(new TextEncoder().encode(text.slice(index, index + 64 * KIBIBYTE)))
      controller.close()
    },
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

  it.for([
    ['a field', '{"roles":[{"roleKey":"a"},{"roleKey":"b","roleKey":"c"}]}', 'roles[1].roleKey'],
    [
      'a field, escaped, behind texts like names',
      '{"roles":[{"roleKey":"a","displayName":"\\"a\\":{[,"},{},{"gr\\u006fup":"" , "group" : ""}]}',
      'roles[2].group',
    ],
    ['both names', '{"roles":[{"roleKey":"b","role_key":"c"}]}', 'roles[0].roleKey'],
    ['both names, one null', '{"roles":[{"role_key":null,"roleKey":"c"}]}', 'roles[0].roleKey'],
    ['a list', '{"roles":[],"roles":[{"roleKey":"c"}]}', 'roles'],
    ['what the path says', '{"roles":[{}],"project_id":"other"}', 'projectId'],
  ] as const)('with %s twice is told where', async ([, body, field]) => {
    const { call } = await openHost()
    const answer = await call('POST', '/v1/projects/portal/roles:batchAdd', body)
    expect(answer.status).toBe(400)
    expect(violationsIn(answer.json)).toEqual({ [field]: 'must not be given twice' })
  })

  it('is required where the request has fields of its own', async () => {
    const { call } = await openHost()
    for (const [method, path] of [
      ['POST', '/v1/idps/oidc'],
      ['PUT', '/v1/idps/corporate/oidc_config'],
      ['PUT', '/v1/projects/portal'],
      ['POST', '/v1/projects/portal/roles'],
    ] as const) {
      const answer = await call(method, path, '')
      expect([answer.status, answer.json.code], path).toEqual([400, 3])
    }
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
    expect(answer.json).toMatchObject({
      code: 8,
      message: 'The request is larger than 1 MiB',
      details: [{ reason: 'RESOURCE_EXHAUSTED' }],
    })
  })
})

it('A body that a parser before the transport made deep lists of is refused', async () => {
  const iam = await openIam()
  const { options, failures } = transportOptions()
  const server = createServer(express().use(express.json(), nodeHandler(iam, options)))
  const origin = await listening(server)
  onTestFinished(() => closed(server))
  const answer = await fetch(`${origin}/v1/projects`, {
    method: 'POST',
    headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
    body: `{"name":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
  })
  expect(answer.status).toBe(400)
  expect(violationsIn(await answer.json())).toEqual({ '': 'must be JSON' })
  expect(failures).toEqual([])
})

it('A body that was read before the transport may be bytes, and one that was not is read', async () => {
  const iam = await openIam()
  const handler = nodeHandler(iam, transportOptions().options)
  const unread: RequestHandler = (request, _response, next) => {
    request.body = {}
    next()
  }
  for (const before of [express.raw({ type: () => true }), unread]) {
    const server = createServer(express().use(before, handler))
    const origin = await listening(server)
    onTestFinished(() => closed(server))
    const answer = await fetch(`${origin}/v1/projects/portal`, {
      method: 'PUT',
      headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
      body: '{"name":"Read"}',
    })
    expect(answer.status).toBe(200)
  }
})

describe('A body of fetch above the bound', () => {
  it.each([
    ['in JSON', '/v1/projects', 'application/json', /^413 /],
    [
      'in gRPC-web',
      '/claviger.v1.ProjectService/AddProject',
      'application/grpc-web+proto',
      /^200 .*grpc-status: 8/s,
    ],
  ])('is cancelled, so that its source stops: %s', async (_, path, type, expected) => {
    const handler = fetchHandler(await openIam(), transportOptions().options)
    const cancel = vi.fn()
    let pulled = 0
    const body = new ReadableStream(
      {
        pull: (controller) => {
          pulled++
          controller.enqueue(new Uint8Array(256 * KIBIBYTE))
        },
        cancel,
      },
      { highWaterMark: 0 },
    )
    const headers = { authorization: 'Bearer admin', 'content-type': type }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const answer = await handler(new Request(`http://localhost${path}`, init))
    expect(`${answer.status} ${await answer.text()}`).toMatch(expected)
    expect(cancel).toHaveBeenCalledOnce()
    expect(pulled).toBeLessThan(10)
  })
})

describe('A body with a byte order mark', () => {
  const mark = '\ufeff'
  const rest: readonly (readonly [verb: string, path: string, body: string])[] = [
    ['DELETE', '/v1/projects/portal', '{"id":"victim"}'],
    ['PUT', '/v1/projects/portal', '{"id":"victim","name":"New"}'],
    ['POST', '/v1/projects/portal:deactivate', '{"id":"victim"}'],
    ['GET', '/v1/projects/portal', '{"id":"victim"}'],
    [
      'POST',
      '/v1/projects/portal/roles',
      '{"projectId":"victim","roleKey":"editor","displayName":"E"}',
    ],
    ['DELETE', '/v1/projects/portal/role?role_key=editor', '{"projectId":"victim","roleKey":"a"}'],
  ]

  it.for(rest)('does not put its own id over that of %s %s', async ([verb, path, body]) => {
    const iam = await openIam()
    const { options } = transportOptions()
    const handler = fetchHandler(iam, options)
    await iam.projects.add({ id: 'victim', name: 'Victim' }, context)
    const before = await everythingOf(iam)
    for (const bytes of [mark + body, ` ${mark}${body}`, mark + mark + body, mark]) {
      const answer = await handler(requestOf(verb, path, bytes))
      expect(answer.status).toBe(400)
      expect(violationsIn(await answer.json())).toEqual({ '': 'must be a JSON object' })
    }
    expect(await everythingOf(iam)).toEqual(before)
  })

  it('is refused on the path of an rpc', async () => {
    const iam = await openIam()
    const { options } = transportOptions()
    const body = new TextEncoder().encode(`${mark}{"id":"portal"}`)
    const path = '/claviger.v1.ProjectService/RemoveProject'
    const request = requestOf('POST', path, body, 'application/json')
    expect(await (await fetchHandler(iam, options)(request)).text()).toMatch(/malformed/)
    expect((await iam.projects.get({ id: 'portal' }, context)).isOk()).toBe(true)
  })
})

it.for([
  ['{"name":5}', 400],
  ['{"name":"X","colour":"red"}', 400],
  ['{"name":""}', 403],
] as const)('%s of a caller without permission is answered with %i', async ([body, status]) => {
  const { call } = await openHost()
  const answer = await call('PUT', '/v1/projects/portal', body, { authorization: 'Bearer guest' })
  expect(answer.status).toBe(status)
})

it.each(['identity', 'Identity', 'IDENTITY', ''])(
  'A body whose coding is %j is not compressed',
  async (coding) => {
    const { call } = await openHost()
    const headers = { 'content-encoding': coding }
    expect((await call('PUT', '/v1/projects/portal', '{"name":"X"}', headers)).status).toBe(200)
    const path = '/claviger.v1.ProjectService/GetProject'
    expect((await call('POST', path, '{"id":"portal"}', headers)).status).toBe(200)
  },
)

it('A body that is compressed is refused', async () => {
  const { call } = await openHost()
  const answer = await call('PUT', '/v1/projects/portal', '{"name":"X"}', {
    'content-encoding': 'gzip',
  })
  expect(answer.status).toBe(501)
  expect(answer.json).toMatchObject({ code: 12, message: 'Compressed requests are not supported' })
})

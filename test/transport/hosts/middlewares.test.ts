import { createServer } from 'node:http'
import { nodeHandler } from 'claviger/transport'
import express, { type RequestHandler } from 'express'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { closed, listening } from '../servers.js'

/** What a client gets of a server, and what its host is told. */
const open = async (listen: (handler: ReturnType<typeof nodeHandler>) => Promise<string>) => {
  const { options, failures } = transportOptions()
  const seen: Headers[] = []
  const authenticate: typeof options.authenticate = (headers, signal) => {
    seen.push(headers)
    return options.authenticate(headers, signal)
  }
  const origin = await listen(nodeHandler(await openIam(), { ...options, authenticate }))
  const call = (path: string, type: string, body: BodyInit) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer admin', 'content-type': type },
      body,
    })
  return {
    failures,
    seen,
    asJson: () => call('/v1/projects', 'application/json', '{"name":"Shop"}'),
    asGrpcWeb: () =>
      call(
        '/claviger.v1.ProjectService/AddProject',
        'application/grpc-web+proto',
        new Uint8Array([0, 0, 0, 0, 6, 0x12, 4, ...Buffer.from('Shop')]),
      ),
  }
}

const behind = (middleware: RequestHandler) =>
  open(async (handler) => {
    const server = createServer(express().use(middleware, handler))
    onTestFinished(() => closed(server))
    return listening(server)
  })

/** Reads the body away, as one that writes a log may do. */
const reading: RequestHandler = async (request, _response, next) => {
  for await (const _ of request);
  next()
}

const decoding: RequestHandler = (request, _response, next) => {
  request.setEncoding('utf8')
  next()
}

describe.each([
  [
    'that was read before',
    reading,
    'The body was read before nodeHandler, and is not in request.body',
  ],
  ['that was made text of', decoding, 'A body must consist of bytes'],
] as const)('A body %s is an error of the host', (_, middleware, message) => {
  it('in JSON', async () => {
    const { asJson, failures } = await behind(middleware)
    const answer = await asJson()
    expect([answer.status, (await answer.json()).code]).toEqual([500, 13])
    expect(failures.map(({ cause }) => cause)).toEqual([new TypeError(message)])
  })

  it('in gRPC-web', async () => {
    const { asGrpcWeb, failures } = await behind(middleware)
    expect(await (await asGrpcWeb()).text()).toContain('grpc-status: 13')
    expect(failures.map(({ cause }) => cause)).toEqual([new TypeError(message)])
  })
})

it('A body that Fastify has parsed is an error of the host', async () => {
  const { asJson, failures } = await open(async (handler) => {
    const app = fastify()
    app.all('/*', (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw)
    })
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  })
  expect((await asJson()).status).toBe(500)
  expect(failures.map(({ cause }) => String(cause))).toEqual([
    expect.stringContaining('read before nodeHandler'),
  ])
})

it('A header that a middleware has set is text, or is absent', async () => {
  const { asJson, asGrpcWeb, seen } = await behind((request, _response, next) => {
    Object.assign(request.headers, { 'x-user': 7, 'x-gone': undefined, 'x-none': null })
    next()
  })
  expect((await asJson()).status).toBe(200)
  expect(await (await asGrpcWeb()).text()).toContain('grpc-status: 0')
  for (const headers of seen)
    expect(['x-user', 'x-gone', 'x-none'].map((name) => headers.get(name))).toEqual([
      '7',
      null,
      null,
    ])
  expect(seen).toHaveLength(2)
})

describe('The host learns why a response could not be sent', () => {
  it('where a middleware has answered before', async () => {
    const { asJson, failures } = await behind((_request, response, next) => {
      response.end('mine')
      next()
    })
    expect(await (await asJson()).text()).toBe('mine')
    await expect
      .poll(() => failures)
      .toEqual([
        {
          cause: expect.objectContaining({ code: 'ERR_HTTP_HEADERS_SENT' }),
          failure: { correlationId: expect.any(String), method: 'POST /v1/projects' },
        },
      ])
  })

  it('where a middleware sets an invalid header: the call is answered as an unexpected error', async () => {
    const { asGrpcWeb, failures } = await behind((request, _response, next) => {
      request.headers['x-user'] = '日本'
      next()
    })
    expect(await (await asGrpcWeb()).text()).toContain('grpc-status: 13')
    expect(failures.map(({ failure }) => failure.method)).toEqual([
      'claviger.v1.ProjectService/AddProject',
    ])
  })
})

import { createServer } from 'node:http'
import { Code, ConnectError, createConnectRouter } from '@connectrpc/connect'
import { connectRoutes, fetchHandler, nodeHandler } from 'claviger/transport'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { closed, listening } from '../servers.js'

const ADD = { path: '/v1/projects', type: 'application/json' }

/** Each way to send a project. */
const ways: readonly (readonly [name: string, way: typeof ADD])[] = [
  ['JSON', ADD],
  ['JSON at the path of the rpc', { ...ADD, path: '/claviger.v1.ProjectService/AddProject' }],
  [
    'gRPC-web',
    { path: '/claviger.v1.ProjectService/AddProject', type: 'application/grpc-web+proto' },
  ],
]

const open = async () => {
  const { options, failures } = transportOptions()
  const handler = fetchHandler(await openIam(), options)
  return { handler, failures }
}

const requestOf = (body: ReadableStream, { path, type }: typeof ADD, signal?: AbortSignal) =>
  new Request(`http://localhost${path}`, {
    method: 'POST',
    body,
    headers: { authorization: 'Bearer admin', 'content-type': type },
    duplex: 'half',
    ...(signal && { signal }),
  } as RequestInit)

const failing = (cause: unknown) =>
  new ReadableStream({
    pull() {
      throw cause
    },
  })

/** All that a client sees, in whatever protocol. */
const seen = async (response: Response) =>
  JSON.stringify([decodeURIComponent(await response.text()), ...response.headers])

describe.each(ways)('A body that cannot be read, as %s', (_, way) => {
  it.each([
    ['of the host', new Error('/var/spool/7: no such file')],
    ['of ConnectRPC', new ConnectError('/var/spool/7', Code.NotFound, { 'x-internal': 'abc' })],
  ])('is reported to the host and not to the client: an error %s', async (_kind, cause) => {
    const { handler, failures } = await open()
    const text = await seen(await handler(requestOf(failing(cause), way)))
    expect(text).toMatch(/"code\\":13|grpc-status: 13/)
    expect(text).not.toMatch(/spool|x-internal/)
    const method = 'claviger.v1.ProjectService/AddProject'
    const correlationId = expect.any(String)
    expect(failures).toEqual([{ cause, failure: { method, correlationId } }])
  })

  it('is reported when it consists of text', async () => {
    const { handler, failures } = await open()
    const text = new ReadableStream({
      start(controller) {
        controller.enqueue('{"id":"new","name":"New"}')
        controller.close()
      },
    })
    expect(await seen(await handler(requestOf(text, way)))).toMatch(/"code\\":13|grpc-status: 13/)
    expect(failures).toMatchObject([{ cause: expect.any(TypeError) }])
  })

  it('is reported when it is read elsewhere', async () => {
    const { handler, failures } = await open()
    const request = requestOf(new ReadableStream(), way)
    request.body?.getReader()
    expect(await seen(await handler(request))).toMatch(/"code\\":13|grpc-status: 13/)
    expect(failures).toMatchObject([{ cause: expect.any(TypeError) }])
  })

  it('is not reported when the client has left', async () => {
    const { handler, failures } = await open()
    const left = new AbortController()
    const body = new ReadableStream(
      {
        pull() {
          left.abort()
          throw new Error('aborted')
        },
      },
      { highWaterMark: 0 },
    )
    await handler(requestOf(body, way, left.signal))
    expect(failures).toEqual([])
  })
})

it.each(['application/grpc-web+proto', 'application/proto', 'application/json'])(
  'A body that cannot be read by a router of the host is reported, and the client sees nothing of it: %s',
  async (type) => {
    const { options, failures } = transportOptions()
    const router = createConnectRouter()
    connectRoutes(await openIam(), options)(router)
    const path = '/claviger.v1.ProjectService/AddProject'
    const handler = router.handlers.find(({ requestPath }) => requestPath === path)
    const cause = new ConnectError('/var/spool/7', Code.NotFound, { 'x-internal': 'abc' })
    const answer = await handler?.({
      httpVersion: '1.1',
      method: 'POST',
      url: `http://localhost${path}`,
      header: new Headers({ authorization: 'Bearer admin', 'content-type': type }),
      body: failing(cause),
      signal: new AbortController().signal,
    })
    const pieces: Uint8Array[] = []
    for await (const piece of answer?.body ?? []) pieces.push(piece)
    const all = decodeURIComponent(
      `${Buffer.concat(pieces)} ${JSON.stringify([...(answer?.header ?? [])])}`,
    )
    expect(all).toMatch(/"code":"internal"|grpc-status: 13/)
    expect(all).not.toMatch(/spool|x-internal/)
    expect(failures).toMatchObject([{ cause }])
  },
)

it('A body that is read elsewhere does not matter where the path is not of the transport', async () => {
  const { handler } = await open()
  const request = requestOf(new ReadableStream(), { ...ADD, path: '/health' })
  request.body?.getReader()
  expect((await handler(request)).status).toBe(404)
})

it('What a parser of the host made of a body matters on paths of the transport alone', async () => {
  const { options, failures } = transportOptions()
  const app = express()
  app.use(express.json({ reviver: (_name, value) => (value === 1 ? 1n : value) }))
  app.use(nodeHandler(await openIam(), options))
  app.post('/count', (request, response) => void response.send(String(request.body.count)))
  const server = createServer(app)
  const origin = await listening(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await closed(server)
  })
  const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' }
  const post = (path: string) =>
    fetch(`${origin}${path}`, { method: 'POST', headers, body: '{"count":1}' })
  expect(await (await post('/count')).text()).toBe('1')
  expect((await post('/v1/projects')).status).toBe(500)
  expect(failures).toMatchObject([{ cause: expect.any(TypeError) }])
})

import { Code, ConnectError } from '@connectrpc/connect'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { openIam, transportOptions } from '../host.js'

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

it('A body that cannot be read is reported in gRPC-web too, and the client sees nothing of it', async () => {
  const { options, failures } = transportOptions()
  const handler = fetchHandler(await openIam(), options)
  const cause = new ConnectError('/var/spool/7', Code.NotFound, { 'x-internal': 'abc' })
  const body = new ReadableStream({ pull: (controller) => controller.error(cause) })
  const headers = { authorization: 'Bearer admin', 'content-type': 'application/grpc-web+proto' }
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  const path = '/claviger.v1.ProjectService/AddProject'
  const answer = await handler(new Request(`http://localhost${path}`, init))
  const all = decodeURIComponent(`${await answer.text()} ${JSON.stringify([...answer.headers])}`)
  expect(all).toMatch(/grpc-status: 13/)
  expect(all).not.toMatch(/spool|x-internal/)
  expect(failures).toMatchObject([{ cause }])
})

import { once } from 'node:events'
import { Agent, request as requestHttp } from 'node:http'
import { connect, createServer } from 'node:http2'
import { type NodeHandler, nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callers } from '../host.js'
import { openHost } from '../http-client.js'
import { listening } from '../servers.js'

const GET = '/claviger.v1.ProjectService/GetProject'

/** A message behind its flags and its length. */
const frame = (message: Uint8Array): Uint8Array => {
  const head = new DataView(new ArrayBuffer(5))
  head.setUint32(1, message.length)
  return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), message]))
}

/** The message of `GetProject` for the project that every host has. */
const portal = new Uint8Array([0x0a, 6, ...Buffer.from('portal')])

/** Rejects once the signal has aborted. */
const rejected = async (signal: AbortSignal, reason: () => unknown): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort')
  throw reason()
}

const flagged = (flags: number) => new Uint8Array([flags, ...frame(portal).subarray(1)])

type Host = Awaited<ReturnType<typeof openHost>>

/** gRPC without a client that keeps us from what is wrong. */
const openHttp2 = async (handlerOf = ({ handler }: Host): NodeHandler => handler) => {
  const host = await openHost()
  const server = createServer(handlerOf(host))
  const session = connect(await listening(server))
  onTestFinished(() => {
    session.destroy()
    server.close()
  })

  /** The headers and trailers of the answer. */
  const send = async (body: Uint8Array, headers: Record<string, string> = {}) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': GET,
      authorization: 'Bearer admin',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    const received: Record<string, unknown> = {}
    stream.on('response', (found) => Object.assign(received, found))
    stream.on('trailers', (found) => Object.assign(received, found))
    stream.resume().end(body)
    await once(stream, 'close')
    return received
  }
  return { ...host, session, send }
}

describe('gRPC', () => {
  it('names as many unknown fields as fit in the trailers that clients take', async () => {
    const { send, session } = await openHttp2()
    const many = new Uint8Array(6_000).fill(0x78)
    const answer = await send(frame(new Uint8Array([...portal, ...many])))
    expect(answer['grpc-status']).toBe('3')
    const details = String(answer['grpc-status-details-bin'])
    expect(details.length).toBeLessThan(8 * 1024)
    expect(Buffer.from(details, 'base64').toString()).toContain('must not have a field numbered 15')
    expect(session.closed).toBe(false)
  })

  it.each([100, 250, 5_000])(
    'keeps its trailers below 8 KiB with %d wrong values',
    async (count) => {
      const { session } = await openHttp2()
      // Roles that each have an unknown field.
      const roles = Array.from({ length: count }, () => [0x12, 2, 0x78, 1]).flat()
      const stream = session.request({
        ':method': 'POST',
        ':path': '/claviger.v1.ProjectRoleService/AddProjectRoles',
        authorization: 'Bearer admin',
        'content-type': 'application/grpc',
      })
      const trailers = once(stream.resume().end(frame(new Uint8Array(roles))), 'trailers')
      const [received] = await trailers
      expect(received['grpc-status']).toBe('3')
      const size = Object.entries(received).reduce(
        (sum, [name, value]) => sum + name.length + String(value).length + 32,
        0,
      )
      expect(size).toBeLessThan(8 * 1024)
      const details = Buffer.from(String(received['grpc-status-details-bin']), 'base64').toString()
      expect(details).toContain('roles[0]')
      expect(session.closed).toBe(false)
    },
  )

  it.each(['+json', '-web-text', '+thrift', 'x'])(
    'is not served as application/grpc%s',
    async (type) => {
      const { send } = await openHttp2()
      const answer = await send(frame(portal), { 'content-type': `application/grpc${type}` })
      expect([answer[':status'], answer['accept']]).toEqual([
        415,
        'application/json, application/grpc-web+proto, application/grpc',
      ])
    },
  )

  it.each<[name: string, code: string, body: Uint8Array, headers?: Record<string, string>]>([
    ['a malformed deadline', '3', frame(portal), { 'grpc-timeout': 'soon' }],
    ['a message that ends early', '3', frame(portal).subarray(0, 8)],
    ['a message above 1 MiB', '8', frame(new Uint8Array(1024 * 1024 + 1))],
    ['another encoding', '12', frame(portal), { 'grpc-encoding': 'gzip' }],
    ['no message', '12', new Uint8Array()],
    ['two messages', '12', Buffer.concat([frame(portal), frame(portal)])],
    ['a message marked as compressed', '13', new Uint8Array([1, ...frame(portal).subarray(1)])],
    ['bytes that are no protobuf', '13', frame(new Uint8Array([0x0a, 6]))],
    ['a message with a reserved flag', '13', flagged(0x02)],
    ['a message with all flags', '13', flagged(0xff)],
    ['a message marked as trailers', '13', flagged(0x80)],
    ['a second message with a reserved flag', '12', Buffer.concat([frame(portal), flagged(0x02)])],
  ])(
    'answers %s with code %s, after the caller is authenticated',
    async (_, code, body, headers) => {
      const { send, failures } = await openHttp2()
      expect((await send(body, headers))['grpc-status']).toBe(code)
      expect((await send(body, { ...headers, authorization: '' }))['grpc-status']).toBe('16')
      expect(failures).toEqual([])
    },
  )

  it('takes a message in pieces of a byte each', async () => {
    const { session } = await openHttp2()
    const stream = session.request({
      ':method': 'POST',
      ':path': GET,
      authorization: 'Bearer admin',
      'content-type': 'application/grpc',
    })
    const received: Record<string, unknown> = {}
    stream.on('trailers', (found) => Object.assign(received, found))
    for (const byte of frame(portal)) stream.write(new Uint8Array([byte]))
    stream.resume().end()
    await once(stream, 'close')
    expect(received['grpc-status']).toBe('0')
  })

  it.each(['gzip', 'snappy'])(
    'answers a request that is compressed with %s with the encodings that it takes',
    async (encoding) => {
      const { send } = await openHttp2()
      const answer = await send(frame(portal), { 'grpc-encoding': encoding })
      expect(answer['grpc-accept-encoding']).toBe('identity')
    },
  )

  it('waits for what has a deadline in ten thousand years', async () => {
    const warnings: unknown[] = []
    const listen = (warning: unknown) => void warnings.push(warning)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))
    const { send } = await openHttp2()
    for (const timeout of ['99999999H', '99999999M', '99999999S', '99999999m'])
      expect((await send(frame(portal), { 'grpc-timeout': timeout }))['grpc-status']).toBe('0')
    expect(warnings).toEqual([])
  })

  it('answers DEADLINE_EXCEEDED after the deadline', async () => {
    const { send } = await openHttp2(({ iam, options }) =>
      nodeHandler(iam, {
        ...options,
        authenticate: async (_headers, signal) => {
          if (!signal.aborted) await once(signal, 'abort')
          return callers['admin']
        },
      }),
    )
    const answer = await send(frame(portal), { 'grpc-timeout': '1n' })
    expect(answer['grpc-status']).toBe('4')
    expect(Buffer.from(String(answer['grpc-status-details-bin']), 'base64').toString()).toContain(
      'DEADLINE_EXCEEDED',
    )
  })

  it.each([
    ['rejects then', (signal: AbortSignal) => rejected(signal, () => new Error('aborted'))],
    ['rejects with the reason', (signal: AbortSignal) => rejected(signal, () => signal.reason)],
    ['never answers', () => new Promise<never>(() => {})],
  ])('answers DEADLINE_EXCEEDED after the deadline when authenticate %s', async (_, wait) => {
    const { failures, ...host } = await openHttp2(({ iam, options }) =>
      nodeHandler(iam, { ...options, authenticate: (_headers, signal) => wait(signal) }),
    )
    const answer = await host.send(frame(portal), { 'grpc-timeout': '20m' })
    expect(answer['grpc-status']).toBe('4')
    expect(Buffer.from(String(answer['grpc-status-details-bin']), 'base64').toString()).toContain(
      'DEADLINE_EXCEEDED',
    )
    expect(failures).toEqual([])
  })

  it.each(['grpc-timeout', 'grpc-encoding'])('repeats little of a %s', async (name) => {
    const { send, session } = await openHttp2()
    const answer = await send(frame(portal), { [name]: '"%'.repeat(15_000) })
    expect(answer['grpc-status']).toMatch(/^(3|12)$/)
    expect(String(answer['grpc-message']).length).toBeLessThan(500)
    expect(session.closed).toBe(false)
  })
})

it('A stream of HTTP/2 whose body has no end is closed once it is answered', async () => {
  const { session } = await openHttp2()
  const stream = session.request({ ':method': 'POST', ':path': GET, 'content-type': 'text/plain' })
  const answered = once(stream.resume(), 'response')
  const piece = new Uint8Array(64 * 1024)
  const most = 16 * 1024 * 1024
  let sent = 0
  for (; sent < most && !stream.destroyed; sent += piece.length)
    await new Promise<unknown>((resolve) => stream.write(piece, resolve))
  expect(sent).toBeLessThan(most)
  const [headers] = await answered
  expect([headers[':status'], stream.rstCode]).toEqual([415, 0])
  const next = session.request({ ':path': '/openapi.json' })
  expect((await once(next.resume(), 'response'))[0][':status']).toBe(200)
})

it('A connection of HTTP/1.1 takes the next request after a body that nobody read to its end', async () => {
  const { origin, server } = await openHost()
  let connections = 0
  server.on('connection', () => connections++)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const send = async (body: Uint8Array) => {
    const request = requestHttp(`${origin}${GET}`, {
      agent,
      method: 'POST',
      headers: { authorization: 'Bearer admin', 'content-type': 'application/grpc-web+proto' },
    })
    request.end(body)
    const [response] = await once(request, 'response')
    const pieces: Buffer[] = []
    for await (const piece of response) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  expect(await send(new Uint8Array(500_000))).toContain('grpc-status: 12')
  expect(await send(frame(portal))).toContain('Portal')
  expect(connections).toBe(1)
})

describe('gRPC-web', () => {
  it.each(['application/grpc-web', 'application/grpc-web+proto', 'Application/gRPC-Web+Proto'])(
    'is served as %s',
    async (type) => {
      const { origin } = await openHost()
      const headers = { authorization: 'Bearer admin', 'content-type': type }
      const answer = await fetch(`${origin}${GET}`, {
        method: 'POST',
        headers,
        body: new Uint8Array(frame(portal)),
      })
      expect(answer.headers.get('content-type')).toBe('application/grpc-web+proto')
      expect(await answer.text()).toMatch(/Portal.*grpc-status: 0\r\n$/s)
    },
  )

  it.each([
    ['a reserved flag', flagged(0x02)],
    ['the flag of trailers', flagged(0x80)],
    ['trailers behind the message', Buffer.concat([frame(portal), flagged(0x80)])],
  ])('refuses %s', async (_, body) => {
    const { origin } = await openHost()
    const headers = { authorization: 'Bearer admin', 'content-type': 'application/grpc-web+proto' }
    const answer = await fetch(`${origin}${GET}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    })
    expect(await answer.text()).toMatch(/grpc-status: 1[23]/)
  })
})

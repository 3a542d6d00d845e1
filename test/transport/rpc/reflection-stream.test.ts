import { once } from 'node:events'
import {
  connect,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { fetchHandler, nodeHandler, ProjectService } from 'claviger/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { listening } from '../servers.js'

const PATH = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'

/** A question for the file of a service, as a frame of the JSON of Connect. */
const frame = (json: object): Uint8Array => {
  const message = Buffer.from(JSON.stringify(json))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return new Uint8Array(Buffer.concat([head, message]))
}
const question = frame({ fileContainingSymbol: ProjectService.typeName })
const headers = { 'content-type': 'application/connect+json' }

/** The request, with a call of `hasRead` once nothing more of its body is asked for. */
const telling = (request: Http2ServerRequest, hasRead: () => void): Http2ServerRequest => {
  const iterator = request.iterator.bind(request)
  request.iterator = async function* (options) {
    try {
      return yield* iterator(options)
    } finally {
      hasRead()
    }
  }
  return request
}

describe('A stream of reflection', () => {
  const openStream = async () => {
    const handler = nodeHandler(await openIam(), transportOptions().options)
    let response: Http2ServerResponse | undefined
    const hasRead = vi.fn()
    const server = createServer((request, answered) => {
      response = answered
      handler(telling(request, hasRead), answered)
    })
    const session = connect(await listening(server))
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const stream = session.request({ ':method': 'POST', ':path': PATH, ...headers })
    stream.on('error', () => {})
    return { session, stream, hasRead, response: () => response }
  }

  it('is answered while the client goes on sending', async () => {
    const { stream } = await openStream()
    stream.write(question)
    const [first] = await once(stream, 'data')
    stream.write(question)
    const [second] = await once(stream, 'data')
    expect([first.length, second.length]).toEqual([expect.any(Number), expect.any(Number)])
  })

  it('writes no faster than the client reads', async () => {
    const { stream, response } = await openStream()
    stream.pause()
    for (let asked = 0; asked < 2_000; asked++) stream.write(question)
    await once(stream, 'response')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(response()?.stream.writableLength).toBeLessThan(100_000)
  })

  it('keeps no listener for each wait', async () => {
    const { stream, response } = await openStream()
    for (let asked = 0; asked < 2_000; asked++) stream.write(question)
    stream.end()
    let most = 0
    for await (const _ of stream) most = Math.max(most, response()?.listenerCount('close') ?? 0)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(10)
  })

  it('waits no longer for questions once the client has left', async () => {
    const { stream, session, hasRead } = await openStream()
    stream.write(question)
    await once(stream, 'data')
    expect(hasRead).not.toHaveBeenCalled()
    session.destroy()
    await vi.waitFor(() => expect(hasRead).toHaveBeenCalledOnce())
  })

  it('ends with a message that is malformed, though the client goes on', async () => {
    const { stream } = await openStream()
    stream.write(frame({ unknown: true }).subarray(0, 5))
    stream.write('not JSON..........')
    let text = ''
    for await (const chunk of stream) text += chunk
    expect(text).toContain('"code":"invalid_argument"')
  })

  it('ends at 5,000 questions', async () => {
    const { stream } = await openStream()
    const services = frame({ listServices: '' })
    for (let asked = 0; asked <= 5_000; asked++) stream.write(services)
    let end = ''
    for await (const chunk of stream) end = `${end}${chunk}`.slice(-500)
    expect(end).toContain('"code":"resource_exhausted"')
  })

  it('ends after a minute, though the client says nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { stream } = await openStream()
    stream.write(question)
    await once(stream, 'data')
    await vi.advanceTimersByTimeAsync(61_000)
    let end = ''
    for await (const chunk of stream) end = `${end}${chunk}`.slice(-500)
    expect(end).toContain('"code":"deadline_exceeded"')
  })

  it('is one of a host with the interface of fetch, too', async () => {
    const handler = fetchHandler(await openIam(), transportOptions().options)
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    void writer.write(question)
    const request = { method: 'POST', headers, body: readable, duplex: 'half' } as RequestInit
    const answer = await handler(new Request(`https://iam.example.com${PATH}`, request))
    const reader = answer.body!.getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(1_000)
    void writer.write(question)
    expect((await reader.read()).value?.length).toBeGreaterThan(1_000)
    void writer.close()
    const { value } = await reader.read()
    expect(Buffer.from(value ?? []).toString()).toContain('{}')
    expect((await reader.read()).done).toBe(true)
  })

  it('is refused in a content type that has no streams', async () => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const handler = fetchHandler(await openIam(), transportOptions().options)
    const answer = await handler(new Request(`https://iam.example.com${PATH}`, request))
    expect([answer.status, answer.headers.get('accept')]).toEqual([
      415,
      'application/connect+json, application/grpc-web+proto',
    ])
  })
})

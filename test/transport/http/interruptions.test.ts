import { type EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import type { EventStore } from 'claviger'
import { nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { callers } from '../host.js'
import { openHost } from '../http-client.js'
import { listening } from '../servers.js'

const context = { caller: callers['admin'] }

/** A point that a store stops at, and what lets it go on. */
const stage = () => {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    ...reached,
    release: released.resolve,
    reach: reached.resolve,
    released: released.promise,
  }
}

/** A store that stops once it is about to read what a command is decided on. */
const stoppingAtRead = (at: ReturnType<typeof stage>) => (store: EventStore) => ({
  ...store,
  readStream: async (...args: Parameters<EventStore['readStream']>) => {
    at.reach()
    await at.released
    return store.readStream(...args)
  },
})

/** A store that stops once it was sent an append. */
const stoppingAtAppend = (at: ReturnType<typeof stage>) => (store: EventStore) => ({
  ...store,
  append: async (append: Parameters<EventStore['append']>[0]) => {
    at.reach()
    await at.released
    return store.append(append)
  },
})

const requestText = (body: string, length = Buffer.byteLength(body)) =>
  [
    'PUT /v1/projects/portal HTTP/1.1',
    'Host: localhost',
    'Authorization: Bearer admin',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '',
    body,
  ].join('\r\n')

/** A connection, seen from both ends. */
const open = async (server: Server): Promise<{ readonly near: Socket; readonly far: Socket }> => {
  const accepted = once(server, 'connection')
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void near.destroy())
  const [far] = await accepted
  return { near, far }
}

/** Ends once the server noticed that the client is gone. */
const leave = async ({ near, far }: { readonly near: Socket; readonly far: Socket }) => {
  const left = closing(far)
  near.destroy()
  await left
}

/** Ends once a socket or a stream is closed, for whatever reason. */
const closing = (closable: EventEmitter): Promise<void> =>
  new Promise((resolve) => closable.once('close', () => resolve()))

/** Every name the project had. One is given last: commands on one object wait for each other. */
const namesOf = async ({ iam }: Awaited<ReturnType<typeof openHost>>) => {
  await iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'Last' }, context)
  const history = await iam.history.list({ object: { type: 'project', id: 'portal' } }, context)
  return history
    ._unsafeUnwrap()
    .items.flatMap(({ changes }) => changes)
    .flatMap((change) => (change.field === 'name' && 'to' in change ? [change.to] : []))
}

const nameOf = async ({ iam }: Awaited<ReturnType<typeof openHost>>): Promise<string> =>
  (await iam.projects.get({ id: 'portal' }, context))._unsafeUnwrap().name

describe('Over HTTP/1.1', () => {
  it('a body that comes slowly is waited for', async () => {
    const host = await openHost()
    const socket = await open(host.server)
    for (const character of requestText('{"name":"Slow"}')) {
      socket.near.write(character)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [answer] = await once(socket.near, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await nameOf(host)).toBe('Slow')
  })

  it('a client that leaves within its body changes nothing and leaves nothing behind', async () => {
    const host = await openHost()
    const socket = await open(host.server)
    socket.near.write(requestText('{"name":"Ha', 100))
    await once(host.server, 'request')
    await leave(socket)
    expect(await namesOf(host)).toEqual(['Portal', 'Last'])
    expect(host.failures).toEqual([])
  })

  it('a client that disconnects during authenticate is not a failure', async () => {
    const at = stage()
    const { iam, options, failures } = await openHost()
    const authenticate = async (_headers: Headers, signal: AbortSignal) => {
      at.reach()
      await once(signal, 'abort')
      at.release()
      throw signal.reason
    }
    const server = createServer(nodeHandler(iam, { ...options, authenticate }))
    await listening(server)
    onTestFinished(() => void server.close())
    const socket = await open(server)
    socket.near.write(requestText('{"name":"Nobody"}'))
    await at.promise
    await leave(socket)
    await at.released
    await new Promise((resolve) => setImmediate(resolve))
    expect(failures).toEqual([])
  })

  it('a client that leaves before its command is decided changes nothing', async () => {
    const at = stage()
    const host = await openHost(stoppingAtRead(at))
    const socket = await open(host.server)
    socket.near.write(requestText('{"name":"Half"}'))
    await at.promise
    await leave(socket)
    at.release()
    expect(await namesOf(host)).toEqual(['Portal', 'Last'])
    expect(host.failures).toEqual([])
  })

  it('a command whose client leaves while it is recorded, is recorded as a whole', async () => {
    const at = stage()
    const host = await openHost(stoppingAtAppend(at))
    const socket = await open(host.server)
    socket.near.write(requestText('{"name":"Whole"}'))
    await at.promise
    await leave(socket)
    at.release()
    expect(await namesOf(host)).toEqual(['Portal', 'Whole', 'Last'])
    expect(host.failures).toEqual([])
  })

  it('a client that leaves before the transport gets its request changes nothing', async () => {
    const host = await openHost()
    const given = Promise.withResolvers<void>()
    const server = createServer(async (request, response) => {
      request.resume()
      await once(response, 'close')
      // What a parser has made of the body.
      host.handler(Object.assign(request, { body: { name: 'Late' } }), response)
      given.resolve()
    })
    await listening(server)
    onTestFinished(() => void server.close())
    const socket = await open(server)
    socket.near.write(requestText('{"name":"Late"}'))
    await once(server, 'request')
    await leave(socket)
    await given.promise
    expect(await namesOf(host)).toEqual(['Portal', 'Last'])
    expect(host.failures).toEqual([])
  })

  it('an answer that cannot be written ends the connection, and is not waited for', async () => {
    const { handler } = await openHost()
    const server = createServer((request, response) => {
      response.writeHead = () => {
        throw new Error('A middleware')
      }
      handler(request, response)
    })
    const origin = await listening(server)
    onTestFinished(() => void server.close())
    await expect(fetch(`${origin}/v1/projects/portal`)).rejects.toThrow('fetch failed')
  })

  it('a client that does not read its answer costs its connection alone', async () => {
    const host = await openHost()
    const socket = await open(host.server)
    socket.near.pause()
    for (let index = 0; index < 50; index++) socket.near.write(requestText(`{"name":"N${index}"}`))
    await expect.poll(() => nameOf(host)).toBe('N49')
    await leave(socket)
    expect((await host.call('GET', '/v1/projects/portal')).status).toBe(200)
  })
})

describe('Over HTTP/2', () => {
  const openStream = async (wrap?: (store: EventStore) => EventStore) => {
    const host = await openHost(wrap)
    const server = createHttp2Server(host.handler)
    const arrived = once(server, 'stream')
    const session = connectHttp2(await listening(server))
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const stream = session.request({
      ':method': 'PUT',
      ':path': '/v1/projects/portal',
      authorization: 'Bearer admin',
      'content-type': 'application/json',
    })
    stream.on('error', () => {})
    return { host, session, stream, arrived }
  }

  /** Resets the stream; ends once the server noticed. */
  const reset = async ({ stream, arrived }: Awaited<ReturnType<typeof openStream>>) => {
    const [far] = await arrived
    const left = closing(far)
    stream.close(constants.NGHTTP2_CANCEL)
    await left
  }

  it('a stream that is reset within its body changes nothing', async () => {
    const opened = await openStream()
    opened.stream.write('{"name":"Ha')
    await reset(opened)
    expect(await namesOf(opened.host)).toEqual(['Portal', 'Last'])
    expect(opened.host.failures).toEqual([])
  })

  it('a stream that is reset before its command is decided changes nothing', async () => {
    const at = stage()
    const opened = await openStream(stoppingAtRead(at))
    opened.stream.end('{"name":"Half"}')
    await at.promise
    await reset(opened)
    at.release()
    expect(await namesOf(opened.host)).toEqual(['Portal', 'Last'])
  })

  it('a stream that is reset once its command is being recorded, gets it recorded as a whole', async () => {
    const at = stage()
    const opened = await openStream(stoppingAtAppend(at))
    opened.stream.end('{"name":"Whole"}')
    await at.promise
    await reset(opened)
    at.release()
    expect(await namesOf(opened.host)).toEqual(['Portal', 'Whole', 'Last'])
  })

  it('a stream that is reset before the transport gets it changes nothing, and is not a failure', async () => {
    const host = await openHost()
    const given = Promise.withResolvers<void>()
    const server = createHttp2Server(async (request, response) => {
      await once(response, 'close')
      host.handler(request, response)
      given.resolve()
    })
    const session = connectHttp2(await listening(server))
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const stream = session.request({
      ':method': 'PUT',
      ':path': '/v1/projects/portal',
      authorization: 'Bearer admin',
      'content-type': 'application/json',
    })
    stream.on('error', () => {})
    stream.end('{"name":"Late"}')
    await once(server, 'request')
    stream.close(constants.NGHTTP2_CANCEL)
    await given.promise
    expect(await namesOf(host)).toEqual(['Portal', 'Last'])
    expect(host.failures).toEqual([])
  })

  it('a session goes on after one of its streams was reset', async () => {
    const opened = await openStream()
    opened.stream.write('{')
    await reset(opened)
    const next = opened.session.request({
      ':path': '/v1/projects/portal',
      authorization: 'Bearer admin',
    })
    const [headers] = await once(next, 'response')
    expect(headers[':status']).toBe(200)
    next.resume()
    await once(next, 'close')
  })
})

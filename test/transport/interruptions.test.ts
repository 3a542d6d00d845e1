import { once } from 'node:events'
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import type { EventStore } from 'claviger'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callers } from './host.js'
import { openHost } from './http-client.js'
import { listening } from './servers.js'

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

const open = async (server: Server): Promise<Socket> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))

/** Ends once the server noticed that a client is gone. */
const leftBy = async (server: Server, socket: Socket): Promise<void> => {
  socket.destroy()
  while ((await connectionsOf(server)) > 0) await new Promise((resolve) => setImmediate(resolve))
}

const nameOf = async ({ iam }: Awaited<ReturnType<typeof openHost>>): Promise<string> =>
  (await iam.projects.get({ id: 'portal' }, context))._unsafeUnwrap().name

describe('Over HTTP/1.1', () => {
  it('a body that comes slowly is waited for', async () => {
    const host = await openHost()
    const socket = await open(host.server)
    for (const character of requestText('{"name":"Slow"}')) {
      socket.write(character)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await nameOf(host)).toBe('Slow')
  })

  it('a client that leaves within its body changes nothing and leaves nothing behind', async () => {
    const host = await openHost()
    const socket = await open(host.server)
    socket.write(requestText('{"name":"Ha', 100))
    await once(host.server, 'request')
    await leftBy(host.server, socket)
    expect(await nameOf(host)).toBe('Portal')
    expect(host.failures).toEqual([])
  })

  it('a client that leaves before its command is decided changes nothing', async () => {
    const at = stage()
    const host = await openHost(stoppingAtRead(at))
    const socket = await open(host.server)
    socket.write(requestText('{"name":"Half"}'))
    await at.promise
    await leftBy(host.server, socket)
    at.release()
    expect(await nameOf(host)).toBe('Portal')
    expect(host.failures).toEqual([])
  })

  it('a client that leaves once its command is being recorded, gets it recorded as a whole', async () => {
    const at = stage()
    const host = await openHost(stoppingAtAppend(at))
    const socket = await open(host.server)
    socket.write(requestText('{"name":"Whole"}'))
    await at.promise
    await leftBy(host.server, socket)
    at.release()
    const history = host.iam.history.list({ object: { type: 'project', id: 'portal' } }, context)
    await expect.poll(async () => (await history)._unsafeUnwrap().items.length).toBeGreaterThan(0)
    await expect.poll(() => nameOf(host)).toBe('Whole')
    expect(host.failures).toEqual([])
  })

  it('a client that does not read its answer costs its connection alone', async () => {
    const host = await openHost()
    const socket = await open(host.server)
    socket.pause()
    for (let index = 0; index < 50; index++) socket.write(requestText(`{"name":"N${index}"}`))
    await expect.poll(() => nameOf(host)).toBe('N49')
    await leftBy(host.server, socket)
    expect((await host.call('GET', '/v1/projects/portal')).status).toBe(200)
  })
})

describe('Over HTTP/2', () => {
  const openStream = async (wrap?: (store: EventStore) => EventStore) => {
    const host = await openHost(wrap)
    const server = createHttp2Server(host.handler)
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
    return { host, server, session, stream }
  }

  /** Resets a stream, and waits until the server is sure to have seen that: it answered a ping since. */
  const reset = async ({ session, stream }: Awaited<ReturnType<typeof openStream>>) => {
    stream.close(constants.NGHTTP2_CANCEL)
    await new Promise<void>((resolve) => session.ping(() => resolve()))
  }

  it('a stream that is reset within its body changes nothing', async () => {
    const opened = await openStream()
    const arrived = once(opened.server, 'request')
    opened.stream.write('{"name":"Ha')
    await arrived
    await reset(opened)
    expect(await nameOf(opened.host)).toBe('Portal')
    expect(opened.host.failures).toEqual([])
  })

  it('a stream that is reset before its command is decided changes nothing', async () => {
    const at = stage()
    const opened = await openStream(stoppingAtRead(at))
    opened.stream.end('{"name":"Half"}')
    await at.promise
    await reset(opened)
    at.release()
    expect(await nameOf(opened.host)).toBe('Portal')
  })

  it('a stream that is reset once its command is being recorded, gets it recorded as a whole', async () => {
    const at = stage()
    const opened = await openStream(stoppingAtAppend(at))
    opened.stream.end('{"name":"Whole"}')
    await at.promise
    await reset(opened)
    at.release()
    await expect.poll(() => nameOf(opened.host)).toBe('Whole')
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

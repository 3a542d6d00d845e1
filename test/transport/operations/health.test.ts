import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { type EventStore, StoreFault } from 'claviger'
import { Health, HealthCheckResponse_ServingStatus } from 'claviger/client'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { openHost } from '../http-client.js'
import { openServers } from '../servers.js'

const CHECK = '/grpc.health.v1.Health/Check'
const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus

/** A store whose log has no end that can be read. */
const broken = (store: EventStore): EventStore => ({
  ...store,
  lastPosition: async () => {
    throw new StoreFault('connection lost', 'not_recorded')
  },
})

/** A host that knows nobody. */
const openAnonymous = async (wrap?: (store: EventStore) => EventStore) => {
  const authenticate = vi.fn(() => undefined)
  const { options, failures } = transportOptions()
  const iam = await openIam(wrap)
  return { authenticate, failures, iam, options: { ...options, authenticate } }
}

describe.each(['gRPC', 'gRPC-web'])('Health over %s', (protocol) => {
  const openClient = async (wrap?: (store: EventStore) => EventStore) => {
    const { iam, options } = await openAnonymous(wrap)
    const servers = await openServers()
    servers.handler = nodeHandler(iam, options)
    onTestFinished(servers.close)
    const transport =
      protocol === 'gRPC'
        ? createGrpcTransport({ baseUrl: servers.http2 })
        : createGrpcWebTransport({ baseUrl: servers.http, httpVersion: '1.1' })
    return createClient(Health, transport)
  }

  it('tells whether the store answers, of the server and of each service', async () => {
    const [healthy, ill] = [await openClient(), await openClient(broken)]
    for (const service of ['', 'claviger.v1.ProjectService']) {
      expect((await healthy.check({ service })).status).toBe(SERVING)
      expect((await ill.check({ service })).status).toBe(NOT_SERVING)
    }
  })

  it('does not know other services', async () => {
    const client = await openClient()
    const refused = client.check({ service: 'claviger.v1.Nothing' })
    await expect(refused).rejects.toMatchObject({ code: Code.NotFound })
  })

  it('does not watch', async () => {
    const client = await openClient()
    const first = client.watch({})[Symbol.asyncIterator]().next()
    await expect(first).rejects.toMatchObject({ code: Code.Unimplemented })
  })
})

describe('What is switched off is not served', () => {
  it.each([
    ['health', false, ['GET /v1/health', `POST ${CHECK}`, 'POST /grpc.health.v1.Health/Watch']],
    ['openApi', false, ['GET /openapi.json']],
  ])('by %s: %j', async (option, value, requests) => {
    const { iam, options } = await openAnonymous()
    const handler = fetchHandler(iam, { ...options, [option]: value })
    const served = fetchHandler(iam, options)
    for (const request of requests) {
      const [method = '', path] = request.split(' ')
      const make = () => new Request(`https://iam.example.com${path}`, { method })
      expect((await handler(make())).status, request).toBe(404)
      expect((await served(make())).status, request).not.toBe(404)
    }
  })

  it.each(['health'])('and %s must be a boolean', async (option) => {
    const { iam, options } = await openAnonymous()
    expect(() => fetchHandler(iam, { ...options, [option]: 'no' } as never)).toThrow(
      new TypeError(`${option} must be a boolean`),
    )
  })

  it('by gRPC either', async () => {
    const { iam, options } = await openAnonymous()
    const servers = await openServers()
    onTestFinished(servers.close)
    servers.handler = nodeHandler(iam, { ...options, health: false })
    const transport = createGrpcTransport({ baseUrl: servers.http2 })
    await expect(createClient(Health, transport).check({})).rejects.toMatchObject({
      code: Code.Unimplemented,
    })
  })
})

describe('Health in JSON', () => {
  it('is GET /v1/health, for anybody', async () => {
    const { iam, options, authenticate } = await openAnonymous()
    const handler = fetchHandler(iam, options)
    const answers = ['GET', 'HEAD', 'POST'].map((method) =>
      handler(new Request('https://iam.example.com/v1/health', { method })),
    )
    const [get, head, post] = await Promise.all(answers)
    expect([get?.status, await get?.json()]).toEqual([200, { status: 'SERVING' }])
    expect([head?.status, await head?.text()]).toEqual([200, ''])
    const asked = await handler(new Request('https://iam.example.com/v1/health?service=x'))
    expect(asked.status).toBe(400)
    expect([post?.status, post?.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(authenticate).not.toHaveBeenCalled()
  })

  it('is refused with 503 while the store does not respond, and the host learns why', async () => {
    const { call, failures } = await openHost(broken)
    const { status, json } = await call('GET', '/v1/health')
    expect([status, json.code]).toEqual([503, 14])
    expect(failures).toHaveLength(1)
    expect(failures[0]?.failure.method).toBe('grpc.health.v1.Health/Check')
    expect(json.details[0].metadata.correlationId).toBe(failures[0]?.failure.correlationId)
  })

  it('waits for a store that does not answer at all, but not for long', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort())
    onTestFinished(() => void vi.restoreAllMocks())
    const silent = (store: EventStore): EventStore => ({
      ...store,
      lastPosition: () => new Promise(() => {}),
    })
    const { call, failures } = await openHost(silent)
    expect((await call('GET', '/v1/health')).status).toBe(503)
    expect(failures[0]?.cause).toMatchObject({
      cause: new Error('The store has not answered within 5000 ms'),
    })
  })

  it('is on the path of the rpc as well, read strictly', async () => {
    const { call } = await openHost()
    expect(await call('POST', CHECK, '{}')).toMatchObject({
      status: 200,
      json: { status: 'SERVING' },
    })
    expect(await call('POST', CHECK, '{"service":"x"}')).toMatchObject({
      status: 404,
      json: { code: 5 },
    })
    expect(await call('POST', CHECK, '{"name":"x"}')).toMatchObject({
      status: 400,
      json: { code: 3 },
    })
  })

  it('asks the store at most once a second, however many ask', async () => {
    let now = 10_000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    let asked = 0
    const counting = (store: EventStore): EventStore => ({
      ...store,
      lastPosition: () => {
        asked++
        return store.lastPosition()
      },
    })
    const handler = fetchHandler(await openIam(counting), transportOptions().options)
    const ask = () => handler(new Request('https://iam.example.com/v1/health'))
    await Promise.all(Array.from({ length: 20 }, ask))
    expect(asked).toBe(1)
    now += 999
    await ask()
    expect(asked).toBe(1)
    now += 1
    await Promise.all(Array.from({ length: 20 }, ask))
    expect(asked).toBe(2)
  })

  it('asks the store once while it is slow, for however long', async () => {
    let now = 10_000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    const { promise, resolve } = Promise.withResolvers<void>()
    let asked = 0
    const slow = (store: EventStore): EventStore => ({
      ...store,
      lastPosition: async () => {
        asked++
        await promise
        return store.lastPosition()
      },
    })
    const handler = fetchHandler(await openIam(slow), transportOptions().options)
    const ask = () => handler(new Request('https://iam.example.com/v1/health'))
    const first = ask()
    await expect.poll(() => asked).toBe(1)
    now += 4_000
    const second = ask()
    resolve()
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200])
    expect(asked).toBe(1)
  })
})

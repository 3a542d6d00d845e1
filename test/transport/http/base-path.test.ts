import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { Server } from 'node:net'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { ProjectService } from 'claviger/client'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { closed, listening } from '../servers.js'

const headers = { authorization: 'Bearer admin' }

const serve = async (server: Server & { closeAllConnections?: () => void }): Promise<string> => {
  onTestFinished(async () => {
    server.closeAllConnections?.()
    await closed(server)
  })
  return listening(server)
}

/** Hosts below this prefix, over HTTP/1.1 and HTTP/2, and as a function of fetch. */
const open = async (basePath?: string) => {
  const { options, failures } = transportOptions()
  const iam = await openIam()
  const handler = nodeHandler(iam, { ...options, basePath })
  return {
    http: await serve(createServer((request, response) => handler(request, response))),
    http2: await serve(createHttp2Server((request, response) => handler(request, response))),
    handler: fetchHandler(iam, { ...options, basePath }),
    failures,
  }
}

type Hosts = Awaited<ReturnType<typeof open>>

/** The name of a project, or code and message of the error. */
type Ask = (hosts: Hosts, prefix: string) => Promise<unknown>

const inJson = async (answer: Response) => {
  const { code, message, project } = await answer.json()
  return project?.name ?? [code, message, answer.status]
}

const overRpc =
  (transportOf: (hosts: Hosts, prefix: string) => Transport): Ask =>
  async (hosts, prefix) => {
    const client = createClient(ProjectService, transportOf(hosts, prefix))
    try {
      return (await client.getProject({ id: 'portal' }, { headers })).project?.name
    } catch (thrown) {
      const { code, rawMessage } = ConnectError.from(thrown)
      return [code, rawMessage, 404]
    }
  }

const protocols: Readonly<Record<string, Ask>> = {
  'JSON of nodeHandler': async ({ http }, prefix) =>
    inJson(await fetch(`${http}${prefix}/v1/projects/portal`, { headers })),
  'JSON of fetchHandler': async ({ handler }, prefix) =>
    inJson(
      await handler(new Request(`http://localhost${prefix}/v1/projects/portal?`, { headers })),
    ),
  'JSON on the path of an rpc': async ({ http }, prefix) => {
    const path = `${prefix}/claviger.v1.ProjectService/GetProject`
    const type = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers: { ...headers, ...type }, body: '{"id":"portal"}' }
    return inJson(await fetch(`${http}${path}`, sent))
  },
  'gRPC-web': overRpc(({ http }, prefix) =>
    createGrpcWebTransport({ baseUrl: `${http}${prefix}`, httpVersion: '1.1' }),
  ),
  gRPC: overRpc(({ http2 }, prefix) => createGrpcTransport({ baseUrl: `${http2}${prefix}` })),
}

describe.for(Object.entries(protocols))('%s', ([, ask]) => {
  it('is served below basePath', async () => {
    expect(await ask(await open('/tools/iam'), '/tools/iam')).toBe('Portal')
  })

  it('is not found under a prefix that was not taken off, and says so', async () => {
    const message = 'No such path. The server may need basePath for this prefix'
    const hosts = await open()
    expect(await ask(hosts, '/iam')).toEqual([Code.NotFound, message, 404])
    expect(await ask(await open('/iam'), '/a/iam')).toEqual([Code.NotFound, message, 404])
    expect(hosts.failures).toEqual([])
  })

  it('is not found without basePath, and says so', async () => {
    const message = 'The path does not begin with basePath'
    expect(await ask(await open('/iam'), '')).toEqual([Code.NotFound, message, 404])
  })
})

describe('A path with a prefix', () => {
  it.each([
    ['POST', '/iam/v1/projects/portal:deactivate'],
    ['GET', '/a/b/c/d/e/f/g/h/openapi.json'],
    ['PROPFIND', '/iam/v1/projects'],
    ['GET', '/iam/claviger.v1.ProjectService/GetProject'],
  ])('is not found whatever is asked for: %s %s', async (method, path) => {
    const { http } = await open()
    const answer = await fetch(`${http}${path}`, { method })
    const { details, message } = await answer.json()
    expect([answer.status, details[0].reason]).toEqual([404, 'PATH_NOT_FOUND'])
    expect(message).toContain('basePath')
  })

  it.each(['/iamv1/projects', '/iam', '/a/b/c/d/e/f/g/h/i/v1/projects', `/a${'/b'.repeat(4_000)}`])(
    'is nothing of the transport without one of its paths behind it',
    async (path) => {
      const { http } = await open('/iam')
      const answer = await fetch(`${http}${path}`, { headers })
      const { message } = await answer.json()
      expect([answer.status, message]).toEqual([404, 'No such path'])
    },
  )

  it('goes to the next handler of the host, where there is one', async () => {
    const { options } = transportOptions()
    const app = express().use(nodeHandler(await openIam(), { ...options, basePath: '/iam' }))
    app.get('/shop/v1/projects', (_request, response) => void response.send('of the host'))
    app.get('/v1/projects', (_request, response) => void response.send('of the host'))
    const origin = await serve(createServer(app))
    for (const path of ['/shop/v1/projects', '/v1/projects'])
      expect(await (await fetch(`${origin}${path}`)).text()).toBe('of the host')
    expect((await fetch(`${origin}/iam/v1/projects`, { headers })).status).toBe(200)
  })
})

it('The OpenAPI document leads to basePath, where it is found', async () => {
  const { handler } = await open('/iam')
  const place = 'http://localhost/iam/openapi.json'
  const { servers } = await (await handler(new Request(place))).json()
  expect(new URL(servers[0].url, place).href).toBe('http://localhost/iam/')
})

describe('The option basePath', () => {
  it('may be empty, which means no prefix', async () => {
    expect(await protocols['JSON of nodeHandler']?.(await open(''), '')).toBe('Portal')
  })

  it.each(['iam', '/iam/', '/', '//', '/a//b', '/a/../b', '/.', '/%69am', '/a b', '/?', 5, {}])(
    'must be a path, not %j',
    async (basePath) => {
      const options = { ...transportOptions().options, basePath } as never
      const iam = await openIam()
      for (const make of [fetchHandler, nodeHandler])
        expect(() => make(iam, options)).toThrow(/^basePath must be/)
    },
  )
})

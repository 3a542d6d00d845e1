import { createServer } from 'node:http'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { openHost } from '../http-client.js'
import { closed, listening } from '../servers.js'

const rpc = '/claviger.v1.ProjectService/GetProject'

const requests: readonly (readonly [name: string, path: string, init: RequestInit])[] = [
  ['that shows a project', '/v1/projects/portal', {}],
  ['with the head of a project', '/v1/projects/portal', { method: 'HEAD' }],
  ['that is refused', '/v1/projects/nowhere', {}],
  ['to nobody', '/v1/projects/portal', { headers: { authorization: '' } }],
  ['to a write', '/v1/projects/portal:deactivate', { method: 'POST' }],
  ['with the document of the interface', '/openapi.json', {}],
  ['about a path that is not there', '/nowhere', {}],
  ['about a method that is not there', '/v1/projects/portal', { method: 'PROPFIND' }],
  ['about a type that is not served', rpc, { method: 'POST', headers: { 'content-type': 'a/b' } }],
  [
    'in gRPC-web',
    rpc,
    {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto' },
      body: new Uint8Array([0, 0, 0, 0, 8, 0x0a, 6, ...Buffer.from('portal')]),
    },
  ],
]

const withToken = (init: RequestInit): RequestInit => ({
  ...init,
  headers: { authorization: 'Bearer admin', ...init.headers },
})

describe('No cache may store an answer', () => {
  it.each(requests)('%s, of fetchHandler', async (_, path, init) => {
    const handler = fetchHandler(await openIam(), transportOptions().options)
    const answer = await handler(new Request(`http://localhost${path}`, withToken(init)))
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it.each(requests)('%s, of nodeHandler', async (_, path, init) => {
    const { origin } = await openHost()
    const answer = await fetch(`${origin}${path}`, withToken(init))
    await answer.arrayBuffer()
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

describe('What is read says what it varies by', () => {
  const read = { headers: { authorization: 'Bearer admin' } }

  it.each(['GET', 'HEAD'])('on %s', async (method) => {
    const { options } = transportOptions()
    const handler = fetchHandler(await openIam(), { ...options, organizationHeader: 'x-tenant' })
    const request = new Request('http://localhost/v1/projects', { ...read, method })
    const answer = await handler(request)
    expect(answer.headers.get('vary')).toBe('Authorization, Cookie, x-tenant')
  })

  it('beside what a middleware in front has said', async () => {
    const handler = nodeHandler(await openIam(), transportOptions().options)
    const server = createServer((request, response) => {
      response.setHeader('vary', 'Origin')
      handler(request, response)
    })
    const origin = await listening(server)
    onTestFinished(() => closed(server))
    const answer = await fetch(`${origin}/v1/projects`, read)
    await answer.arrayBuffer()
    expect(answer.headers.get('vary')).toBe('Origin, Authorization, Cookie, x-service-orgid')
  })
})

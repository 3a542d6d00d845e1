import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  connect,
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Caller } from 'claviger'
import { consoleHandler, crossSiteMiddleware, refuseCrossSite } from 'claviger/console'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { cert, key } from '../transport/certificate.js'
import { openHost } from './host.js'

let host: Awaited<ReturnType<typeof openHost>>
beforeAll(async () => {
  host = await openHost('/admin')
})
afterAll(() => host.close())

const caller: Caller = {
  userId: 'u',
  orgId: 'acme',
  permissions: ['project.read', 'project.write'],
}
const authenticate = () => caller

const write = (headers: Record<string, string>) =>
  host.handler(
    new Request('http://app.test/admin/api/v1/projects/portal:deactivate?validate_only=true', {
      method: 'POST',
      headers: { host: 'app.test', ...headers },
    }),
  )

describe('consoleHandler', () => {
  it('refuses writes that a page of another site sends', async () => {
    const refused = ['cross-site', 'same-site', 'none']
    for (const site of refused) expect((await write({ 'sec-fetch-site': site })).status).toBe(403)
    expect((await write({ origin: 'http://evil.test' })).status).toBe(403)
    expect((await write({ origin: 'null' })).status).toBe(403)
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await write({ origin: 'http://app.test' })).status).toBe(200)
    expect((await write({})).status).toBe(200)
  })

  it('refuses what a page of another site reads, and lets what is typed in', async () => {
    const read = (site: string, path = 'v1/projects') =>
      host.handler(
        new Request(`http://app.test/admin/api/${path}`, { headers: { 'sec-fetch-site': site } }),
      )
    for (const site of ['cross-site', 'same-site']) {
      expect((await read(site)).status).toBe(403)
      expect((await read(site, 'users?id=anna')).status).toBe(403)
    }
    for (const site of ['same-origin', 'none']) expect((await read(site)).status).toBe(200)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const overNode = await fetch(`${host.origin}/admin/api/v1/projects`, { headers })
    expect(overNode.status).toBe(403)
  })

  it('takes a page over TLS for its own only by https, and behind a proxy by either', async () => {
    const send = (url: string, headers: Record<string, string>) =>
      refuseCrossSite(new Request(url, { method: 'POST', headers }))?.status
    expect(send('https://app.test/x', { origin: 'http://app.test' })).toBe(403)
    expect(send('https://app.test/x', { origin: 'https://app.test' })).toBeUndefined()
    expect(send('http://app.test/x', { origin: 'https://app.test' })).toBeUndefined()
    expect(send('http://app.test/x', { origin: 'http://app.test' })).toBeUndefined()
    expect(send('https://app.test:8443/x', { origin: 'https://app.test' })).toBe(403)
    expect(send('http://10.0.0.1/x', { host: 'app.test', origin: 'ftp://app.test' })).toBe(403)
  })

  it.each([
    ['http', ''],
    ['https', 'http'],
  ])('knows its own origin over HTTP/2 with %s', async (scheme, foreign) => {
    const listener = (request: Http2ServerRequest, response: Http2ServerResponse) =>
      crossSiteMiddleware(request, response, () => response.end('served'))
    const server =
      scheme === 'https' ? createSecureServer({ cert, key }, listener) : createHttp2Server(listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const session = connect(`${scheme}://localhost:${port}`, { rejectUnauthorized: false })
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const send = async (origin: string) => {
      const stream = session.request({ ':method': 'POST', ':path': '/', origin })
      const [headers] = await once(stream.resume().end(), 'response')
      return headers[':status']
    }
    expect(await send(`${scheme}://localhost:${port}`)).toBe(200)
    expect(await send('https://evil.test')).toBe(403)
    if (foreign) expect(await send(`${foreign}://localhost:${port}`)).toBe(403)
  })

  it('serves neither the document nor health, which are for the transport of the host', async () => {
    for (const path of ['openapi.json', 'v1/health']) {
      expect((await host.handler(new Request(`http://app.test/admin/api/${path}`))).status).toBe(
        404,
      )
      expect((await fetch(`${host.origin}/admin/api/${path}`)).status).toBe(404)
    }
  })

  it('says of every answer that it is for its own origin, and of which type', async () => {
    for (const path of [
      '',
      'projects',
      'nothing',
      'api/v1/projects',
      'api/v1/nothing',
      'api/users',
    ])
      for (const response of [
        await host.handler(new Request(`http://app.test/admin/${path}`)),
        await fetch(`${host.origin}/admin/${path}`),
      ])
        expect([
          response.headers.get('cross-origin-resource-policy'),
          response.headers.get('x-content-type-options'),
        ]).toEqual(['same-origin', 'nosniff'])
  })

  it('lends its check of other sites to a transport that reads cookies', async () => {
    const options = {
      authenticate: (headers: Headers) => (headers.get('cookie') ? caller : undefined),
    }
    const app = express()
    app.use('/iam', crossSiteMiddleware, nodeHandler(host.iam, options))
    const server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const handler = fetchHandler(host.iam, options)
    const both = [
      (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}/iam${path}`, init),
      async (path: string, init: RequestInit) => {
        const request = new Request(`http://app.test${path}`, init)
        return refuseCrossSite(request) ?? handler(request)
      },
    ]
    const path = '/v1/projects/portal:deactivate?validate_only=true'
    for (const send of both) {
      const from = async (site: string, method = 'POST') => {
        const headers = { cookie: 'sid=1', 'sec-fetch-site': site }
        return send(method === 'GET' ? '/v1/projects' : path, { method, headers })
      }
      const refused = await from('cross-site')
      expect(refused.status).toBe(403)
      expect(await refused.json()).toMatchObject({
        code: 7,
        details: [{ reason: 'CROSS_SITE_REQUEST' }],
      })
      expect((await from('same-origin')).status).toBe(200)
      expect((await from('cross-site', 'GET')).status).toBe(200)
    }
    server.closeAllConnections()
    server.close()
  })

  it('serves the page at each of its paths, and immutable files by their hash', async () => {
    const page = await host.handler(new Request('http://app.test/admin/project?id=portal'))
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const [, file = ''] = /src="\.\/([^"]+)"/.exec(await page.text()) ?? []
    const script = await host.handler(new Request(`http://app.test/admin/${file}`))
    expect(script.headers.get('cache-control')).toContain('immutable')
    // Names that every object has are no files.
    for (const path of ['nothing', 'constructor', '__proto__', 'toString', '..%2fpackage.json'])
      expect((await fetch(`${host.origin}/admin/${path}`)).status).toBe(404)
    expect((await host.handler(new Request('http://app.test/admin'))).headers.get('location')).toBe(
      '/admin/',
    )
  })

  it('leads from the bare prefix to no other host', async () => {
    const app = express()
    app.use('/*any', consoleHandler(host.iam, { authenticate }))
    const server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}//evil.test`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/evil.test/'])
    server.closeAllConnections()
    server.close()
  })

  it('throws for an option that is unknown', () => {
    const options = { authenticate, basepath: '/admin' }
    expect(() => consoleHandler(host.iam, options)).toThrow(
      'consoleHandler has no option basepath; it has authenticate',
    )
  })

  it.each([
    ['users', {}],
    ['users', { describe: () => [] }],
    ['title', ''],
    ['logo', 'https://elsewhere.example/logo.svg'],
    ['logo', '//elsewhere.example/logo.svg'],
    ['accent', 'red'],
    ['stylesheet', 'https://elsewhere.example/own.css'],
    ['messages', { 'no language': {} }],
    ['loginUrl', 'javascript:alert(1)'],
    ['backUrl', 'back'],
    ['areas', ['nothing']],
    ['userIdsAreAddresses', 'yes'],
    ['menu', 'none'],
  ])('throws for the option %s that is %j', (name, value) => {
    const options = { authenticate, [name]: value }
    expect(() => consoleHandler(host.iam, options)).toThrow(TypeError)
    expect(() => consoleHandler(host.iam, options)).toThrow(name)
  })

  it('serves the texts in a language of the reader, and the title as text', async () => {
    const handler = consoleHandler(host.iam, {
      authenticate,
      title: '</title><script>"&',
      messages: { de: { save: 'Sichern' }, ar: { save: 'حفظ' } },
    })
    const page = async (languages: string, cookie = '') => {
      const headers = { 'accept-language': languages, cookie }
      const response = await handler(new Request('http://app.test/', { headers }))
      expect(response.headers.get('vary')).toBe('accept-language, cookie')
      return response.text()
    }
    expect(await page('de-AT,en;q=0.8')).toContain('<html lang="de" dir="ltr">')
    expect(await page('de-AT,en;q=0.8')).toContain('Sichern')
    expect(await page('fr, ar;q=0.9, de;q=0.5')).toContain('<html lang="ar" dir="rtl">')
    expect(await page('de;q=0.5, fr, ar; q=0.9')).toContain('<html lang="ar" dir="rtl">')
    expect(await page('ar;q=0.1, de;q=0.2, en;q=0')).toContain('<html lang="de" dir="ltr">')
    for (const languages of ['', 'fr', 'en, de;q=0.9', 'de;q=0', ';;;,q='])
      expect(await page(languages)).toContain('<html lang="en" dir="ltr">')
    // The language that the reader has chosen on a page.
    const chosen = (tag: string) => page('en', `sid=1; claviger-language=${tag}; theme=dark`)
    expect(await chosen('de')).toContain('<html lang="de" dir="ltr">')
    for (const tag of ['', 'fr', '"><script>', '__proto__', 'de;q=0'])
      expect(await chosen(tag)).toMatch(/<html lang="(en|de)" dir="ltr">/)
    expect(await page('de', 'claviger-language=fr')).toContain('<html lang="de" dir="ltr">')
    const html = await page('en')
    expect(html).toContain('<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;</title>')
    expect(html).not.toContain('<script>')
  })

  it('loads a style sheet of the host after its own', async () => {
    const handler = consoleHandler(host.iam, { authenticate, stylesheet: '/own.css?a="&b' })
    const html = await (await handler(new Request('http://app.test/'))).text()
    const sheets = [...html.matchAll(/rel="stylesheet" href="([^"]*)"/g)].map(([, href]) => href)
    expect(sheets).toEqual([
      expect.stringMatching(/^\.\/assets\/console-/),
      '/own.css?a=&quot;&amp;b',
    ])
    const plain = consoleHandler(host.iam, { authenticate })
    expect(await (await plain(new Request('http://app.test/'))).text()).not.toContain('%')
  })

  it('is mounted in Express, Fastify and Hono in a line', async () => {
    const app = express()
    app.use('/deep/admin', consoleHandler(host.iam, { authenticate }))
    const inFastify = fastify()
    const prefixed = consoleHandler(host.iam, { authenticate, basePath: '/deep/admin' })
    inFastify.all('/deep/*', (request, reply) => {
      reply.hijack()
      prefixed(request.raw, reply.raw)
    })
    await inFastify.ready()
    for (const server of [createServer(app), createServer(inFastify.routing)]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/deep/admin`
      expect((await fetch(`${origin}/projects`)).status).toBe(200)
      expect((await fetch(`${origin}/api/v1/projects`)).status).toBe(200)
      expect((await fetch(origin)).url).toBe(`${origin}/`)
      server.closeAllConnections()
      server.close()
    }
    await inFastify.close()
    const hono = new Hono()
    hono.all('/deep/admin/*', (context) => prefixed(context.req.raw))
    for (const path of ['projects', 'api/v1/projects'])
      expect((await hono.request(`/deep/admin/${path}`)).status).toBe(200)
  })
})

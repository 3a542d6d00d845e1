import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { type ConsoleOptions, consoleHandler } from 'claviger/console'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  consoleInExpress,
  consoleInFastify,
  consoleInHono,
  consoleInWorker,
} from '../../docs/examples/embed-console.js'
import { callers, openIam } from '../transport/host.js'
import { closed, listening } from '../transport/servers.js'

type Send = (path: string, init?: RequestInit) => Promise<Response>
type Mount = (iam: Awaited<ReturnType<typeof openIam>>) => Promise<Send>

const options: ConsoleOptions = {
  authenticate: (headers) => callers[headers.get('cookie') ?? ''],
}

const overHttp = async (server: Server): Promise<Send> => {
  const origin = await listening(server)
  onTestFinished(() => closed(server))
  return (path, init) => fetch(`${origin}${path}`, { ...init, redirect: 'manual' })
}

const OWN = { status: 'ok' }

const mounts: Readonly<Record<string, Mount>> = {
  Express: async (iam) => {
    const app = consoleInExpress(express(), iam, options)
    app.use(express.json())
    app.get('/health', (_request, response) => void response.json(OWN))
    return overHttp(createServer(app))
  },
  Fastify: async (iam) => {
    const app = fastify()
    consoleInFastify(app, iam, options)
    app.get('/health', async () => OWN)
    onTestFinished(() => app.close())
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return (path, init) => fetch(`${origin}${path}`, { ...init, redirect: 'manual' })
  },
  Hono: async (iam) => {
    const app = consoleInHono(new Hono(), iam, options)
    app.get('/health', (context) => context.json(OWN))
    return async (path, init) => app.request(`http://localhost${path}`, init)
  },
  'a worker': async (iam) => {
    const worker = consoleInWorker(async () => Response.json(OWN), iam, options)
    return (path, init) => worker.fetch(new Request(`http://localhost${path}`, init))
  },
}

describe.each(Object.entries(mounts))('The console in %s', (name, mount) => {
  it('serves its pages, files and interface below the prefix, and leaves the rest alone', async () => {
    const send = await mount(await openIam())
    const bare = await send('/admin')
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/admin/'])
    for (const path of ['/admin/', '/admin/projects', '/admin/project?id=portal']) {
      const page = await send(path)
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      const [, script = ''] = /src="\.\/(assets\/console-\w+\.js)"/.exec(await page.text()) ?? []
      expect((await send(`/admin/${script}`)).headers.get('content-type')).toMatch(/javascript/)
    }
    expect((await send('/admin/api/v1/projects')).status).toBe(401)
    const headers = { cookie: 'admin', 'sec-fetch-site': 'same-origin' }
    const listed = await send('/admin/api/v1/projects', { headers })
    expect(await listed.json()).toMatchObject({ totalSize: 1 })
    const written = await send('/admin/api/v1/projects', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"id":"shop","name":"Shop"}',
    })
    expect(await written.json()).toMatchObject({ id: 'shop' })
    expect(await (await send('/health')).json()).toEqual(OWN)
    expect((await send('/elsewhere')).status).toBe(name === 'a worker' ? 200 : 404)
  })
})

it('The console in a host that takes slashes off, as Next.js does, ends no browser in a loop', async () => {
  const handler = consoleHandler(await openIam(), { ...options, basePath: '/admin' })
  /** Redirects as Next.js does before a route handler sees the request. */
  const next = async (path: string): Promise<Response> =>
    path.length > 1 && path.endsWith('/')
      ? new Response(null, { status: 308, headers: { location: path.slice(0, -1) } })
      : handler(new Request(`http://localhost${path}`))
  const open = async (path: string): Promise<Response> => {
    let answer = await next(path)
    for (let redirects = 0; redirects < 5 && answer.status === 308; redirects++) {
      // A browser would keep a redirect that it may cache, and never ask again.
      if (answer.headers.get('location')?.endsWith('/'))
        expect(answer.headers.get('cache-control')).toBe('no-store')
      answer = await next(answer.headers.get('location') ?? '')
    }
    return answer
  }
  for (const path of ['/admin', '/admin/', '/admin']) {
    const page = await open(path)
    expect([path, page.status]).toEqual([path, 200])
    // Relative to /admin without a slash.
    const [, script = ''] =
      /src="\.\/(admin\/assets\/console-\w+\.js)"/.exec(await page.text()) ?? []
    expect((await next(`/${script}`)).headers.get('content-type')).toMatch(/javascript/)
  }
  expect((await open('/admin/projects')).status).toBe(200)
})

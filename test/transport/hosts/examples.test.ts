import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { Controller, Get, Logger, Module } from '@nestjs/common'
import type { Iam } from 'claviger'
import { fetchHandler, nodeHandler, type TransportOptions } from 'claviger/transport'
import express from 'express'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inExpress } from '../../../docs/examples/embed-express.js'
import { inFastify } from '../../../docs/examples/embed-fastify.js'
import { inHono } from '../../../docs/examples/embed-hono.js'
import { inNest } from '../../../docs/examples/embed-nest.js'
import { inNext } from '../../../docs/examples/embed-next.js'
import { asWorker } from '../../../docs/examples/embed-worker.js'
import { openIam, transportOptions } from '../host.js'
import { violationsIn } from '../http-client.js'
import { closed, listening } from '../servers.js'

type Send = (path: string, init?: RequestInit) => Promise<Response>

const overHttp = async (server: Server & { closeAllConnections?: () => void }): Promise<Send> => {
  const origin = await listening(server)
  onTestFinished(async () => {
    server.closeAllConnections?.()
    await closed(server)
  })
  return (path, init) => fetch(`${origin}${path}`, init)
}

/** A module with a route; without decorators, which this project does not compile. */
const nestModule = () => {
  class Health {
    show() {
      return { status: 'ok' }
    }
  }
  class Root {}
  Get('health')(
    Health.prototype,
    'show',
    Object.getOwnPropertyDescriptor(Health.prototype, 'show')!,
  )
  Controller()(Health)
  Module({ controllers: [Health] })(Root)
  Logger.overrideLogger(false)
  return Root
}

type Mount = (iam: Iam, options: TransportOptions) => Promise<Send>

const hosts: Readonly<Record<string, Mount>> = {
  Express: (iam, options) => overHttp(createServer(inExpress(iam, options))),
  Fastify: async (iam, options) => {
    const app = inFastify(iam, options)
    onTestFinished(() => app.close())
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return (path, init) => fetch(`${origin}${path}`, init)
  },
  Hono: async (iam, options) => {
    const app = inHono(iam, options)
    return async (path, init) => app.request(path, init)
  },
  NestJS: async (iam, options) => {
    const app = await inNest(nestModule(), iam, options)
    onTestFinished(() => app.close())
    await app.listen(0, '127.0.0.1')
    const origin = await app.getUrl()
    return (path, init) => fetch(`${origin}${path}`, init)
  },
  // Without the server of Next, which takes a third of a gigabyte: what it does with a request, it does before.
  'route handlers of Next': async (iam, options) => {
    const handlers: Readonly<Record<string, (request: Request) => Promise<Response>>> = inNext(
      iam,
      options,
    )
    return async (path, init) =>
      path === '/health'
        ? Response.json({ status: 'ok' })
        : handlers[init?.method ?? 'GET']!(new Request(`http://localhost${path}`, init))
  },
  'a worker': async (iam, options) => {
    const worker = asWorker(iam, options)
    return (path, init) => worker.fetch(new Request(`http://localhost${path}`, init))
  },
  'Express behind express.json()': (iam, options) => {
    const app = express()
    app.use(express.json())
    app.use(nodeHandler(iam, options))
    app.get('/health', (_request, response) => void response.json({ status: 'ok' }))
    return overHttp(createServer(app))
  },
}

const json = (body: string) => ({
  method: 'PUT',
  body,
  headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
})

describe.for(Object.entries(hosts))('Within %s', ([, mount]) => {
  const open = async () => {
    const { options } = transportOptions()
    return mount(await openIam(), options)
  }

  it('JSON is served', async () => {
    const send = await open()
    const answer = await send('/v1/projects/portal', json('{"name":"New"}'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toMatch(/^"\d+"$/)
    const { details } = await answer.json()
    expect(details.resourceOwner).toBe('acme')
  })

  it('JSON is read strictly', async () => {
    const send = await open()
    const answer = await send('/v1/projects/portal', json('{"name":"New","colour":"red"}'))
    expect(answer.status).toBe(400)
    expect(violationsIn(await answer.json())).toEqual({ colour: 'is not a field of the request' })
    const setting = '{"name":"New","privateLabelingSetting":"RED"}'
    expect((await send('/v1/projects/portal', json(setting))).status).toBe(400)
  })

  it('gRPC-web is served', async () => {
    const send = await open()
    // One message of 8 bytes: field 1, "portal".
    const body = new Uint8Array([0, 0, 0, 0, 8, 0x0a, 6, ...new TextEncoder().encode('portal')])
    const answer = await send('/claviger.v1.ProjectService/GetProject', {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer admin', 'content-type': 'application/grpc-web+proto' },
    })
    const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
    expect(text).toContain('Portal')
    expect(text).toMatch(/grpc-status: 0/)
  })

  it('the routes of the host are its own', async () => {
    const send = await open()
    expect(await (await send('/health')).json()).toEqual({ status: 'ok' })
    const missing = await send('/nowhere')
    expect(missing.status).toBe(404)
  })
})

describe('A path that is not of the transport', () => {
  const text = async (answer: Response | Promise<Response>) => (await answer).text()
  const open = async () => [await openIam(), transportOptions().options] as const

  it('goes to what Express has after the mount', async () => {
    const app = inExpress(...(await open()))
    app.get('/late', (_request, response) => void response.send('late'))
    app.use((_request, response) => void response.send('unknown'))
    const send = await overHttp(createServer(app))
    expect(await text(send('/late'))).toBe('late')
    expect(await text(send('/nowhere'))).toBe('unknown')
  })

  it('goes to routes of Fastify, and not to its handler of unknown paths', async () => {
    const app = inFastify(...(await open()))
    onTestFinished(() => app.close())
    app.get('/late', async () => 'late')
    app.setNotFoundHandler(async () => 'unknown')
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    expect(await text(fetch(`${origin}/late`))).toBe('late')
    expect(await text(fetch(`${origin}/nowhere`))).toContain('PATH_NOT_FOUND')
  })

  it('goes to nothing that Hono has after the mount', async () => {
    const app = inHono(...(await open()))
    app.get('/late', (context) => context.text('late'))
    app.notFound((context) => context.text('unknown'))
    expect(await text(app.request('/late'))).toContain('PATH_NOT_FOUND')
    expect(await text(app.request('/nowhere'))).toContain('PATH_NOT_FOUND')
  })
})

it('Within Fastify, headers that its hooks set are sent', async () => {
  const app = inFastify(await openIam(), transportOptions().options)
  onTestFinished(() => app.close())
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*').header('vary', 'Origin')
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(`${origin}/v1/projects/portal`, {
    headers: { authorization: 'Bearer admin' },
  })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(answer.headers.get('vary')).toMatch(/^Origin, Authorization/)
})

it('Express and Hono take off a prefix', async () => {
  const iam = await openIam()
  const { options } = transportOptions()
  const app = express().use('/iam', nodeHandler(iam, options))
  const send = await overHttp(createServer(app))
  const mounted = new Hono().mount('/iam', fetchHandler(iam, options))
  const path = '/iam/v1/projects/portal'
  const headers = { authorization: 'Bearer admin' }
  expect((await send(path, { headers })).status).toBe(200)
  expect((await mounted.request(path, { headers })).status).toBe(200)
})

it('The OpenAPI document leads to where it is found, with and without a prefix', async () => {
  const iam = await openIam()
  const { options } = transportOptions()
  const handler = fetchHandler(iam, options)
  const hosts = { '': handler, '/iam': new Hono().mount('/iam', handler).fetch }
  for (const [prefix, fetchFrom] of Object.entries(hosts)) {
    const place = `http://localhost${prefix}/openapi.json`
    const { servers } = await (await fetchFrom(new Request(place))).json()
    expect(servers.map(({ url }: { url: string }) => new URL(url, place).href)).toEqual([
      `http://localhost${prefix}/`,
    ])
  }
})

it.each(['express', 'fastify', 'hono', 'nest', 'next', 'worker'])(
  'The guide shows the example for %s',
  async (name) => {
    const docs = new URL('../../../docs/', import.meta.url)
    const guide = await readFile(new URL('guides/embedding.md', docs), 'utf8')
    expect(guide).toContain(await readFile(new URL(`examples/embed-${name}.ts`, docs), 'utf8'))
  },
)

it('A host with the interface of fetch answers gRPC itself with 415', async () => {
  const app = inHono(await openIam(), transportOptions().options)
  const answer = await app.request('/claviger.v1.ProjectService/GetProject', {
    method: 'POST',
    body: new Uint8Array(5),
    headers: { 'content-type': 'application/grpc' },
  })
  expect([answer.status, answer.headers.get('accept')]).toEqual([
    415,
    'application/json, application/grpc-web+proto',
  ])
})

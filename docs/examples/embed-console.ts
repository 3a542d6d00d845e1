// Mounts the console at `/admin`. `authenticate` finds the caller by the cookie of your session.
import type { Iam } from 'claviger'
import { type ConsoleOptions, consoleHandler } from 'claviger/console'
import type { Express } from 'express'
import type { FastifyInstance } from 'fastify'
import type { Hono } from 'hono'

/** Express removes the prefix. Mount it before `express.json()`. In NestJS: `app.use(…)`. */
export const consoleInExpress = (app: Express, iam: Iam, options: ConsoleOptions): Express =>
  app.use('/admin', consoleHandler(iam, options))

/** The console reads the bodies itself, so it needs a scope without parsers. */
export const consoleInFastify = (app: FastifyInstance, iam: Iam, options: ConsoleOptions): void => {
  const handler = consoleHandler(iam, { ...options, basePath: '/admin' })
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const path of ['/admin', '/admin/*'])
      scope.all(path, (request, reply) => handler(request.raw, reply.hijack().raw))
  })
}

export const consoleInHono = (app: Hono, iam: Iam, options: ConsoleOptions): Hono => {
  const handler = consoleHandler(iam, { ...options, basePath: '/admin' })
  return app.all('/admin/*', (context) => handler(context.req.raw))
}

/** A worker of Cloudflare, `deno serve` or Bun. Other requests go to `own`. */
export const consoleInWorker = (
  own: (request: Request) => Promise<Response>,
  iam: Iam,
  options: ConsoleOptions,
) => {
  const handler = consoleHandler(iam, { ...options, basePath: '/admin' })
  return {
    fetch: (request: Request): Promise<Response> =>
      /^\/admin(\/|$)/.test(new URL(request.url).pathname) ? handler(request) : own(request),
  }
}

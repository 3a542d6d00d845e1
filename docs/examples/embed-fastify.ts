// Mounts the API in Fastify.
import type { Iam } from 'claviger'
import { nodeHandler, type TransportOptions } from 'claviger/transport'
import fastify, { type FastifyInstance } from 'fastify'

/** An application with the API and a route of its own. */
export const inFastify = (iam: Iam, options: TransportOptions): FastifyInstance => {
  const app = fastify()
  app.register(async (scope) => {
    // The API reads the bodies itself. Parsers outside this scope are not affected.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const handler = nodeHandler(iam, options)
    scope.all('/*', (request, reply) => {
      reply.hijack()
      // Keeps headers that hooks have set, such as CORS.
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      handler(request.raw, reply.raw)
    })
  })
  app.get('/health', async () => ({ status: 'ok' }))
  return app
}

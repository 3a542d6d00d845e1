// The transport within a Fastify application.
import type { Iam } from 'claviger'
import { nodeHandler, type TransportOptions } from 'claviger/transport'
import fastify, { type FastifyInstance } from 'fastify'

/** An application that has routes of its own beside those of the transport. */
export const inFastify = (iam: Iam, options: TransportOptions): FastifyInstance => {
  const app = fastify()
  app.register(async (scope) => {
    // The transport reads the bodies itself; what is parsed outside of this scope stays so.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const handler = nodeHandler(iam, options)
    scope.all('/*', (request, reply) => {
      reply.hijack()
      // What hooks have set, such as those of CORS.
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      handler(request.raw, reply.raw)
    })
  })
  app.get('/health', async () => ({ status: 'ok' }))
  return app
}

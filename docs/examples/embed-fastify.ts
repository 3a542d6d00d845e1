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
      handler(request.raw, reply.raw)
    })
  })
  app.get('/health', async () => ({ status: 'ok' }))
  return app
}

// Mounts the API in Hono, on Node.js, Bun, Deno or a worker.
import type { Iam } from 'claviger'
import { fetchHandler, type TransportOptions } from 'claviger/transport'
import { Hono } from 'hono'

/** An application with the API and a route of its own. */
export const inHono = (iam: Iam, options: TransportOptions): Hono => {
  const app = new Hono()
  app.get('/health', (context) => context.json({ status: 'ok' }))
  app.mount('/', fetchHandler(iam, options))
  return app
}

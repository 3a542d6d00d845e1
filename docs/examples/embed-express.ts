// Mounts the API in Express.
import type { Iam } from 'claviger'
import { nodeHandler, type TransportOptions } from 'claviger/transport'
import express, { type Express } from 'express'

/** An application with the API and a route of its own. */
export const inExpress = (iam: Iam, options: TransportOptions): Express => {
  const app = express()
  // Other paths go to the next handler. Mount it before `express.json()`.
  app.use(nodeHandler(iam, options))
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' })
  })
  return app
}

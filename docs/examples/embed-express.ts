// The transport within an Express application, in one line.
import type { Iam } from 'claviger'
import { nodeHandler, type TransportOptions } from 'claviger/transport'
import express, { type Express } from 'express'

/** An application that has routes of its own beside those of the transport. */
export const inExpress = (iam: Iam, options: TransportOptions): Express => {
  const app = express()
  // Paths that are not of the transport go on to what comes next. Put it before `express.json()`.
  app.use(nodeHandler(iam, options))
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' })
  })
  return app
}

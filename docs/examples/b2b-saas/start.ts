// One instance of the product. Any number of them share a database.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  aesGcmCipher,
  createIam,
  type DesiredAccess,
  type Iam,
  permissionsFromCaller,
} from 'claviger'
import { openPostgres } from 'claviger/postgres'
import { nodeHandler } from 'claviger/transport'
import express, { type Express } from 'express'
import pg, { type Pool } from 'pg'
import { applyAccess, currentAccess } from './access.ts'
import { adminRoutes } from './admin-routes.ts'
import { appRoutes } from './app-routes.ts'
import { signedCookies } from './cookies.ts'
import { customersOf, operatorRoutes } from './customers.ts'
import { changesProjection } from './outbox.ts'
import { answerErrors } from './routes.ts'
import { callers } from './session.ts'
import type { Settings } from './settings.ts'
import { signInRoutes } from './sign-in.ts'
import { createTables } from './tables.ts'
import { sendWebhooks } from './webhooks.ts'

export interface Instance {
  readonly port: number
  readonly stop: () => Promise<void>
}

export const startInstance = async (
  settings: Settings,
  access: DesiredAccess = currentAccess,
): Promise<Instance> => {
  const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 20 })
  // A connection that is lost while nobody uses it; without a listener, Node.js ends the program.
  pool.on('error', (error) => console.error(error))
  await createTables(pool)
  const { close, ...opened } = await openPostgres({ pool })
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1: settings.iamKey } })
  const iam = createIam({ ...opened, secrets, authorize: permissionsFromCaller })
  await demandSecrets(iam)
  for (const customerId of await customersOf(pool)) await applyAccess(iam, customerId, access)

  const stopping = new AbortController()
  const { signal } = stopping
  const work = Promise.all([
    iam.run(changesProjection(pool), { signal }).mapErr((error) => console.error(error)),
    sendWebhooks(pool, { signal, timeout: settings.webhookTimeout }),
  ])
  const { port, host } = settings
  const server = appOf(iam, pool, { settings, access }).listen(port, host)
  await once(server, 'listening')

  /** No new calls; those at work are answered; then what runs on its own; then the connections. */
  const stop = async () => {
    server.close()
    setTimeout(() => server.closeAllConnections(), 5_000).unref()
    await once(server, 'close')
    stopping.abort()
    await work
    await close()
    await pool.end()
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

/** With a wrong key nobody could sign in: better that this instance does not start. */
const demandSecrets = async (iam: Iam): Promise<void> => {
  const checked = await iam.checkSecrets()
  if (checked.isErr()) throw new Error('A client secret does not open', { cause: checked.error })
}

const appOf = (
  iam: Iam,
  pool: Pool,
  { settings, access }: { readonly settings: Settings; readonly access: DesiredAccess },
): Express => {
  const { cookieKey, origin, isDevelopment, operatorToken } = settings
  const cookies = signedCookies(cookieKey, !isDevelopment)
  const callerOf = callers(pool, cookies)
  const app = express()
  // The library's own paths, for programs of customers and for generated clients; before the parser of bodies.
  app.use('/api', nodeHandler(iam, { authenticate: (headers) => callerOf(headers.get('cookie')) }))
  app.use(express.json({ limit: '100kb' }))
  app.use('/operator', operatorRoutes({ iam, pool, access, operatorToken }))
  app.use('/sign-in', signInRoutes({ iam, pool, cookies, origin, isDevelopment }))
  app.use('/admin', adminRoutes(iam, pool, callerOf))
  app.use('/apps', appRoutes(iam, callerOf))
  app.use(answerErrors)
  return app
}

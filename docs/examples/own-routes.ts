// A server on Express with routes of its own. Run it with `node docs/examples/own-routes.ts`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  httpStatusOf,
  type IamError,
  permissionsFromCaller,
  type ResultAsync,
  toJson,
  toStatus,
} from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import express, { type Request, type Response } from 'express'

const { close, ...opened } = openSqlite(':memory:')
const k1 = crypto.getRandomValues(new Uint8Array(32)) // yours: from a secret manager, the same at every start
const iam = createIam({
  ...opened,
  secrets: aesGcmCipher({ current: 'k1', keys: { k1 } }),
  authorize: permissionsFromCaller,
})

// Yours: the session that your login created.
const sessions = new Map<string, Caller>([
  ['s1', { userId: 'u1', orgId: 'acme', permissions: ['project.write', 'project.role.write'] }],
])
const contextOf = (request: Request) => ({
  caller: sessions.get(request.headers['x-session']?.toString() ?? ''), // undefined: code 16
  idempotencyKey: request.header('idempotency-key'), // for writes only: reads reject it
  signal: AbortSignal.timeout(10_000),
})

const answer = async (response: Response, result: ResultAsync<unknown, IamError>) =>
  result.match(
    (outcome) => response.json(toJson(outcome)),
    (error) => {
      const http = httpStatusOf(error)
      if (http >= 500) console.error(error) // includes the cause
      response.status(http).json(toStatus(error)) // code, message, details; no cause and no secrets
    },
  )

const app = express()
app.use(express.json({ limit: '100kb' }))
app.post('/projects', (request, response) =>
  answer(response, iam.projects.add(request.body, contextOf(request))),
)
app.post('/projects/:projectId/roles', (request, response) => {
  const role = { ...request.body, projectId: request.params.projectId }
  return answer(response, iam.projectRoles.add(role, contextOf(request)))
})

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

/** Stops accepting requests, finishes those in progress, then closes the store. */
const stop = async () => {
  server.close()
  setTimeout(() => server.closeAllConnections(), 10_000).unref() // idle clients
  await once(server, 'close')
  await close()
}
process.once('SIGTERM', stop)

// What a client gets.
const address = server.address()
assert(typeof address === 'object' && address)
const post = async (path: string, body: object, session = 's1') => {
  const answered = await fetch(`http://127.0.0.1:${address.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session': session },
    body: JSON.stringify(body),
  })
  const { code }: { code?: number } = JSON.parse(await answered.text())
  return [answered.status, code]
}
const role = { roleKey: 'editor', displayName: 'Editor' }
assert.deepEqual(await post('/projects', { id: 'portal', name: 'Portal' }), [200, undefined])
assert.deepEqual(await post('/projects/portal/roles', role), [200, undefined])
assert.deepEqual(await post('/projects/portal/roles', role), [409, 6])
assert.deepEqual(await post('/projects', { name: 'Portal', colour: 'red' }), [400, 3])
assert.deepEqual(await post('/projects', { name: 'Portal' }, 'nobody'), [401, 16])
await stop()
console.log('Stopped')

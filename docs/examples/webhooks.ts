// Sends a change to a receiver. Run it with `node docs/examples/webhooks.ts`.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'
import { memoryCursors, webhooks } from 'claviger/webhooks'
import { Webhook } from 'standardwebhooks'

const secret = `whsec_${crypto.getRandomValues(Buffer.alloc(32)).toString('base64')}`

// The receiver: any server, in any language.
const webhook = new Webhook(secret)
const seen = new Set<string>() // in production a table with a unique column
const receiver = createServer(async (request, response) => {
  const headers = request.headers as Record<string, string>
  try {
    webhook.verify(await text(request), headers)
  } catch {
    response.writeHead(400).end()
    return
  }
  const id = headers['webhook-id'] ?? ''
  if (!seen.has(id)) {
    seen.add(id)
    // Process the message here.
  }
  response.writeHead(204).end()
})

receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const address = receiver.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : undefined}/`
const k1 = crypto.getRandomValues(new Uint8Array(32))
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k1', keys: { k1 } }),
  authorize: () => true,
})

const ending = new AbortController() // abort it when your server shuts down
const hooks = webhooks({
  iam,
  caller: (orgId) => ({ userId: 'webhooks', orgId }), // needs event.read
  cursors: memoryCursors(), // or sqliteCursors(path) of claviger/sqlite, postgresCursors({ pool }) of claviger/postgres
  endpoints: () => [{ id: 'billing', url, secrets: [secret], organizations: 'all', after: 0n }],
  allowHttpLoopback: true, // for development only
  onDelivery: ({ outcome, orgId }) => {
    console.log(orgId, outcome)
    ending.abort()
  },
  onFault: console.error, // such as a malformed secret: the endpoint gets nothing
})
await orThrow(iam.projects.add({ name: 'Portal' }, { caller: { userId: 'u1', orgId: 'acme' } }))
await orThrow(hooks.run({ signal: ending.signal }))

console.log(seen.size) // 1
receiver.closeAllConnections()
receiver.close()

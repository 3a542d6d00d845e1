// node main.ts: one instance of the product. Any number of them share a database.
import { createServer } from 'node:http'
import { toNodeHandler } from 'better-auth/node'
import { orThrow } from 'claviger'
import { webhooks } from 'claviger/webhooks'
import { as } from './access.ts'
import { close, cursors, rows } from './database.ts'
import { HOST, iam, network, PORT } from './iam.ts'
import { app } from './routes.ts'

await orThrow(iam.checkSecrets())
const endpoints = async () => {
  const all = await rows<Record<'id' | 'url' | 'secret', string>>('SELECT * FROM webhook')
  return all.map(({ id, url, secret }) => ({ id, orgId: id, url, secrets: [secret], after: 0n }))
}
const stopping = new AbortController()
const sender = webhooks({ ...network, iam, caller: as('webhooks'), cursors, endpoints })
const sending = sender.run({ signal: stopping.signal }).orTee(console.error)

const server = createServer(toNodeHandler(async (request) => app.fetch(request)))
server.listen(Number(PORT), HOST, () => console.log('Ready', server.address()))
/** Requests and messages at work are finished; then the database is closed. */
stopping.signal.onabort = () => server.close(() => sending.then(close))
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort())

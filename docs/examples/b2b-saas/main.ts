// node main.ts: one instance of the product. Any number of them share a database.
import { createServer } from 'node:http'
import { toNodeHandler } from 'better-auth/node'
import { orThrow } from 'claviger'
import { webhooks } from 'claviger/webhooks'
import { access, as } from './access.ts'
import { allOf } from './auth.ts'
import { database } from './database.ts'
import { iam, network } from './iam.ts'
import { app } from './routes.ts'

await orThrow(iam.checkSecrets())
for (const { id } of await allOf('organization')) {
  const applied = await iam.apply(access, as('deployment', id))
  if (applied.isErr()) console.error(`The roles of ${id} were not applied`, applied.error)
}

const stopping = new AbortController()
const sending = webhooks({
  ...network,
  iam,
  caller: (orgId) => as('webhooks', orgId).caller,
  cursors: database.cursors,
  onFault: console.error,
  endpoints: async () => {
    const rows = await allOf<{ url: string; secret: string }>('webhook')
    return rows.map(({ id, url, secret }) => ({ id, orgId: id, url, secrets: [secret], after: 0n }))
  },
}).run({ signal: stopping.signal })

const { PORT = '8080', HOST = '127.0.0.1' } = process.env
const server = createServer(toNodeHandler(async (request) => app.fetch(request)))
server.listen(Number(PORT), HOST, () => console.log('Ready', server.address()))

/** No new requests; those at work are answered; then the webhooks; then the connections. */
const stop = async () => {
  await new Promise((closed) => server.close(closed))
  stopping.abort()
  await sending
  await database.close()
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop)

// node migrate.ts: once for each release, before its instances start.
import { getMigrations } from 'better-auth/db/migration'
import { access, as } from './access.ts'
import { close, rows } from './database.ts'
import { iam, options, tenants } from './iam.ts'

await (await getMigrations(options)).runMigrations()
const invoice = 'invoice (id text PRIMARY KEY, org text, approver text, total integer)'
const webhook = 'webhook (id text PRIMARY KEY, url text, secret text)'
for (const table of [invoice, webhook]) await rows(`CREATE TABLE IF NOT EXISTS ${table}`)
for (const { id } of await tenants.list())
  await iam.apply(access, { caller: as('deployment')(id) }).mapErr((e) => console.error(id, e))
await close()

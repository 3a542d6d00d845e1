// Gives a role on PostgreSQL without a server: PGlite runs inside the program.
import { PGlite } from '@electric-sql/pglite'
import { aesGcmCipher, type Context, createIam, orThrow } from 'claviger'
import { openPostgres, pgLite } from 'claviger/postgres'

const db = new PGlite() // in memory; give it a folder to keep
const { close, ...opened } = await openPostgres({ driver: pgLite(db) })

// In production the key comes from a secret manager and stays there.
const k1 = crypto.getRandomValues(new Uint8Array(32))
const secrets = aesGcmCipher({ current: 'k1', keys: { k1 } })
const iam = createIam({ ...opened, secrets, authorize: () => true })
const context: Context = { caller: { userId: 'user-4711', orgId: 'acme' } }

await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
await orThrow(iam.projectRoles.add(role, context))
await orThrow(
  iam.userGrants.add(
    { userId: 'ann', projectId: 'portal', roles: [{ roleKey: 'editor' }] },
    context,
  ),
)
console.log(
  await orThrow(
    iam.access.check({ userId: 'ann', projectId: 'portal', roleKey: 'editor' }, context),
  ),
)

const { rows } = await db.query('SELECT type FROM claviger.events ORDER BY position')
console.log(rows) // your own queries, in the same database
await close()
await db.close()

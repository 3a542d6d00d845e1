// A row of the host and the grant that goes with it: both are committed, or neither.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { aesGcmCipher, createIam, orThrow, permissionsFromCaller } from 'claviger'
import { inTransaction, openSqlite } from 'claviger/sqlite'

const database = new DatabaseSync(':memory:') // or a file; PostgreSQL: claviger/postgres
const k1 = crypto.getRandomValues(new Uint8Array(32)) // yours: from a secret manager
const iam = createIam({
  ...openSqlite(database),
  secrets: aesGcmCipher({ current: 'k1', keys: { k1 } }),
  authorize: permissionsFromCaller,
})
database.exec('CREATE TABLE invoice (id TEXT PRIMARY KEY, approver TEXT NOT NULL)')
const permissions = ['project.write', 'project.role.write', 'user.grant.write'] as const
const context = { caller: { userId: 'u1', orgId: 'acme', permissions } }
const projectId = 'invoice-7'
await orThrow(iam.projects.add({ id: projectId, name: 'Invoice 7' }, context))
const approver = { projectId, roleKey: 'approver', displayName: 'Approver' }
await orThrow(iam.projectRoles.add(approver, context))

const insert = inTransaction((db: DatabaseSync) => {
  db.prepare('INSERT INTO invoice (id, approver) VALUES (?, ?)').run('7', 'ada')
})
const given = { userId: 'ada', projectId, roles: [{ roleKey: 'approver' }] }
await orThrow(iam.userGrants.give(given, { ...context, inTransaction: insert }))
assert.equal(database.prepare('SELECT approver FROM invoice').get()?.['approver'], 'ada')
console.log('Done')

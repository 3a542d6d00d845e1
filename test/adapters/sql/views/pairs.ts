import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { context, good, type Iam, iamOn } from '../../../application/host.js'
import type { Left } from '../../../processes/pairs.js'

/** The role that the pairs are given with. */
export const addApprover = async (iam: Iam): Promise<void> => {
  const role = { projectId: 'portal', roleKey: 'approver', displayName: 'Approver' }
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add({ ...role, permissions: ['invoice.approve'] }, context))
}

/** Ids of what there is of the pairs, as of one moment. */
const leftIn = (events: string, view: string, userId: string) => `
  SELECT 'invoices' AS what, id FROM invoice
  UNION ALL SELECT 'events', ${userId} FROM ${events}
    WHERE type = 'user_grant.added'
  UNION ALL SELECT 'shown', user_id FROM ${view}`

const sorted = (rows: readonly { readonly what: string; readonly id: string }[]): Left => {
  const of = (what: string) => rows.flatMap((row) => (row.what === what ? [row.id] : [])).toSorted()
  return { invoices: of('invoices'), events: of('events'), shown: of('shown') }
}

/** An SQLite file for pairs. */
export const sqliteForPairs = async (file: string) => {
  const handle = new DatabaseSync(file)
  const { store, readModel } = openSqlite(handle, { views: true })
  await addApprover(iamOn(store, { readModel, authorize: () => true }))
  handle.exec('CREATE TABLE invoice (id TEXT PRIMARY KEY)')
  const rows = handle.prepare(leftIn('events', 'claviger_role_holder', `data ->> '$.userId'`))
  return {
    place: { file },
    left: async () => sorted(rows.all() as { what: string; id: string }[]),
    [Symbol.asyncDispose]: async () => handle.close(),
  }
}

/** The schema `claviger` of a PostgreSQL server for pairs. */
export const postgresForPairs = async (connectionString: string) => {
  const { store, readModel, close } = await openPostgres({ connectionString, views: true })
  await addApprover(iamOn(store, { readModel, authorize: () => true }))
  await close()
  const client = new Client({ connectionString })
  await client.connect()
  await client.query('CREATE TABLE invoice (id text COLLATE "C" PRIMARY KEY)')
  return {
    place: { connectionString },
    left: async () => {
      const { rows } = await client.query(
        leftIn('claviger.events', 'claviger.role_holder', `data::json ->> 'userId'`),
      )
      return sorted(rows)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

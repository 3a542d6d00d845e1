import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { context, good, type Iam, iamOn } from '../../../application/host.js'
import { startPostgres } from '../../../postgres-server.js'
import type { PairDatabase } from '../../../processes/pairs.js'
import { type Moment, tcpProxy } from '../../../tcp-proxy.js'

/** The role that the pairs are given with. */
export const addApprover = async (iam: Iam): Promise<void> => {
  const role = { projectId: 'portal', roleKey: 'approver', displayName: 'Approver' }
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add({ ...role, permissions: ['invoice.approve'] }, context))
}

/** Counts the pairs, and the pairs that lack a part. */
const countIn = (events: string, userId: string, view: string | undefined) => `
  SELECT count(*) AS pairs, sum(CASE WHEN parts = ${view === undefined ? 2 : 3} THEN 0 ELSE 1 END) AS halves,
    min(CASE WHEN parts = ${view === undefined ? 2 : 3} THEN NULL ELSE id END) AS half
  FROM (SELECT id, count(*) AS parts FROM (
    SELECT id FROM invoice
    UNION ALL SELECT ${userId} FROM ${events} WHERE type = 'user_grant.added'
    ${view === undefined ? '' : `UNION ALL SELECT user_id FROM ${view}`}
  ) AS part GROUP BY id) AS pair`

const leftIn = (row: Readonly<Record<string, unknown>> | undefined) => ({
  pairs: Number(row?.['pairs']),
  halves: { count: Number(row?.['halves']), first: row?.['half'] },
})

/** Prepares an SQLite file for pairs. */
export const sqliteForPairs = async (
  file: string,
  views: boolean,
): Promise<PairDatabase & AsyncDisposable> => {
  const handle = new DatabaseSync(file)
  const { store, readModel } = openSqlite(handle, { views })
  await addApprover(iamOn(store, { readModel, authorize: () => true }))
  handle.exec('CREATE TABLE invoice (id TEXT PRIMARY KEY)')
  handle.close()
  return pairsIn(file, views)
}

/** A file that is prepared for pairs. */
export const pairsIn = (file: string, views: boolean): PairDatabase & AsyncDisposable => {
  const handle = new DatabaseSync(file)
  const { store } = openSqlite(handle, { views })
  const view = views ? 'claviger_role_holder' : undefined
  const count = handle.prepare(countIn('events', `data ->> '$.userId'`, view))
  const row = handle.prepare('SELECT 1 FROM invoice WHERE id = ?')
  return {
    place: { file },
    views,
    store,
    faults: [],
    left: async () => leftIn(count.get()),
    hasRow: async (id) => row.get(id) !== undefined,
    [Symbol.asyncDispose]: async () => handle.close(),
  }
}

/** Texts of messages of an append; every message has the last one. */
const TEXTS = ['BEGIN', 'INSERT INTO invoice', 'SAVEPOINT claviger', 'append', 'COMMIT', '']
const MOMENTS: readonly Moment[] = ['before the request', 'before the answer']

const oneOf = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(Math.random() * values.length)] as Value

/** A PostgreSQL server for pairs, which can be killed, behind a network that can be cut. */
export const postgresForPairs = async (views: boolean): Promise<PairDatabase & AsyncDisposable> => {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres({ settings: ['fsync=off'] }))
  const proxy = stack.use(await tcpProxy(server.port))
  const { connectionString } = server
  const { store, readModel } = stack.use(await openPostgres({ connectionString, views }))
  await addApprover(iamOn(store, { readModel, authorize: () => true }))
  const pool = new Pool({ connectionString })
  stack.defer(() => pool.end())
  // Connections end with the server.
  pool.on('error', () => undefined)
  await pool.query('CREATE TABLE invoice (id text COLLATE "C" PRIMARY KEY)')
  const view = views ? 'claviger.role_holder' : undefined
  const count = countIn('claviger.events', `data::json ->> 'userId'`, view)
  const cut = () => proxy.cutAt(oneOf(TEXTS), oneOf(MOMENTS))
  return {
    place: { connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` },
    views,
    store,
    faults: [
      cut,
      cut,
      async () => {
        await server.kill()
        await server.start()
      },
    ],
    left: async () => leftIn((await pool.query(count)).rows[0]),
    hasRow: async (id) =>
      (await pool.query('SELECT FROM invoice WHERE id = $1', [id])).rowCount === 1,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

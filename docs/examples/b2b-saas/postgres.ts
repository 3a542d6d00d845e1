// PostgreSQL, for production: `mv postgres.ts database.ts`.
import { inTransaction, openPostgres, postgresCursors } from 'claviger/postgres'
import pg from 'pg'

export const users = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 })
users.on('error', console.error) // otherwise the loss of an idle connection ends the process
const { close: stop, ...stores } = await openPostgres({ pool: users })
export const opened = stores
export const cursors = postgresCursors({ pool: users })
export const rows = async <Row extends object>(sql: string, ...values: (string | number)[]) =>
  (await users.query<Row>(sql, values)).rows
export const inserting = (sql: string, ...values: (string | number)[]) =>
  inTransaction((client: pg.PoolClient) => client.query(sql, values))
export const close = () => stop().then(() => users.end())

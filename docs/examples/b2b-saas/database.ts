// Two SQLite files: one for claviger and the rows of the product, one for better-auth.
import { DatabaseSync } from 'node:sqlite'
import { inTransaction, openSqlite, sqliteCursors } from 'claviger/sqlite'

const file = new DatabaseSync('iam.db')
export const { close, ...opened } = openSqlite(file)
export const cursors = sqliteCursors('iam.db')
export const users = new DatabaseSync('users.db', { timeout: 10_000 })
users.exec('PRAGMA journal_mode = WAL')
export const rows = async <Row>(sql: string, ...values: (string | number)[]) =>
  file.prepare(sql.replaceAll('$', '?')).all(...values) as Row[] // ?1, as SQLite has them
export const inserting = (sql: string, ...values: (string | number)[]) =>
  inTransaction(() => void file.prepare(sql.replaceAll('$', '?')).run(...values))

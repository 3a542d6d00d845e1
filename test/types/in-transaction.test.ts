import { describe, expect, it } from 'vitest'
import { objectionsTo } from './program.js'

const source = (value: string): string => `
  import type { DatabaseSync } from 'node:sqlite'
  import type { Context } from 'claviger'
  import { inTransaction as inPostgres, pgLite } from 'claviger/postgres'
  import { inTransaction as inSqlite } from 'claviger/sqlite'
  import { inTransaction as inObject } from 'claviger/cloudflare'
  import type { PoolClient } from 'pg'
  import type { TransactionSql } from 'postgres'
  export type Clients = [DatabaseSync, PoolClient, TransactionSql]
  export const used = [inPostgres, inSqlite, inObject, pgLite]
  declare const caller: { userId: string; orgId: string }
  export const context: Context = { caller, inTransaction: ${value} }`

describe('inTransaction in a context', () => {
  it.each([
    "inPostgres(async (client) => (await client.query('SELECT 1', [1])).rows)",
    "inPostgres(async (client: PoolClient) => { (await client.query<{ id: string }>('…')).rows[0]?.id.trim() })",
    'inPostgres(async (sql: TransactionSql) => sql`SELECT 1`)',
    "inSqlite((db) => { db.prepare('SELECT 1').run() })",
    "inSqlite((db: DatabaseSync) => { db.prepare('SELECT 1').all() })",
    "inSqlite((db: DatabaseSync) => db.prepare('SELECT 1').run())",
    "inSqlite<DatabaseSync>((db) => { db.exec('SELECT 1') })",
    "inSqlite((db: DatabaseSync) => { if (Math.random() < 2) throw new Error('no stock'); db.exec('') })",
    "inSqlite(() => { throw new Error('no stock') })",
    "inObject((sql) => { sql.exec('SELECT 1') })",
    'undefined',
  ])('takes %s', (value) => {
    expect(objectionsTo(source(value))).toEqual([])
  })

  it.each([
    ["inPostgres(async (client: PoolClient) => client.run('SELECT 1'))", "'run' does not exist"],
    ['inPostgres(() => undefined)', 'is not assignable to'],
    ["inSqlite(async (db) => { db.exec('SELECT 1') })", "'Promise<void>' is not assignable to"],
    ["inObject(async (sql) => sql.exec('SELECT 1'))", 'is not assignable to'],
    ["inPostgres('SELECT 1')", 'is not assignable to'],
    [
      "async (client: PoolClient) => { await client.query('SELECT 1') }",
      "is not assignable to type 'InTransaction'",
    ],
    ['{}', 'missing the following properties'],
    ['pgLite', "is not assignable to type 'InTransaction'"],
  ])('does not take %s', (value, objection) => {
    expect(objectionsTo(source(value))).toEqual([expect.stringContaining(objection)])
  })
})

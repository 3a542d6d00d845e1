import { DatabaseSync } from 'node:sqlite'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import {
  inTransaction as inPostgres,
  openPostgres,
  pgLite,
} from '../../../../src/adapters/postgres/index.js'
import { inTransaction as inSqlite, openSqlite } from '../../../../src/adapters/sqlite/index.js'
import type { EventStore, InTransaction, ReadModel, RecordedEvent } from '../../../../src/index.js'
import type { EventRestore } from '../../../../src/ports/event-store.js'
import { ORGS, PERMISSIONS, PROJECTS } from '../../../application/access/any-history.js'
import type { NaiveModel } from '../../../application/access/naive-model.js'

/** A database of a test. */
export interface Database {
  readonly schema: string
  /** Replaces a view with another one of the same name. */
  readonly spoil: (view: 'role_holder' | 'permission_holder') => Promise<unknown>
  /** Adds a row to a table of the host with one column. */
  readonly withRow: (table: string) => InTransaction
  /** Opens its store, with the options of both databases. */
  readonly open: (options?: {
    readonly views?: boolean
    readonly migrate?: boolean
    readonly now?: () => Date
  }) => Promise<{ readonly store: EventStore & EventRestore; readonly readModel: ReadModel }>
  /** What a view shows, in any order. */
  readonly shown: (view: 'role_holder' | 'permission_holder') => Promise<readonly ShownRow[]>
  /** Runs a statement of the host. */
  readonly query: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly end: () => Promise<unknown>
}

export type ShownRow = Readonly<Record<string, unknown>>

export const sqliteDatabase = async (): Promise<Database> => {
  const handle = new DatabaseSync(':memory:')
  const query = async (text: string) => handle.prepare(text).all() as readonly ShownRow[]
  return {
    schema: 'main',
    spoil: async (view) =>
      handle.exec(`DROP VIEW claviger_${view}; CREATE VIEW claviger_${view} AS SELECT 1 AS one`),
    withRow: (table) =>
      inSqlite((db: DatabaseSync) => {
        db.exec(`INSERT INTO ${table} VALUES (1)`)
      }),
    open: async (options = {}) => openSqlite(handle, options),
    query,
    shown: async (view) =>
      (await query(`SELECT * FROM claviger_${view}`)).map(({ expires_at, ...row }) => ({
        ...row,
        expires_at: expires_at === null ? null : new Date(String(expires_at)),
      })),
    end: async () => handle.close(),
  }
}

let pglite: Promise<PGlite> | undefined
let schemas = 0

/** A schema in the one PostgreSQL of a file, which takes seconds to start. */
export const pgliteDatabase = async (): Promise<Database> => {
  pglite ??= PGlite.create()
  const db = await pglite
  const schema = `views_${++schemas}`
  const query = async (text: string) => (await db.query<ShownRow>(text)).rows
  return {
    schema,
    spoil: (view) => db.exec(`COMMENT ON VIEW ${schema}.${view} IS 'of another version'`),
    // PostgreSQL has its own clock.
    open: async ({ now: _, ...options } = {}) =>
      openPostgres({ driver: pgLite(db), schema, ...options }),
    query,
    shown: (view) => query(`SELECT * FROM ${schema}.${view}`),
    withRow: (table) =>
      inPostgres(async (transaction: Transaction) => {
        await transaction.query(`INSERT INTO ${table} VALUES (1)`)
      }),
    end: async () => {
      await db.exec(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    },
  }
}

/** What the views are to show after the log of `model`, as texts. */
export const expectedOf = (model: NaiveModel, now: Date) => {
  const of = (permission: string | undefined) =>
    ORGS.flatMap((projectOrgId) =>
      PROJECTS.flatMap((projectId) =>
        model.whoHas(projectOrgId, projectId, permission, now).map((holder) => ({
          org_id: holder.orgId,
          user_id: holder.userId,
          project_org_id: projectOrgId,
          project_id: projectId,
          resource: 'resource' in holder ? (holder.resource ?? null) : null,
          ...(permission === undefined ? { role_key: holder.roleKey } : { permission }),
          via_idp_id: holder.via === 'grant' ? null : holder.via.idpId,
          via_group: holder.via === 'grant' ? null : holder.via.group,
          expires_at: 'expiresAt' in holder ? (holder.expiresAt ?? null) : null,
        })),
      ),
    )
  return {
    role_holder: inOrder(of(undefined)),
    permission_holder: inOrder(PERMISSIONS.flatMap(of)),
  }
}

export const shownIn = async ({ shown }: Database) => ({
  role_holder: inOrder(await shown('role_holder')),
  permission_holder: inOrder(await shown('permission_holder')),
})

const inOrder = (rows: readonly ShownRow[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row)).toSorted()

/** A log whose last event lies at `end`: what expired in it has expired by the clock of a database, too. */
export const movedTo = (
  log: readonly RecordedEvent[],
  last: Date,
  end: Date,
): readonly RecordedEvent[] => {
  const by = end.getTime() - last.getTime()
  const moved = (time: string) => new Date(Date.parse(time) + by).toISOString()
  return log.map((event) => ({
    ...event,
    position: event.position + BigInt(by) * 1000n,
    data: JSON.parse(JSON.stringify(event.data), (key, value) =>
      key === 'expiresAt' && typeof value === 'string' ? moved(value) : value,
    ),
  }))
}

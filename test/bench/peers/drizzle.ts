import { and, asc, eq, sql } from 'drizzle-orm'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import * as postgres from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { type Open, ORG_ID } from '../world.ts'
import { byHand } from './by-hand.ts'
import { auditOf, type GrantKey, postgresTables, sqliteTables } from './tables.ts'

const PAGE = 20

/** Drizzle on the tables, as its guide writes queries and transactions. */
export const drizzle: Open = async (place) =>
  place.store === 'postgres'
    ? byHand(place, onPostgres(await postgresTables(place)))
    : byHand(place, onSqlite(sqliteTables(place)))

/** What Drizzle uses of better-sqlite3, on the driver of the others. */
const betterSqlite = ({ prepare }: ReturnType<typeof sqliteTables>) => ({
  prepare: (query: string) => {
    const statement = prepare(query)
    return {
      run: statement.run.bind(statement),
      raw: () => {
        statement.setReturnArrays(true)
        return statement
      },
    }
  },
  transaction: <Transaction>(work: (transaction: Transaction) => unknown) => ({
    deferred: (transaction: Transaction) => {
      prepare('BEGIN').run()
      try {
        work(transaction)
        prepare('COMMIT').run()
      } catch (cause) {
        prepare('ROLLBACK').run()
        throw cause
      }
    },
  }),
})

const onSqlite = (tables: ReturnType<typeof sqliteTables>) => {
  const { text } = sqlite
  const grants = sqlite.sqliteTable('grants', {
    orgId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    projectId: text('project_id').notNull(),
    roleKey: text('role_key').notNull(),
  })
  const audit = sqlite.sqliteTable('audit', {
    id: sqlite.integer().primaryKey(),
    at: text().notNull(),
    actor: text().notNull(),
    orgId: text('org_id').notNull(),
    action: text().notNull(),
    details: text().notNull(),
  })
  const dialect = new sqlite.SQLiteSyncDialect()
  const session = new BetterSQLiteSession(betterSqlite(tables), dialect, undefined)
  const database = new sqlite.BaseSQLiteDatabase('sync', dialect, session, undefined)
  return {
    has: async ({ userId, projectId, roleKey }: GrantKey) => {
      const rows = await database
        .select()
        .from(grants)
        .where(
          and(
            eq(grants.orgId, ORG_ID),
            eq(grants.userId, userId),
            eq(grants.projectId, projectId),
            eq(grants.roleKey, roleKey),
          ),
        )
        .limit(1)
      return rows.length === 1
    },
    add: async (grant: GrantKey) =>
      database.transaction((transaction) => {
        transaction
          .insert(grants)
          .values({ orgId: ORG_ID, ...grant })
          .run()
        transaction.insert(audit).values(auditOf(grant)).run()
      }),
    pageAfter: ({ userId, projectId }: Pick<GrantKey, 'userId' | 'projectId'>) =>
      database
        .select()
        .from(grants)
        .where(
          and(
            eq(grants.orgId, ORG_ID),
            sql`(${grants.userId}, ${grants.projectId}) > (${userId}, ${projectId})`,
          ),
        )
        .orderBy(asc(grants.userId), asc(grants.projectId))
        .limit(PAGE),
    close: async () => tables.close(),
  }
}

const onPostgres = (pool: Awaited<ReturnType<typeof postgresTables>>) => {
  const { text } = postgres
  const grants = postgres.pgTable('grants', {
    orgId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    projectId: text('project_id').notNull(),
    roleKey: text('role_key').notNull(),
  })
  const audit = postgres.pgTable('audit', {
    id: postgres.bigserial({ mode: 'number' }).primaryKey(),
    at: text().notNull(),
    actor: text().notNull(),
    orgId: text('org_id').notNull(),
    action: text().notNull(),
    details: text().notNull(),
  })
  const database = drizzlePostgres({ client: pool })
  return {
    has: async ({ userId, projectId, roleKey }: GrantKey) => {
      const rows = await database
        .select()
        .from(grants)
        .where(
          and(
            eq(grants.orgId, ORG_ID),
            eq(grants.userId, userId),
            eq(grants.projectId, projectId),
            eq(grants.roleKey, roleKey),
          ),
        )
        .limit(1)
      return rows.length === 1
    },
    add: (grant: GrantKey) =>
      database.transaction(async (transaction) => {
        await transaction.insert(grants).values({ orgId: ORG_ID, ...grant })
        await transaction.insert(audit).values(auditOf(grant))
      }),
    pageAfter: ({ userId, projectId }: Pick<GrantKey, 'userId' | 'projectId'>) =>
      database
        .select()
        .from(grants)
        .where(
          and(
            eq(grants.orgId, ORG_ID),
            sql`(${grants.userId}, ${grants.projectId}) > (${userId}, ${projectId})`,
          ),
        )
        .orderBy(asc(grants.userId), asc(grants.projectId))
        .limit(PAGE),
    close: () => pool.end(),
  }
}

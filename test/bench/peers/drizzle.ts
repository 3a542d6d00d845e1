import { and, asc, eq, sql } from 'drizzle-orm'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import * as postgres from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { type Open, ORG_ID } from '../world.ts'
import { byHand } from './by-hand.ts'
import { auditOf, type GrantKey, postgresTables, sqliteTables } from './tables.ts'

const PAGE = 20

/** Drizzle on the tables, as its guide writes queries and transactions. */
export const drizzle: Open = async (place) =>
  place.store === 'postgres'
    ? byHand(place, onPostgres(await postgresTables(place)))
    : byHand(place, onSqlite(sqliteTables(place)))

const onSqlite = ({ prepare, close }: ReturnType<typeof sqliteTables>) => {
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
  const database = drizzleSqlite(async (query, params, method) => {
    const statement = prepare(query)
    if (method === 'run') {
      statement.run(...params)
      return { rows: [] }
    }
    statement.setReturnArrays(true)
    return { rows: statement.all(...params) }
  })
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
    close: async () => close(),
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

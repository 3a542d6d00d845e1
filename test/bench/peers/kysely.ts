import { type Dialect, type Generated, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { type Open, ORG_ID } from '../world.ts'
import { byHand } from './by-hand.ts'
import { auditOf, type GrantKey, postgresTables, sqliteTables } from './tables.ts'

interface Tables {
  readonly grants: {
    readonly org_id: string
    readonly user_id: string
    readonly project_id: string
    readonly role_key: string
  }
  readonly audit: {
    readonly id: Generated<number>
    readonly at: string
    readonly actor: string
    readonly org_id: string
    readonly action: string
    readonly details: string
  }
}

const PAGE = 20

/** Kysely on the tables, as its guide writes queries and transactions. */
export const kysely: Open = async (place) =>
  byHand(
    place,
    queriesOn(
      place.store === 'postgres'
        ? new PostgresDialect({ pool: await postgresTables(place) })
        : sqliteDialect(sqliteTables(place)),
    ),
  )

const sqliteDialect = ({ prepare, close }: ReturnType<typeof sqliteTables>): Dialect =>
  new SqliteDialect({
    database: {
      close,
      prepare: (sql) => {
        const statement = prepare(sql)
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as string[])),
          run: (parameters) => statement.run(...(parameters as string[])),
          iterate: (parameters) => statement.iterate(...(parameters as string[])),
        }
      },
    },
  })

const queriesOn = (dialect: Dialect) => {
  const database = new Kysely<Tables>({ dialect })
  return {
    has: async ({ userId, projectId, roleKey }: GrantKey) => {
      const row = await database
        .selectFrom('grants')
        .selectAll()
        .where('org_id', '=', ORG_ID)
        .where('user_id', '=', userId)
        .where('project_id', '=', projectId)
        .where('role_key', '=', roleKey)
        .executeTakeFirst()
      return row !== undefined
    },
    add: (grant: GrantKey) =>
      database.transaction().execute(async (transaction) => {
        const { userId, projectId, roleKey } = grant
        await transaction
          .insertInto('grants')
          .values({ org_id: ORG_ID, user_id: userId, project_id: projectId, role_key: roleKey })
          .execute()
        const { orgId, ...columns } = auditOf(grant)
        await transaction
          .insertInto('audit')
          .values({ ...columns, org_id: orgId })
          .execute()
      }),
    pageAfter: async ({ userId, projectId }: Pick<GrantKey, 'userId' | 'projectId'>) => {
      const rows = await database
        .selectFrom('grants')
        .selectAll()
        .where('org_id', '=', ORG_ID)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('user_id', 'project_id'), '>', tuple(userId, projectId)),
        )
        .orderBy('user_id')
        .orderBy('project_id')
        .limit(PAGE)
        .execute()
      return rows.map((row) => ({
        userId: row.user_id,
        projectId: row.project_id,
        roleKey: row.role_key,
      }))
    },
    close: () => database.destroy(),
  }
}

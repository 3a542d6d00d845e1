import { type Dialect, type Generated, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { HELD_ROLE, newGrantOf, type Open, ORG_ID, type Place } from '../world.ts'
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
export const kysely: Open = async (place) => byHand(place, await queriesOf(place))

/** Kysely where adds that wait at the same time share a transaction, which a host would have to write. */
export const kyselyGrouped: Open = async (place) => {
  const { addAll, close } = await queriesOf(place)
  let waiting: GrantKey[] = []
  let next: Promise<unknown> | undefined
  let running: Promise<unknown> = Promise.resolve()
  const add = (grant: GrantKey): Promise<unknown> => {
    waiting.push(grant)
    next ??= running.then(() => {
      const group = waiting
      waiting = []
      next = undefined
      running = addAll(group)
      return running
    })
    return next
  }
  const call = async (index: number) => {
    await add({ ...newGrantOf(index), roleKey: HELD_ROLE })
    return true
  }
  return { jobs: { 'add in groups': { call } }, close }
}

const queriesOf = async (place: Place) =>
  queriesOn(
    place.store === 'postgres'
      ? new PostgresDialect({ pool: await postgresTables(place) })
      : sqliteDialect(sqliteTables(place)),
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
  const addAll = (grants: readonly GrantKey[]) =>
    database.transaction().execute(async (transaction) => {
      const rows = grants.map(({ userId, projectId, roleKey }) => ({
        org_id: ORG_ID,
        user_id: userId,
        project_id: projectId,
        role_key: roleKey,
      }))
      await transaction.insertInto('grants').values(rows).execute()
      const audits = grants
        .map(auditOf)
        .map(({ orgId, ...columns }) => ({ ...columns, org_id: orgId }))
      await transaction.insertInto('audit').values(audits).execute()
    })
  return {
    addAll,
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
    add: (grant: GrantKey) => addAll([grant]),
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

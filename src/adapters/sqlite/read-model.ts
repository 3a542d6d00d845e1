import type { RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type {
  Listing,
  ListQuery,
  ReadModel,
  RefOf,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { changeRow } from '../../projections/change-row.js'
import { listedScope, placeOf } from '../../projections/place.js'
import { readEvents } from '../../projections/read-events.js'
import { shownOnce } from '../kept-rows.js'
import { countStatement, pageStatement } from '../list-statements.js'
import { CHECKPOINT, NAMES, READ_MODEL } from '../read-tables.js'
import type { Connection } from './connection.js'
import type { Database } from './database.js'
import { sqliteDialect } from './read-model/dialect.js'
import { insertHistory, readHistory } from './read-model/history-rows.js'
import { nameNumbers } from './read-model/name-numbers.js'
import { decode, readObject, type ShownRow } from './read-model/object-rows.js'
import { rowBatch } from './read-model/row-batch.js'
import { createTables, emptyTables, haveTables } from './read-model/tables.js'

/** A read model in tables of its own, in the file of the events; created when first used. */
export const sqliteReadModel = (connection: Connection): ReadModel => {
  let isReady = false

  const ready = async (): Promise<Connection> => {
    if (!isReady && !(await connection.query(haveTables))) await connection.write(createTables)
    isReady = true
    return connection
  }

  const apply = async (from: bigint, events: readonly RecordedEvent[]): Promise<boolean> => {
    const known = readEvents(events)
    return (await ready()).write((database) => {
      if (checkpointIn(database) !== from) return false
      applyAll(database, known)
      return true
    })
  }

  const get = async <Type extends ViewType>(
    orgId: string,
    ref: RefOf<Type>,
  ): Promise<Views[Type] | undefined> =>
    (await ready()).query((database) => readObject<Type>(database, ref.type, placeOf(orgId, ref)))

  return {
    name: READ_MODEL,
    checkpoint: async () => (await ready()).query(checkpointIn),
    apply,
    reset: () =>
      connection.write((database) => {
        // Somebody may have dropped them.
        createTables(database)
        emptyTables(database)
      }),
    get,
    list: async <Type extends ViewType>(query: ListQuery<Type>) =>
      (await ready()).read((database) => list(database, query)),
    history: async (query) => (await ready()).query((database) => readHistory(database, query)),
  }
}

const checkpointIn = (database: Database): bigint =>
  BigInt(Number(database.value(`SELECT position FROM ${CHECKPOINT}`) ?? 0))

const applyAll = (database: Database, events: readonly KnownEvent[]): void => {
  const last = events.at(-1)
  if (last === undefined) return
  const shared = { numberOf: nameNumbers(database), shownIn: shownOnce() }
  const rows = rowBatch(database, shared)
  insertHistory(
    database,
    shared,
    events.map((event) => [event, changeRow(rows, event)] as const),
  )
  rows.flush()
  database.run(`DELETE FROM ${CHECKPOINT}`)
  database.run(`INSERT INTO ${CHECKPOINT} (position) VALUES (?)`, last.position)
}

const list = <Type extends ViewType>(
  database: Database,
  query: ListQuery<Type>,
): Listing<Views[Type]> => {
  const scope = listedScope(query)
  // 0 is the number of no scope.
  const number = database.value(`SELECT number FROM ${NAMES} WHERE name = ?`, scope) ?? 0
  const inScope = { ...query, scope: Number(number) }
  const count = countStatement(sqliteDialect, inScope)
  const page = pageStatement(sqliteDialect, inScope)
  const found = database.rows<ShownRow>(page.sql, ...page.parameters)
  return {
    items: found.slice(0, query.limit).map((row) => decode<Type>(scope, row)),
    hasMore: found.length > query.limit,
    totalSize: Number(database.value(count.sql, ...count.parameters)),
    sequence: checkpointIn(database),
  }
}

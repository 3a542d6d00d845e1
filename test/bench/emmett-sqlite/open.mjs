import { getSQLiteEventStore, sqliteConnection } from '@event-driven-io/emmett-sqlite'

/**
 * Emmett's SQLite store as its documentation has it at its fastest: one connection for all. SQLite's
 * default, `synchronous = FULL`, is the durability of the others.
 */
export const openEmmettSqlite = (fileName) => {
  const connection = sqliteConnection({ fileName })
  const store = getSQLiteEventStore({
    fileName,
    connectionOptions: { singleton: true, connection },
  })
  return { store, close: () => connection.close() }
}

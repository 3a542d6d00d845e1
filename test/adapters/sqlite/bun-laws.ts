// Run by Bun, with an empty folder as its argument: prints how many laws its SQLite keeps, or what it breaks.
// @ts-expect-error There are no types of Bun here.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import {
  inTransaction,
  openSqlite,
  type SqliteHandle,
  sqliteCursors,
} from '../../../src/adapters/sqlite/index.js'
import {
  eventRestoreLaws,
  eventStoreLaws,
  type InTransactionHarness,
  inTransactionLaws,
  readModelLaws,
  sqliteHandleLaws,
  webhookCursorLaws,
} from '../../../src/laws/index.js'
import type { EventStore } from '../../../src/ports/event-store.js'
import { databaseHome } from '../read-model-home.js'

const [folder = ''] = process.argv.slice(2)
let count = 0
const newFile = (): string => join(folder, `${++count}.db`)

const homeOf = <Opened>(opening: (file: string) => Opened) => {
  let file = ''
  const reopen = () => opening(file)
  const open = () => {
    file = newFile()
    return reopen()
  }
  return { open, reopen }
}

const handleOf = (file: string): SqliteHandle => new Database(file)
const handles = homeOf(handleOf)
const stores = homeOf(async (file) => openSqlite(handleOf(file)).store)
/** Rows of the host beside each store. */
const hostHandles = new Map<EventStore, SqliteHandle>()
const storeOn = async (handle: SqliteHandle): Promise<EventStore> => {
  const { store } = openSqlite(handle)
  hostHandles.set(store, handle)
  return store
}
const withRows: InTransactionHarness = {
  open: async () => {
    const handle = handleOf(newFile())
    const store = await storeOn(handle)
    handle.exec('CREATE TABLE host_row (text TEXT)')
    return store
  },
  reopen: async (store) => storeOn(hostHandles.get(store) ?? handleOf('')),
  insert: (row, then) =>
    inTransaction((handle) => {
      handle.prepare('INSERT INTO host_row (text) VALUES (?)').run(row)
      then?.()
    }),
  rows: async (store) =>
    (hostHandles.get(store) ?? handleOf(''))
      .prepare('SELECT text FROM host_row ORDER BY rowid')
      .all()
      .map((row) => String(Object.values(Object(row))[0])),
}
const readModels = databaseHome(newFile, (file) => openSqlite(handleOf(file)))
const cursors = homeOf((file) => sqliteCursors(handleOf(file)))

let kept = 0
const keep = async (name: string, checking: Promise<void>): Promise<void> => {
  try {
    await checking
    kept++
  } catch (error) {
    process.stdout.write(`${name}: ${error}\n`)
  }
}
for (const { name, check } of sqliteHandleLaws) await keep(name, check(handles))
for (const { name, check } of [...eventStoreLaws, ...eventRestoreLaws])
  await keep(name, check(stores))
for (const { name, check } of inTransactionLaws) await keep(name, check(withRows))
for (const { name, check } of readModelLaws) await keep(name, check(readModels))
for (const { name, check } of webhookCursorLaws) await keep(name, check(cursors))
process.stdout.write(`${kept} laws kept\n`, () => process.exit())

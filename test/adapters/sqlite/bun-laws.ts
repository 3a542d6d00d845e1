// Run by Bun, with an empty folder as its argument: prints how many laws its SQLite keeps, or what it breaks.
// @ts-expect-error There are no types of Bun here.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { openSqlite, sqliteCursors } from '../../../src/adapters/sqlite/index.js'
import {
  eventRestoreLaws,
  eventStoreLaws,
  readModelLaws,
  sqliteHandleLaws,
  webhookCursorLaws,
} from '../../../src/laws/index.js'
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

const handleOf = (file: string) => new Database(file)
const handles = homeOf(handleOf)
const stores = homeOf(async (file) => openSqlite(handleOf(file)).store)
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
for (const { name, check } of readModelLaws) await keep(name, check(readModels))
for (const { name, check } of webhookCursorLaws) await keep(name, check(cursors))
process.stdout.write(`${kept} laws kept\n`, () => process.exit())

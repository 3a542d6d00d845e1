import { timeOf } from 'claviger'
import { type Command, type CommandCall, optional, print, versionOfPackage } from '../command.js'
import { addressOf, DATABASE, type Database, isPostgres, openDatabase } from '../database.js'

export const doctor: Command = {
  help: `Usage: claviger doctor [options]

Shows versions, schema, driver, number of events, and how far behind the read
model is. It reads no events; 'claviger verify' does. Exits with 2 when the read
model is ahead of the log, as after restoring only one of them.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --json          the findings as a line of JSON`,
  options: DATABASE,
  positionals: [0, 0],
  run: async (call) => {
    await using database = await openDatabase(call)
    const findings = await examine(call, database)
    const lines = Object.entries(findings).map(([name, value]) => `${name.padEnd(12)}${value}`)
    await print(call, findings, ...lines)
    return 'fault' in findings ? 2 : 0
  },
}

const examine = async (call: CommandCall, { store, readModel, engine }: Database) => {
  const isServer = isPostgres(addressOf(call) ?? '')
  // In this order: what is recorded meanwhile does not make the read model look ahead.
  const checkpoint = await readModel.checkpoint()
  const behind = await store.countAfter(checkpoint)
  const [next] = await store.readAll(checkpoint, 1)
  const head = await store.lastPosition()
  return {
    claviger: versionOfPackage(),
    node: process.versions.node,
    database: engine?.server ?? `SQLite ${process.versions['sqlite']}`,
    ...(isServer && { schema: optional(call, 'schema') ?? 'claviger' }),
    // Others are refused when the database is opened.
    tables: 'up to date',
    events: await store.countAfter(0n),
    head: String(head),
    ...(head > 0n && { recorded: timeOf(head).toISOString() }),
    readModel: String(checkpoint),
    behind,
    ...(next && { since: timeOf(next.position).toISOString() }),
    driver: engine?.driver ?? 'node:sqlite',
    ...(checkpoint > head && { fault: 'The read model is ahead of the log: rebuild it' }),
  }
}

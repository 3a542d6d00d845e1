import { createRequire } from 'node:module'
import { type Command, DATABASE, optional } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { isPostgres } from '../running/mask.js'
import { openIam } from '../running/secrets.js'

export const doctor: Command = {
  help: `Usage: claviger doctor [options]

Looks at the database: versions, schema, the length of the log, how far the read
model has come, and whether the log can be read to its end.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --json          the findings as a line of JSON`,
  options: DATABASE,
  positionals: [0, 0],
  run: async (call) => {
    const { values, terminal } = call
    const address = optional(call, 'db') ?? process.env['CLAVIGER_DB'] ?? ''
    const database = await openDatabase(call)
    try {
      const { store, readModel } = database
      let [events, head] = [0, 0n]
      for await (const { position } of openIam(database).subscribe({ until: 'head' })) {
        events += 1
        head = position
        if (events % 1_000 === 0) terminal.progress(`${events} events read`)
        if (call.signal.aborted) return 1
      }
      const checkpoint = await readModel.checkpoint()
      const behind = (await store.readAll(checkpoint, 1_000)).length
      const findings = {
        claviger: versionOfPackage(),
        node: process.versions.node,
        database: isPostgres(address) ? 'PostgreSQL' : 'SQLite',
        schema: optional(call, 'schema') ?? (isPostgres(address) ? 'claviger' : 'main'),
        events,
        head: String(head),
        readModel: String(checkpoint),
        behind: behind === 1_000 ? '1000 or more' : behind,
      }
      for (const line of values['json']
        ? [JSON.stringify(findings)]
        : Object.entries(findings).map(([name, value]) => `${name.padEnd(10)} ${value}`))
        await terminal.print(line)
      return 0
    } finally {
      await database.close()
    }
  },
}

/** Of the package that this file lies in, in `dist`. */
const versionOfPackage = (): string =>
  String(createRequire(import.meta.url)('../package.json').version)

import { formatPlan, toJson } from 'claviger'
import { type Command, DATABASE, Failed, required } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { readDesired } from '../running/desired.js'
import { contextOf, KEYS, openCipher, openIam } from '../running/secrets.js'
import { unwrap } from '../running/unwrap.js'

export const apply: Command = {
  help: `Usage: claviger apply FILE --org ORG [options]

Brings an organization to a desired state in JSON, and shows what was changed.
Applied again, it changes nothing.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --create        creates the database when it is not there
  --org ORG       the organization
  --user USER     who is on record for it; claviger-cli when absent
  --keys FILE     keys that seal secrets; else CLAVIGER_KEYS_FILE
  --json          what was applied as a line of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    org: { type: 'string' },
    user: { type: 'string' },
    create: { type: 'boolean' },
  },
  positionals: [1, 1],
  run: async (call) => {
    const [file = ''] = call.positionals
    const context = contextOf(call, required(call, 'org'))
    const desired = await readDesired(file)
    const cipher = await openCipher(call)
    if (!cipher && desired.identityProviders?.length)
      throw new Failed('Identity providers have secrets to seal: give --keys FILE')
    const database = await openDatabase(call, { create: call.values['create'] === true })
    try {
      const applied = unwrap(await openIam(database, cipher).apply(desired, context))
      const { json } = call.values
      await call.terminal.print(json ? JSON.stringify(toJson(applied)) : formatPlan(applied))
      return 0
    } finally {
      await database.close()
    }
  },
}

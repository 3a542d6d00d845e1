import { formatPlan, toJson } from 'claviger'
import { type Command, DATABASE, required } from '../../running/command.js'
import { openDatabase } from '../../running/database.js'
import {
  contextOf,
  KEYS,
  openCipher,
  openIam,
  progressOf,
  requireCipher,
} from '../../running/secrets.js'
import { unwrap } from '../../running/unwrap.js'
import { readDesired } from './desired.js'

export const apply: Command = {
  help: `Usage: claviger apply FILE --org ORG [options]

Brings an organization to a desired state in JSON, and shows what was changed.
Applied again, it changes nothing, or goes on after an interruption. Exits with
2 when objects are blocked.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; claviger when absent
  --create        creates the database, or brings its tables up to date
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
    const hasProviders = (desired.identityProviders ?? []).length > 0
    const cipher = await (hasProviders ? requireCipher : openCipher)(call)
    await using database = await openDatabase(call, { create: call.values['create'] === true })
    const iam = openIam(database, cipher, progressOf(call))
    const applied = unwrap(await iam.apply(desired, context))
    const { json } = call.values
    await call.terminal.print(json ? JSON.stringify(toJson(applied)) : formatPlan(applied))
    return (applied.counts.blocked ?? 0) > 0 ? 2 : 0
  },
}

import { aesGcmCipher, formatPlan, type SecretCipher, toJson } from 'claviger'
import { type Command, DATABASE, required } from '../../running/command.js'
import { openDatabase } from '../../running/database.js'
import { contextOf, KEYS, openCipher, openIam, progressOf } from '../../running/secrets.js'
import { unwrap } from '../../running/unwrap.js'
import { readDesired } from './desired.js'

export const plan: Command = {
  help: `Usage: claviger plan FILE --org ORG [options]

Shows what 'claviger apply' would change, and records nothing. FILE is a desired
state in JSON. Exits with 2 when there are changes, or objects that are blocked.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; claviger when absent
  --org ORG       the organization
  --keys FILE     compares secrets with these keys; else CLAVIGER_KEYS_FILE
  --json          the plan as a line of JSON`,
  options: { ...DATABASE, ...KEYS, org: { type: 'string' } },
  positionals: [1, 1],
  run: async (call) => {
    const [file = ''] = call.positionals
    const context = contextOf(call, required(call, 'org'))
    const desired = await readDesired(file)
    const cipher = (await openCipher(call)) ?? passingCipher()
    await using database = await openDatabase(call)
    const iam = openIam(database, cipher, progressOf(call))
    const planned = unwrap(await iam.plan(desired, context))
    const { json } = call.values
    await call.terminal.print(json ? JSON.stringify(toJson(planned)) : formatPlan(planned))
    const { add, update, remove, blocked = 0 } = planned.counts
    return add + update + remove + blocked > 0 ? 2 : 0
  },
}

/**
 * Seals with a key that nobody keeps: a plan seals declared secrets, and this one is not recorded. It opens no stored
 * secret, so every declared one counts as a change.
 */
const passingCipher = (): SecretCipher =>
  aesGcmCipher({ current: 'none', keys: { none: crypto.getRandomValues(new Uint8Array(32)) } })

import {
  aesGcmCipher,
  type DesiredAccess,
  formatPlan,
  orThrow,
  readAccess,
  type SecretCipher,
  toJson,
} from 'claviger'
import { type Command, print, readJson, required } from '../command.js'
import {
  contextOf,
  DATABASE,
  KEYS,
  openCipher,
  openDatabase,
  openIam,
  progressOf,
  RECORDING,
  requireCipher,
  writingContextOf,
} from '../database.js'

export const plan: Command = {
  help: `Usage: claviger plan FILE --org ORG [options]

Shows what 'claviger apply' would change, and records nothing. FILE is a desired
state in JSON. Exits with 2 when there are changes, or objects that are blocked.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
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
    const planned = await orThrow(iam.plan(desired, context))
    // No command applies a plan, so the desired state with its sealed secrets is not printed.
    const { desired: _, ...printed } = planned
    await print(call, toJson(printed), ...formatPlan(planned).split('\n'))
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

export const apply: Command = {
  help: `Usage: claviger apply FILE --org ORG [options]

Applies a desired state in JSON to an organization, and shows the changes.
Running it again changes nothing, or continues after an interruption. Exits with
2 when objects are blocked.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --create        creates the database, or brings its tables up to date
  --org ORG       the organization
  --user USER     the actor in the history; default: claviger-cli
  --reason TEXT   why; shown in the history
  --keys FILE     keys that encrypt secrets; else CLAVIGER_KEYS_FILE
  --json          what was applied as a line of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    ...RECORDING,
    org: { type: 'string' },
    create: { type: 'boolean' },
  },
  positionals: [1, 1],
  run: async (call) => {
    const [file = ''] = call.positionals
    const context = writingContextOf(call, required(call, 'org'))
    const desired = await readDesired(file)
    const hasProviders = (desired.identityProviders ?? []).length > 0
    const cipher = await (hasProviders ? requireCipher : openCipher)(call)
    await using database = await openDatabase(call, { create: call.values['create'] === true })
    const iam = openIam(database, cipher, progressOf(call))
    const applied = await orThrow(iam.apply(desired, context))
    await print(call, toJson(applied), ...formatPlan(applied).split('\n'))
    return (applied.counts.blocked ?? 0) > 0 ? 2 : 0
  },
}

/** The desired state in a file. @throws Failed */
const readDesired = async (file: string): Promise<DesiredAccess> =>
  orThrow(readAccess(await readJson(file)))

import { type HistoryEntry, type ObjectRef, toJson } from 'claviger'
import { type Command, DATABASE, required, UsageError } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { contextOf, openIam } from '../running/secrets.js'
import { unwrap } from '../running/unwrap.js'

/** The ids of each type, in the order of the command line. */
const IDS: Readonly<Record<ObjectRef['type'], readonly string[]>> = {
  project: ['id'],
  project_role: ['projectId', 'roleKey'],
  identity_provider: ['idpId'],
  project_grant: ['projectId', 'grantedOrgId'],
  user_grant: ['userId', 'projectId', 'projectOrgId'],
  domain: ['domain'],
}

export const history: Command = {
  help: `Usage: claviger history --org ORG [TYPE ID…] [options]

Prints who changed what in an organization, oldest first, field by field.
TYPE and its ids name one object:

  project ID                     project_role PROJECT KEY
  identity_provider ID           project_grant PROJECT ORGANIZATION
  user_grant USER PROJECT        domain DOMAIN

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --json          a line of JSON for each change`,
  options: { ...DATABASE, org: { type: 'string' } },
  positionals: [0, 4],
  run: async (call) => {
    const { values, terminal } = call
    const context = contextOf(call, required(call, 'org'))
    const object = objectOf(call.positionals)
    const database = await openDatabase(call)
    try {
      const iam = openIam(database)
      let after: bigint | undefined
      do {
        const page = unwrap(await iam.history.list({ object, after, limit: 1_000 }, context))
        for (const entry of page.items)
          for (const line of values['json'] ? [JSON.stringify(toJson(entry))] : shown(entry))
            await terminal.print(line)
        after = page.nextAfter
      } while (after !== undefined && !call.signal.aborted)
      return 0
    } finally {
      await database.close()
    }
  },
}

const objectOf = ([type, ...ids]: readonly string[]): ObjectRef | undefined => {
  if (type === undefined) return undefined
  const names = Object.hasOwn(IDS, type) ? IDS[type as ObjectRef['type']] : undefined
  if (!names) throw new UsageError(`${type} is no type: ${Object.keys(IDS).join(', ')}`)
  const isEnough = ids.length === names.length || (type === 'user_grant' && ids.length === 2)
  if (!isEnough) throw new UsageError(`${type} needs: ${names.join(' ')}`)
  // Cast: the ids are those of the type.
  return { type, ...Object.fromEntries(ids.map((id, at) => [names[at], id])) } as ObjectRef
}

const shown = (entry: HistoryEntry): readonly string[] => {
  const { sequence, time, actor, type, object, changes } = entry
  const { type: _, ...ids } = object
  const head = [sequence, time.toISOString(), type, Object.values(ids).join(' '), actor.userId]
  return [
    head.join('  '),
    ...changes.map((change) => `    ${shownChange(toJson(change) as object)}`),
  ]
}

const shownChange = (change: object): string => {
  const { field, from, to, secret }: Record<string, unknown> = { ...change }
  if (secret !== undefined) return `${field}: ${secret}`
  const begin = from === undefined ? '' : `${JSON.stringify(from)} → `
  return `${field}: ${begin}${JSON.stringify(to ?? null)}`
}

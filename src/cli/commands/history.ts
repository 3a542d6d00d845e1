import { type FieldChange, type HistoryEntry, type ObjectRef, toJson } from 'claviger'
import { type Command, required, UsageError, unwrap } from '../command.js'
import { contextOf, DATABASE, openDatabase, openIam, progressOf } from '../database.js'
import type { Line } from '../terminal.js'

/** The ids of each type, in the order of the command line. */
const IDS: Readonly<Record<ObjectRef['type'], readonly string[]>> = {
  project: ['id'],
  project_role: ['projectId', 'roleKey'],
  identity_provider: ['idpId'],
  project_grant: ['projectId', 'grantedOrgId'],
  user_grant: ['userId', 'projectId', 'projectOrgId'],
  domain: ['domain'],
  role_mapping: ['idpId', 'group', 'projectId', 'projectOrgId'],
  membership: ['idpId', 'userId'],
  setup_link: ['linkId'],
}

const PAGE = 1_000

export const history: Command = {
  help: `Usage: claviger history --org ORG [TYPE ID…] [options]

Prints who changed what in an organization, oldest first, field by field.
TYPE and its ids name one object:

  project ID                     project_role PROJECT KEY
  identity_provider ID           project_grant PROJECT ORG
  user_grant USER PROJECT [ORG]  domain DOMAIN
  membership IDP USER            setup_link ID
  role_mapping IDP GROUP PROJECT [ORG]

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --org ORG       the organization
  --json          a line of JSON for each change`,
  options: { ...DATABASE, org: { type: 'string' } },
  positionals: [0, 5],
  run: async (call) => {
    const { values, terminal, signal } = call
    const context = contextOf(call, required(call, 'org'))
    const object = objectOf(call.positionals)
    await using database = await openDatabase(call)
    const iam = openIam(database, undefined, progressOf(call))
    let after: bigint | undefined
    do {
      const page = unwrap(await iam.history.list({ object, after, limit: PAGE }, context))
      for (const entry of page.items) {
        if (signal.aborted) return 0
        await (values['json']
          ? terminal.printJson(toJson(entry))
          : terminal.print(...shownEntry(entry)))
      }
      after = page.nextAfter
    } while (after !== undefined)
    return 0
  },
}

const objectOf = ([type, ...ids]: readonly string[]): ObjectRef | undefined => {
  if (type === undefined) return undefined
  const names = Object.hasOwn(IDS, type) ? IDS[type as ObjectRef['type']] : undefined
  if (!names) throw new UsageError(`${type} is not a type: ${Object.keys(IDS).join(', ')}`)
  // The organization that owns a project comes last, and may be left out.
  const isShort = names.at(-1) === 'projectOrgId' && ids.length === names.length - 1
  const isEnough = ids.length === names.length || isShort
  if (!isEnough) throw new UsageError(`${type} needs: ${names.join(' ')}`)
  // Cast: the ids have the names of the type's ids.
  return { type, ...Object.fromEntries(ids.map((id, at) => [names[at], id])) } as ObjectRef
}

/** A change, field by field. */
export const shownEntry = (entry: HistoryEntry): readonly Line[] => {
  const { sequence, time, actor, type, object, changes, reason } = entry
  const { type: _, ...ids } = object
  return [
    [
      `${sequence}  ${time.toISOString()}  `,
      { bold: type },
      `  ${Object.values(ids).join(' ')}  ${actor.userId}`,
    ],
    ...(reason === undefined ? [] : [`    reason: ${reason}`]),
    ...changes.map((change) => `    ${shownChange(change)}`),
  ]
}

const shownChange = (change: FieldChange): string => {
  // No more is known of a secret.
  if ('changed' in change) return `${change.field}: (changed)`
  const { field, from, to } = change
  const begin = from === undefined ? '' : `${shownValue(from)} -> `
  return `${field}: ${begin}${shownValue(to)}`
}

const shownValue = (value: unknown): string => JSON.stringify(toJson(value))

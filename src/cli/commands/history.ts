import { type FieldChange, type HistoryEntry, items, type ObjectRef, toJson } from 'claviger'
import { OBJECT_IDS } from 'claviger/domain'
import {
  type Command,
  type CommandCall,
  optional,
  print,
  required,
  timeOption,
  UsageError,
} from '../command.js'
import { contextOf, DATABASE, openDatabase, openIam, progressOf } from '../database.js'
import type { Line } from '../terminal.js'

/** All types of object. Those that are looked up most come first. */
const TYPES = [...new Set(['project', 'project_role', ...Object.keys(OBJECT_IDS)])]

/**
 * The names of the ids of a type, in the order in which they are typed; undefined for an unknown type. A resource is an
 * option.
 */
const idsOf = (type: string): readonly string[] | undefined =>
  new Map<string, readonly string[]>(Object.entries(OBJECT_IDS))
    .get(type)
    ?.filter((name) => name !== 'resource')

/** How an object is named in the help, such as `project_role PROJECT KEY`. */
const usageOf = (type: string): string => {
  const names = idsOf(type) ?? []
  const words = names.map((name) => {
    if (names.length === 1 && name.endsWith('Id')) return 'ID'
    // `grantedOrgId` is an ORG, `roleKey` a KEY.
    const [word = name] = /[A-Z]?[a-z]+$/.exec(name.replace(/Id$/, '')) ?? []
    return name === 'projectOrgId' ? '[ORG]' : word.toUpperCase()
  })
  return [type, ...words].join(' ')
}

const COLUMN = 31

/** The usages of all types: two in a line, and below them those that are too wide for that. */
const usages = (): string => {
  const all = TYPES.map(usageOf)
  const narrow = all.filter(({ length }) => length < COLUMN)
  const pairs = narrow.flatMap((left, at) =>
    at % 2 === 0 ? `${left.padEnd(COLUMN)}${narrow[at + 1] ?? ''}`.trimEnd() : [],
  )
  const wide = all.filter((usage) => !narrow.includes(usage))
  return [...pairs, ...wide].map((line) => `  ${line}`).join('\n')
}

const PAGE = 1_000

export const history: Command = {
  help: `Usage: claviger history --org ORG [TYPE ID…] [options]

Prints who changed what in an organization, oldest first, field by field.
TYPE and its ids name one object:

${usages()}

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --org ORG       the organization
  --actor USER    only changes by one user
  --resource ID   the grant or mapping on that resource
  --since TIME    only changes since a time, such as 2026-03-01T00:00:00Z
  --until TIME    only changes before a time
  --json          a line of JSON for each change`,
  options: {
    ...DATABASE,
    org: { type: 'string' },
    actor: { type: 'string' },
    resource: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
  },
  positionals: [0, 1 + Math.max(...Object.values(OBJECT_IDS).map((ids) => ids.length))],
  run: async (call) => {
    const { signal } = call
    const context = contextOf(call, required(call, 'org'))
    const query = {
      object: objectOf(call.positionals, optional(call, 'resource')),
      actor: optional(call, 'actor'),
      time: rangeOf(call),
      limit: PAGE,
    }
    await using database = await openDatabase(call)
    const iam = openIam(database, undefined, progressOf(call))
    for await (const entry of items(iam.history.list, query, context)) {
      if (signal.aborted) return 0
      await print(call, toJson(entry), ...entryLines(entry))
    }
    return 0
  },
}

/** The time between `--since` and `--until`; undefined without either. */
const rangeOf = (call: CommandCall) => {
  const [from, to] = [timeOption(call, 'since'), timeOption(call, 'until')]
  return from || to ? { from, to } : undefined
}

const objectOf = (
  [type, ...ids]: readonly string[],
  resource: string | undefined,
): ObjectRef | undefined => {
  if (type === undefined) {
    if (resource !== undefined)
      throw new UsageError('--resource needs a user_grant or role_mapping')
    return undefined
  }
  const names = idsOf(type)
  if (!names) throw new UsageError(`${type} is not a type: ${TYPES.join(', ')}`)
  // The organization that owns a project comes last, and may be left out.
  const isShort = names.at(-1) === 'projectOrgId' && ids.length === names.length - 1
  const isEnough = ids.length === names.length || isShort
  if (!isEnough) throw new UsageError(`${type} needs: ${names.join(' ')}`)
  // Cast: the ids have the names of the type's ids.
  const named = Object.fromEntries(ids.map((id, at) => [names[at], id]))
  return { type, ...named, ...(resource !== undefined && { resource }) } as ObjectRef
}

/** A change, field by field. */
export const entryLines = (entry: HistoryEntry): readonly Line[] => {
  const { sequence, time, actor, type, object, changes, reason } = entry
  const { type: _, ...ids } = object
  return [
    [
      `${sequence}  ${time.toISOString()}  `,
      { bold: type },
      `  ${Object.values(ids).join(' ')}  ${actor.userId}`,
    ],
    ...(reason === undefined ? [] : [`    reason: ${reason}`]),
    ...changes.map((change) => `    ${formatChange(change)}`),
  ]
}

const formatChange = (change: FieldChange): string => {
  // No more is known of a secret.
  if ('changed' in change) return `${change.field}: (changed)`
  const { field, from, to } = change
  const begin = from === undefined ? '' : `${formatValue(from)} -> `
  return `${field}: ${begin}${formatValue(to)}`
}

const formatValue = (value: unknown): string => JSON.stringify(toJson(value))

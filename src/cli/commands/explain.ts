import { type AccessCause, type AccessExplanation, orThrow, toJson } from 'claviger'
import { type Command, optional, print, required, timeOption } from '../command.js'
import { contextOf, DATABASE, openDatabase, openIam, progressOf } from '../database.js'
import type { Line } from '../terminal.js'
import { entryLines } from './history.js'

export const explain: Command = {
  help: `Usage: claviger explain --org ORG USER PROJECT ROLE [OWNER] [options]

Prints whether a role counts for a user of an organization, and the changes
that led to it, oldest first. OWNER is the organization that owns the project,
if it is another one.

  --resource ID   on that resource; default: on the whole project
  --at TIME       at that time, such as 2026-03-31T23:59:59Z; default: now
  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --org ORG       the organization of the user
  --json          one JSON object`,
  options: {
    ...DATABASE,
    org: { type: 'string' },
    resource: { type: 'string' },
    at: { type: 'string' },
  },
  positionals: [3, 4],
  run: async (call) => {
    const context = contextOf(call, required(call, 'org'))
    const [userId = '', projectId = '', roleKey = '', projectOrgId] = call.positionals
    const at = timeOption(call, 'at')
    await using database = await openDatabase(call)
    const iam = openIam(database, undefined, progressOf(call))
    const resource = optional(call, 'resource')
    const input = { userId, projectId, roleKey, projectOrgId, resource, at }
    const explained = await orThrow(iam.access.explain(input, context))
    await print(call, toJson(explained), ...explanationLines(explained))
    return 0
  },
}

const explanationLines = ({ allowed, reasons, because }: AccessExplanation): readonly Line[] => {
  const verdict = allowed ? 'allowed' : `denied: ${reasons.map(({ kind }) => kind).join(', ')}`
  return [[{ bold: verdict }], ...because.flatMap(causeLines)]
}

const causeLines = (cause: AccessCause): readonly Line[] =>
  // The changes of another organization have no more.
  'object' in cause
    ? entryLines(cause)
    : [[cause.sequence, cause.time.toISOString(), cause.type].join('  ')]

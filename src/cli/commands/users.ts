import { type Iam, items, type Source, toJson, type UserRoles } from 'claviger'
import { cellOf } from '../../csv.js'
import { type Command, optional, print, required, timeOption, UsageError } from '../command.js'
import { contextOf, DATABASE, openDatabase, openIam, progressOf } from '../database.js'

const PAGE = 1_000

const ASKED = { ...DATABASE, org: { type: 'string' }, at: { type: 'string' } } as const

export const users: Command = {
  help: `Usage: claviger users --org ORG [USER…] [options]

Prints the users of an organization with the roles that count: by grants and by
groups, of its own and of granted projects. A line for each role.

  --project ID       only roles of this project
  --owner ORG        only roles of projects of this organization
  --resource ID      only roles on this resource, or on the whole --project
  --role KEY         only this role
  --permission NAME  only roles that have this permission
  --at TIME          at that time, such as 2026-03-31T23:59:59Z; default: now
  --db ADDRESS       SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME      schema of PostgreSQL; default: claviger
  --org ORG          the organization
  --json             a line of JSON for each user`,
  options: {
    ...ASKED,
    project: { type: 'string' },
    owner: { type: 'string' },
    resource: { type: 'string' },
    role: { type: 'string' },
    permission: { type: 'string' },
  },
  positionals: [0, 1_000],
  run: async (call) => {
    const { positionals, signal } = call
    const context = contextOf(call, required(call, 'org'))
    const input = {
      userIds: positionals.length > 0 ? positionals : undefined,
      projectId: optional(call, 'project'),
      projectOrgId: optional(call, 'owner'),
      resource: optional(call, 'resource'),
      roleKey: optional(call, 'role'),
      permission: optional(call, 'permission'),
      at: timeOption(call, 'at'),
      pageSize: PAGE,
    }
    await using database = await openDatabase(call)
    const iam = openIam(database, undefined, progressOf(call))
    for await (const user of items(iam.access.users, input, context)) {
      if (signal.aborted) return 0
      await print(call, toJson(user), ...rowsOf(user, context.caller.orgId).map(formatRow))
    }
    return 0
  },
}

export const review: Command = {
  help: `Usage: claviger review --org ORG [options]

Prints who has which role, for an access review: the users of an organization,
and the users of other organizations who have roles of its projects.

  --at TIME       at that time, such as 2026-03-31T23:59:59Z; default: now
  --csv           comma-separated values, for a spreadsheet
  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --org ORG       the organization
  --json          a line of JSON for each role`,
  options: { ...ASKED, csv: { type: 'boolean' } },
  positionals: [0, 0],
  run: async (call) => {
    const { values, terminal, signal } = call
    const context = contextOf(call, required(call, 'org'))
    const at = timeOption(call, 'at')
    if (values['csv'] && values['json']) throw new UsageError('Give either --csv or --json')
    await using database = await openDatabase(call)
    const iam = openIam(database, undefined, progressOf(call))
    if (values['csv']) await terminal.print(COLUMNS.join(','))
    for await (const row of reviewed(iam, at, context)) {
      if (signal.aborted) return 0
      if (values['json']) await terminal.printJson(row)
      else if (values['csv'])
        await terminal.print(COLUMNS.map((name) => cellOf(row[name])).join(','))
      else await terminal.print(formatRow(row))
    }
    return 0
  },
}

const COLUMNS = [
  'orgId',
  'userId',
  'projectOrgId',
  'projectId',
  'resource',
  'roleKey',
  'via',
  'since',
  'expiresAt',
] as const

/** A role of a user in texts; `resource` is empty for the whole project, `expiresAt` for a role without an end. */
type ReviewRow = Readonly<Record<(typeof COLUMNS)[number], string>>

async function* reviewed(
  { access }: Iam,
  at: Date | undefined,
  context: ReturnType<typeof contextOf>,
): AsyncGenerator<ReviewRow> {
  const { orgId } = context.caller
  const input = { at, pageSize: PAGE }
  for await (const user of items(access.users, input, context)) yield* rowsOf(user, orgId)
  for await (const { projectId = '', from, ...holder } of items(access.whoHas, input, context))
    if (holder.orgId !== orgId)
      yield rowOf({ ...holder, projectId, projectOrgId: orgId, since: from })
}

const rowsOf = ({ userId, roles }: UserRoles, orgId: string): readonly ReviewRow[] =>
  roles.map((role) => rowOf({ ...role, userId, orgId }))

const rowOf = ({
  via,
  since,
  expiresAt,
  resource = '',
  ...ids
}: Pick<ReviewRow, 'orgId' | 'userId' | 'projectOrgId' | 'projectId' | 'roleKey'> & {
  readonly via: Source
  readonly since: Date
  readonly expiresAt?: Date
  readonly resource?: string
}): ReviewRow => ({
  orgId: ids.orgId,
  userId: ids.userId,
  projectOrgId: ids.projectOrgId,
  projectId: ids.projectId,
  resource,
  roleKey: ids.roleKey,
  via: via === 'grant' ? via : `${via.idpId}: ${via.group}`,
  since: since.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? '',
})

const formatRow = ({
  orgId,
  userId,
  projectOrgId,
  projectId,
  resource,
  roleKey,
  ...row
}: ReviewRow): string =>
  [
    `${orgId} ${userId}`,
    [projectOrgId, projectId, ...(resource === '' ? [] : [resource])].join(' '),
    roleKey,
    row.via,
    `since ${row.since}`,
    ...(row.expiresAt === '' ? [] : [`until ${row.expiresAt}`]),
  ].join('  ')

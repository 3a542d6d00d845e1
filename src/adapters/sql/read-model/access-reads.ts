import type {
  AccessQuery,
  FoundAccess,
  FoundProject,
  FoundRole,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  LostRole,
  Slice,
} from '../../../ports/access-reads.js'
import { timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead, ProjectRole, UserGrant } from '../../../ports/read-model.js'
import { compareCodePoints } from '../../../projections/row-order.js'
import { foundProject } from '../../../projections/rows.js'
import { type Dialect, find, type Integer, type Steps } from '../dialect.js'
import { accessStatement } from './access-statement.js'
import { heldRolesStatement, holdersStatement } from './counting-statements.js'
import type { Positions } from './reads.js'

type State = FoundProject['state']

/** What a check of one user and one project goes by, and how far the read model is. */
export function* readAccess(dialect: Dialect, query: AccessQuery): Steps<FoundAtHead<FoundAccess>> {
  type Found = readonly [
    ...Positions,
    project: string | null,
    projectGrant: State | null,
    userGrant: string | null,
    roles: string,
  ]
  const [found] = yield* find<Found>(accessStatement(dialect, query))
  const [head, reached, project, projectGrant, userGrant, roles] = found ?? NOTHING
  return {
    ...positions([head, reached]),
    found: {
      project: project === null ? undefined : foundProject(JSON.parse(project)),
      projectGrant: projectGrant ?? undefined,
      ...grantOf(userGrant === null ? undefined : JSON.parse(userGrant), JSON.parse(roles)),
    },
  }
}

const NOTHING = [null, null, null, null, null, '[]'] as const

const positions = ([head, reached]: Positions) => ({
  head: BigInt(head ?? 0),
  reached: BigInt(reached ?? 0),
})

/** The last assignment of a role, what ended it, and the body of the role. */
type LastOfRole = readonly [
  roleKey: string,
  expires: number | null,
  endedWith: string | null,
  body: string | null,
]

const grantOf = (
  grant: UserGrant | undefined,
  stored: readonly LastOfRole[],
): Pick<FoundAccess, 'userGrant' | 'roles' | 'lost'> => {
  const last = new Map(stored.map((each) => [each[0], each]))
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const { roleKey } of grant?.roles ?? []) {
    const [, expires = null, endedWith, body = null] = last.get(roleKey) ?? []
    if (endedWith === null) roles.push({ roleKey, ...shownRole(body), ...expiry(expires) })
    else lost.push({ roleKey, with: endedWith === 'project_role' ? 'role' : 'project_grant' })
  }
  return { userGrant: grant?.state, roles: roles.sort(byRole), lost }
}

const byRole = (one: FoundRole, other: FoundRole): number =>
  compareCodePoints(one.roleKey, other.roleKey)

/** How a role is shown, by its body; with empty texts when there is no such role. */
const shownRole = (body: string | null): Pick<FoundRole, 'displayName' | 'group'> => {
  if (body === null) return { displayName: '', group: '' }
  const { displayName, group }: ProjectRole = JSON.parse(body)
  return { displayName, group }
}

const expiry = (expires: Integer) =>
  expires === null ? {} : { expiresAt: new Date(Number(expires)) }

type HeldRow = readonly [
  ...Positions,
  scope: string,
  role: string,
  expires: Integer,
  body: string | null,
]

/** A page of the roles of a user that count, and how far the read model is. */
export function* readHeldRoles(
  dialect: Dialect,
  query: HeldRolesQuery,
): Steps<FoundAtHead<Slice<HeldRole>>> {
  const rows = yield* find<HeldRow | NoRow>(heldRolesStatement(dialect, query))
  return sliceOf<HeldRow, HeldRole>(rows, query.limit, ([, , scope, roleKey, expires, body]) => {
    const [projectOrgId = '', projectId = ''] = scope.split('+')
    return { projectId, projectOrgId, roleKey, ...shownRole(body), ...expiry(expires) }
  })
}

type HolderRow = readonly [
  ...Positions,
  role: string,
  org: string,
  user: string,
  expires: Integer,
  given: Integer,
]

/** A page of the users who have roles of a project that count, and how far the read model is. */
export function* readHolders(
  dialect: Dialect,
  query: HoldersQuery,
): Steps<FoundAtHead<Slice<Holder>>> {
  const rows = yield* find<HolderRow | NoRow>(holdersStatement(dialect, query))
  return sliceOf<HolderRow, Holder>(
    rows,
    query.limit,
    ([, , roleKey, orgId, userId, expires, given]) => ({
      userId,
      orgId,
      roleKey,
      ...expiry(expires),
      from: timeOf(BigInt(given ?? 0)),
    }),
  )
}

/** The positions when a page is empty. */
type NoRow = readonly [...Positions, null, ...nulls: readonly null[]]

const sliceOf = <Row extends readonly [...Positions, string, ...unknown[]], Item>(
  rows: readonly (Row | NoRow)[],
  limit: number,
  itemOf: (row: Row) => Item,
): FoundAtHead<Slice<Item>> => {
  const [first] = rows
  const found = rows.filter((row) => isRow<Row>(row))
  return {
    ...positions(first ? [first[0], first[1]] : [null, null]),
    found: { items: found.slice(0, limit).map(itemOf), hasMore: found.length > limit },
  }
}

const isRow = <Row extends readonly [...Positions, string, ...unknown[]]>(
  row: Row | NoRow,
): row is Row => row[2] !== null

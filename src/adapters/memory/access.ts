import type { AssignmentRange } from '../../domain/aggregate.js'
import type {
  AccessReads,
  Affected,
  AffectedQuery,
  AffectedRole,
  FoundAccess,
  FoundRole,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  Slice,
} from '../../ports/access-reads.js'
import { timeOf } from '../../ports/event-store.js'
import type { ProjectRole } from '../../ports/read-model.js'
import { compareCodePoints } from '../../projections/row-order.js'
import { ownerOf, projectScope } from '../../projections/rows.js'
import { holdsAt, type State, type StoredAssignment } from './rows.js'

/** The reads of who has which role, in the present state. */
export const accessIn = (present: () => State): AccessReads => ({
  access: async (query) => copyOfFound(present().access.access(query)),
  heldRoles: async (query) => heldRolesIn(present(), query),
  holders: async (query) => holdersIn(present(), query),
  affected: async (query) => affectedIn(present(), query),
})

/** A copy of what was found, so that no reader can change what others find. */
const copyOfFound = ({ project, roles, ...found }: FoundAccess): FoundAccess => ({
  ...found,
  project: project && { ...project },
  roles: roles.map((role) =>
    role.expiresAt ? { ...role, expiresAt: new Date(role.expiresAt) } : { ...role },
  ),
})

const heldRolesIn = (state: State, query: HeldRolesQuery): Slice<HeldRole> => {
  const { orgId, userId, projectId, at } = query
  const held: HeldRole[] = []
  for (const [scope, byRole] of state.assignments.allOf(orgId, userId)) {
    const projectOrgId = ownerOf(scope)
    const roleRows = state.rows.project_role.get(scope)
    for (const last of byRole.values()) {
      if (projectId !== undefined && last.projectId !== projectId) continue
      const assignment = assignedAt(last, at)
      if (!assignment || !counts(state, assignment, query)) continue
      const role = foundRole(assignment, roleRows?.get(assignment.roleKey))
      held.push({ projectId: assignment.projectId, projectOrgId, ...role })
    }
  }
  return sliceOf(held, query, (role) => [role.projectOrgId, role.projectId, role.roleKey])
}

const holdersIn = (state: State, query: HoldersQuery): Slice<Holder> => {
  const { orgId: projectOrgId, projectId, roleKey, permission, at } = query
  const { assignments } = state
  const scopes =
    projectId === undefined
      ? assignments.scopesOf(projectOrgId)
      : [projectScope(projectOrgId, projectId)]
  const holders: Holder[] = []
  for (const scope of scopes) {
    const allowing =
      permission === undefined ? undefined : assignments.allowing(scope, permission, at)
    for (const last of assignments.inScope(scope, roleKey)) {
      const assignment = assignedAt(last, at)
      if (!assignment) continue
      const { userId, orgId, expiresAt, given } = assignment
      if (userId === undefined || userId !== (query.userId ?? userId)) continue
      if (allowing?.has(assignment.roleKey) === false) continue
      if (!counts(state, assignment, query)) continue
      holders.push({
        userId,
        orgId,
        ...(projectId === undefined && { projectId: assignment.projectId }),
        roleKey: assignment.roleKey,
        ...(expiresAt && { expiresAt: new Date(expiresAt) }),
        from: timeOf(given),
      })
    }
  }
  return sliceOf(holders, query, keyOfHolder)
}

/** A holder's place in the order. */
const keyOfHolder = ({ projectId, roleKey, orgId, userId }: Holder): readonly string[] =>
  projectId === undefined ? [roleKey, orgId, userId] : [projectId, roleKey, orgId, userId]

/** The assignment of the role of `last` that held at a position; the last one itself when that is absent. */
const assignedAt = (
  last: StoredAssignment,
  at: HeldRolesQuery['at'],
): StoredAssignment | undefined => {
  let found: StoredAssignment | undefined = last
  while (at !== undefined && found && found.from > at) found = found.before
  return found
}

const affectedIn = (state: State, query: AffectedQuery): Affected => {
  const { orgId: projectOrgId, projectId, roleKeys, userOrgId, asIfActive, limit } = query
  const project = { projectOrgId, projectId }
  const except =
    asIfActive && (userOrgId === undefined ? project : { ...project, orgId: userOrgId })
  const scope = projectScope(projectOrgId, projectId)
  const affected: AffectedRole[] = []
  for (const each of roleKeys ?? [undefined])
    for (const last of state.assignments.inScope(scope, each)) {
      const assignment = assignedAt(last, query.at)
      if (!assignment) continue
      const { orgId, userId, roleKey } = assignment
      if (userId === undefined || (userOrgId !== undefined && orgId !== userOrgId)) continue
      if (counts(state, assignment, query, except)) affected.push({ orgId, userId, roleKey })
    }
  const keyOf = ({ roleKey, orgId, userId }: AffectedRole) => [roleKey, orgId, userId]
  return { count: affected.length, first: sliceOf(affected, { limit }, keyOf).items }
}

/** Whether an assignment counts at a position, or as it is. @param except - counts as active */
const counts = (
  { assignments }: State,
  assignment: StoredAssignment,
  { now, at }: Pick<HoldersQuery, 'now' | 'at'>,
  except?: AssignmentRange,
): boolean =>
  holdsAt(assignment, at) &&
  (assignment.expiresAt === undefined || assignment.expiresAt > now) &&
  !assignments.isPaused(assignment, at, except)

const NO_PERMISSIONS: readonly string[] = Object.freeze([])

const foundRole = (assignment: StoredAssignment, row: ProjectRole | undefined): FoundRole => {
  const { roleKey, expiresAt } = assignment
  const { displayName = '', group = '', permissions = NO_PERMISSIONS } = row ?? {}
  const role = { roleKey, displayName, group, permissions }
  return expiresAt ? { ...role, expiresAt: new Date(expiresAt) } : role
}

/** The page of `items` after the one with the key `after`. */
const sliceOf = <Item>(
  items: readonly Item[],
  { after, limit }: { readonly after?: readonly string[]; readonly limit: number },
  keyOf: (item: Item) => readonly string[],
): Slice<Item> => {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  const following = after ? keyed.filter(({ key }) => compareKeys(key, after) > 0) : keyed
  const sorted = following.sort((one, other) => compareKeys(one.key, other.key))
  const page = sorted.slice(0, limit).map(({ item }) => item)
  return { items: page, hasMore: sorted.length > limit }
}

const compareKeys = (one: readonly string[], other: readonly string[]): number => {
  for (const [index, text] of one.entries()) {
    const compared = other[index]
    if (compared === undefined) throw new RangeError('`after` must have a text for each id or key')
    const difference = compareCodePoints(text, compared)
    if (difference !== 0) return difference
  }
  return 0
}

import type { AssignmentRange } from '../../domain/aggregate.js'
import { aggregates, byType } from '../../domain/aggregates.js'
import type { RoleSource } from '../../domain/facts.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import {
  type Assignment,
  type AssignmentStore,
  type Change,
  type Ending,
  holderOf,
  sourceKey,
  withHeld,
} from '../../projections/assignments.js'
import { type PresentAccess, presentAccess } from '../../projections/present-access.js'
import { countWhile } from '../../projections/row-order.js'
import { getOrAdd, projectScope, type RowStore } from '../../projections/rows.js'
import { withOwnTimes } from '../../projections/view-fields.js'
import { emptyMembers, type Members } from './members.js'
import { type SortedMap, sortedMap } from './sorted-map.js'

/** The data of a read model in memory. */
export interface State {
  checkpoint: Position
  /** By scope, then by key. */
  readonly rows: { readonly [Type in ViewType]: Map<string, SortedMap<Views[Type]>> }
  readonly assignments: Assignments
  readonly members: Members
  readonly access: PresentAccess
  /** By organization that received grants of projects: the scopes of those projects, also of grants that ended. */
  readonly received: Map<string, Set<string>>
  /** By verified domain: the organization. */
  readonly verified: Map<string, string>
  /** By organization. */
  readonly history: Map<string, History>
}

/** An event and the change it made. The history entry is made from them when it is read. */
export interface PastChange extends Change {
  readonly event: KnownEvent
}

/** The changes in one organization, oldest first. */
export interface History {
  readonly all: PastChange[]
  /**
   * Parts of `all`, up to `indexed`, because they are seldom read: of each object, by its stream; of each project and
   * its roles, by `with roles` and its stream; of each user's grants and memberships, by `user` and the id.
   */
  readonly parts: Map<string, PastChange[]>
  /** How many of `all` are in `parts`. */
  indexed: number
}

/** The state before the first event. */
export const emptyState = (): State => ({
  checkpoint: 0n,
  rows: byType((): Map<string, SortedMap<never>> => new Map()),
  assignments: emptyAssignments(),
  members: emptyMembers(),
  access: presentAccess(),
  received: new Map(),
  verified: new Map(),
  history: new Map(),
})

/** The rows of `state`, as events change them. */
export const rowStore = ({ rows, assignments, members, received, verified }: State): RowStore => ({
  ...assignments,
  ...members,
  get: (type, { scope, key }) => rows[type].get(scope)?.get(key),
  put: (type, { scope, key }, row) => {
    if (type === 'project_grant') getOrAdd(received, key, () => new Set()).add(scope)
    if (type === 'domain') {
      if (row?.state === 'verified') verified.set(key, scope)
      else if (verified.get(key) === scope) verified.delete(key)
    }
    if (row === undefined) rows[type].get(scope)?.delete(key)
    else getOrAdd<string, SortedMap<typeof row>>(rows[type], scope, sortedMap).set(key, row)
  },
  removeAll: (type, scope) => {
    if (type !== 'user_grant' && type !== 'role_mapping') rows[type].delete(scope)
    else
      for (const { orgId, userId, source } of assignments.inScope(scope)) {
        if (type === 'user_grant') rows.user_grant.get(orgId)?.delete(`${scope}+${userId}`)
        else if (source)
          rows.role_mapping.get(orgId)?.delete(`${source.idpId}+${scope}+${source.group}`)
      }
  },
  removeParts: (type, { scope, key }) => {
    const ofScope = rows[type].get(scope)
    const parts = ofScope?.from(`${key}+`, `${key}+`) ?? []
    for (const part of [...parts]) ofScope?.delete(part.key)
  },
})

/** `row` as it is shown, which shares dates with it: without the roles that have ended. */
export const shownRow = <Type extends ViewType>(
  { assignments }: State,
  type: Type,
  row: Views[Type],
): Views[Type] => {
  const { assignmentScope, assigns } = aggregates[type].assignments ?? {}
  if (!assignmentScope || !assigns) return row
  const range = assignmentScope(row, row.details.resourceOwner)
  return { ...row, ...withHeld(assigns, row, assignments.assigned(range)) }
}

/** A copy of `row`, so that no reader can change the stored one; dates cannot be frozen. */
export const copyOf = <Row extends Views[ViewType]>(type: ViewType, row: Row): Row => {
  const { creationDate, changeDate } = row.details
  return {
    ...withOwnTimes(type, row),
    details: {
      ...row.details,
      creationDate: new Date(creationDate),
      changeDate: new Date(changeDate),
    },
  }
}

/** An assignment, and its end if it has one. */
export interface StoredAssignment extends Assignment {
  until?: Position
  /** Type of the object whose event ended it. */
  with?: ViewType
  /** The assignment of the same role to the same organization or user before this one. */
  readonly before: StoredAssignment | undefined
}

/** A time during which something was inactive. */
type Suspension = Pick<StoredAssignment, 'from' | 'until'>

/** The assignments of the roles of one organization or user in one project. */
type ByRole = Map<string, StoredAssignment>

/** Those in all projects, by the scope of the project. */
type ByProject = Map<string, ByRole>

/** A time during which a role had a permission. */
interface Allowance extends Suspension {
  readonly roleKey: string
}

/** All assignments, past ones included, with the times of inactivity and of permissions of roles. */
export interface Assignments extends Omit<AssignmentStore, keyof Members> {
  /** The last assignment of each role of a project to an organization or a user, whether or not it has ended. */
  readonly lastOf: (range: AssignmentRange) => ReadonlyMap<string, StoredAssignment>
  /** The same, by the scope of the project. */
  readonly allOf: (orgId: string, userId: string) => ReadonlyMap<string, ByRole>
  /** The scopes of an organization's projects whose roles were ever assigned: those from `start` on, in order. */
  readonly scopesOf: (projectOrgId: string, start?: string) => Iterable<string>
  /**
   * The last assignment of each holder of roles in the project of a scope, of one role or of all, in the order of
   * {@link placeInScope}. The list begins at the place `start`.
   */
  readonly inScope: (scope: string, roleKey?: string, start?: string) => Iterable<StoredAssignment>
  /** The last assignment of each role of each project to a group. */
  readonly ofGroup: (group: RoleSource & { readonly orgId: string }) => Iterable<StoredAssignment>
  /** The last assignment of each role of each project to each group of a provider. */
  readonly ofProvider: (orgId: string, idpId: string) => Iterable<StoredAssignment>
  /**
   * Whether an object that covers the assignment, except one with a {@link placeOf}, was inactive right after the event
   * at a position.
   */
  readonly isPaused: (assignment: Assignment, at: Position | undefined, except?: string) => boolean
  /** Keys of the roles in a scope that had a permission right after the event at a position. */
  readonly allowing: (
    scope: string,
    permission: string,
    at: Position | undefined,
  ) => ReadonlySet<string>
}

/** No assignments yet. */
export const emptyAssignments = (): Assignments => {
  /** By organization, then by {@link holderOf}, then by scope. */
  const lasts = new Map<string, Map<string | undefined, ByProject>>()
  /** By scope, then by {@link placeInScope}: the last assignment. */
  const all = sortedMap<SortedMap<StoredAssignment>>()
  const suspensions = new Map<string, Suspension[]>()
  /** By scope, then by permission. */
  const allowances = new Map<string, Map<string, Allowance[]>>()

  const lastOf = (range: AssignmentRange): ReadonlyMap<string, StoredAssignment> => {
    const { orgId } = range
    if (orgId === undefined) throw new Error('Roles are assigned to an organization or a user')
    return lasts.get(orgId)?.get(holderOf(range))?.get(scopeOf(range)) ?? NO_ROLES
  }

  const inScope = function* (
    scope: string,
    roleKey?: string,
    start = '',
  ): Generator<StoredAssignment> {
    const ofRole = roleKey === undefined ? '' : `${roleKey}\0`
    for (const { value } of all.get(scope)?.from(start || ofRole, ofRole) ?? []) yield value
  }

  /** By organization and provider. */
  const groups = new Map<string, Set<string>>()

  const ofGroup = function* ({
    orgId,
    ...source
  }: RoleSource & { readonly orgId: string }): Generator<StoredAssignment> {
    for (const byRole of lasts.get(orgId)?.get(sourceKey(source))?.values() ?? [])
      yield* byRole.values()
  }

  const ofProvider = function* (orgId: string, idpId: string): Generator<StoredAssignment> {
    for (const group of groups.get(providerPlace(orgId, idpId)) ?? [])
      yield* ofGroup({ orgId, idpId, group })
  }

  /** The assignments that `ending` may end. */
  const candidates = function* (ending: Ending): Generator<StoredAssignment> {
    const { roleKey, roleKeys } = ending
    if (holderOf(ending) !== undefined) yield* lastOf(ending).values()
    else if (roleKeys) for (const each of roleKeys) yield* inScope(scopeOf(ending), each)
    else yield* inScope(scopeOf(ending), roleKey)
  }

  return {
    lastOf,
    allOf: (orgId, userId) => lasts.get(orgId)?.get(userId) ?? NO_PROJECTS,
    *scopesOf(projectOrgId, start = '') {
      const own = projectScope(projectOrgId, '')
      for (const { key } of all.from(start || own, own)) yield key
    },
    inScope,
    ofGroup,
    ofProvider,
    isPaused: (assignment, at, except) =>
      coversOf(assignment).some(
        (place) => place !== except && isAnyAt(suspensions.get(place) ?? [], at),
      ),
    allowing: (scope, permission, at) => {
      const all = allowances.get(scope)?.get(permission) ?? []
      return new Set(all.filter((each) => holdsAt(each, at)).map(({ roleKey }) => roleKey))
    },
    assigned: (range) => new Map([...lastOf(range)].filter(([, { until }]) => until === undefined)),
    mapped: (range) => {
      let since: Position | undefined
      for (const { source } of lastOf(range).values())
        if (source && (since === undefined || source.since > since)) since = source.since
      return since === undefined ? undefined : { since }
    },
    begin: (assignment) => {
      const { roleKey, orgId, source } = assignment
      const scope = scopeOf(assignment)
      const ofOrganization = getOrAdd(lasts, orgId, () => new Map<string | undefined, ByProject>())
      const ofHolder = getOrAdd(ofOrganization, holderOf(assignment), (): ByProject => new Map())
      const byRole = getOrAdd(ofHolder, scope, (): ByRole => new Map())
      const stored: StoredAssignment = { ...assignment, before: byRole.get(roleKey) }
      byRole.set(roleKey, stored)
      if (source)
        getOrAdd(groups, providerPlace(orgId, source.idpId), () => new Set()).add(source.group)
      const ofScope = all.get(scope) ?? sortedMap<StoredAssignment>()
      ofScope.set(placeInScope(assignment), stored)
      all.set(scope, ofScope)
    },
    end: (ending) => {
      const { roleKeys, orgId, until } = ending
      for (const stored of candidates(ending)) {
        const isMeant =
          (orgId === undefined || stored.orgId === orgId) &&
          (roleKeys === undefined || roleKeys.includes(stored.roleKey))
        if (!isMeant || stored.until !== undefined) continue
        stored.until = until
        stored.with = ending.with
      }
    },
    endMappings: (orgId, { idpId }, until) => {
      for (const stored of ofProvider(orgId, idpId)) {
        if (stored.until !== undefined) continue
        stored.until = until
        stored.with = 'identity_provider'
      }
    },
    pauseProvider: (orgId, { idpId }, from) => {
      getOrAdd(suspensions, providerPlace(orgId, idpId), () => []).push({ from })
    },
    resumeProvider: (orgId, { idpId }, until) => {
      const last = suspensions.get(providerPlace(orgId, idpId))?.at(-1)
      if (last) last.until ??= until
    },
    pause: (range, from) => {
      getOrAdd(suspensions, placeOf(range), () => []).push({ from })
    },
    resume: (range, until) => {
      const last = suspensions.get(placeOf(range))?.at(-1)
      if (last) last.until ??= until
    },
    allow: (range, permissions, from) => {
      const { roleKey } = range
      if (roleKey === undefined) throw new Error('Only roles have permissions')
      const ofScope = getOrAdd(allowances, scopeOf(range), () => new Map<string, Allowance[]>())
      for (const permission of permissions)
        getOrAdd(ofScope, permission, () => []).push({ roleKey, from })
    },
    disallow: (range, permissions, until) => {
      const ofScope = allowances.get(scopeOf(range))
      for (const permission of permissions ?? ofScope?.keys() ?? [])
        for (const allowance of ofScope?.get(permission) ?? [])
          if (range.roleKey === undefined || allowance.roleKey === range.roleKey)
            allowance.until ??= until
    },
  }
}

/** Whether what began at `from` and may have ended holds right after the event at a position; now when absent. */
export const holdsAt = (
  { from, until }: { readonly from: Position; readonly until?: Position },
  at: Position | undefined,
): boolean =>
  at === undefined ? until === undefined : from <= at && (until === undefined || until > at)

/** Whether one of `suspensions`, which follow each other, holds then. */
const isAnyAt = (suspensions: readonly Suspension[], at: Position | undefined): boolean => {
  const begun =
    at === undefined ? suspensions.length : countWhile(suspensions, ({ from }) => from <= at)
  const last = suspensions[begun - 1]
  return last !== undefined && holdsAt(last, at)
}

const NO_ROLES: ReadonlyMap<string, StoredAssignment> = new Map()
const NO_PROJECTS: ReadonlyMap<string, ByRole> = new Map()

/**
 * The objects whose inactivity suspends an assignment: the project, its grant, and the user's grant or the provider.
 */
const coversOf = ({
  projectOrgId,
  projectId,
  orgId,
  userId,
  source,
}: Assignment): readonly string[] => {
  const project = { projectOrgId, projectId }
  const ofOrganization = { ...project, orgId }
  return [
    placeOf(project),
    placeOf(ofOrganization),
    ...(userId === undefined ? [] : [placeOf({ ...ofOrganization, userId })]),
    ...(source ? [providerPlace(orgId, source.idpId)] : []),
  ]
}

/** Key of an assignment among those in its project, which are listed in this order. Ids and groups have no U+0000. */
export const placeInScope = ({
  roleKey,
  orgId,
  userId = '',
  source,
}: Pick<Assignment, 'roleKey' | 'orgId' | 'userId'> & {
  readonly source?: Omit<RoleSource, 'since'> | undefined
}): string => [roleKey, orgId, source?.idpId ?? '', source?.group ?? '', userId].join('\0')

const scopeOf = ({
  projectOrgId,
  projectId,
}: Pick<AssignmentRange, 'projectOrgId' | 'projectId'>): string =>
  projectScope(projectOrgId, projectId)

/** Key of a provider, which can be inactive. */
export const providerPlace = (orgId: string, idpId: string): string => `${orgId}\0${idpId}`

/** Key of an object that can be inactive. Ids of organizations have no `+`. */
export const placeOf = (range: AssignmentRange): string => {
  const { orgId = '', userId } = range
  return `${scopeOf(range)}+${orgId}${userId === undefined ? '' : `+${userId}`}`
}

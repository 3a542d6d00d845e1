import type { AssignmentRange } from '../../domain/aggregate.js'
import { aggregates, byType } from '../../domain/aggregates.js'
import type { StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import {
  type Assignment,
  type AssignmentStore,
  type Change,
  type Ending,
  withHeld,
} from '../../projections/assignments.js'
import { type PresentAccess, presentAccess } from '../../projections/present-access.js'
import { getOrAdd, projectScope, type RowStore } from '../../projections/rows.js'

/** All that a read model in memory holds. */
export interface State {
  checkpoint: Position
  /** By scope, then by key. */
  readonly rows: { readonly [Type in ViewType]: Map<string, Map<string, Views[Type]>> }
  readonly assignments: Assignments
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

/** What happened in one organization, oldest first. */
export interface History {
  readonly all: PastChange[]
  /** Of each object, as far as `indexed`: the history of one object is seldom read. */
  readonly byObject: Map<StreamId, PastChange[]>
  /** Of each project and its roles, as far as `indexed`. */
  readonly withRoles: Map<StreamId, PastChange[]>
  /** Of the grants of each user, as far as `indexed`. */
  readonly byUser: Map<string, PastChange[]>
  /** How many of `all` are in the other indexes. */
  indexed: number
}

/** The state before the first event. */
export const emptyState = (): State => ({
  checkpoint: 0n,
  rows: byType((): Map<string, Map<string, never>> => new Map()),
  assignments: emptyAssignments(),
  access: presentAccess(),
  received: new Map(),
  verified: new Map(),
  history: new Map(),
})

/** The rows of `state`, as events change them. */
export const rowStore = ({ rows, assignments, received, verified }: State): RowStore => ({
  ...assignments,
  get: (type, { scope, key }) => rows[type].get(scope)?.get(key),
  put: (type, { scope, key }, row) => {
    if (type === 'project_grant') getOrAdd(received, key, () => new Set()).add(scope)
    if (type === 'domain') {
      if (row?.state === 'verified') verified.set(key, scope)
      else if (verified.get(key) === scope) verified.delete(key)
    }
    if (row === undefined) rows[type].get(scope)?.delete(key)
    else getOrAdd<string, Map<string, typeof row>>(rows[type], scope, () => new Map()).set(key, row)
  },
  removeAll: (type, scope) => {
    if (type !== 'user_grant') rows[type].delete(scope)
    else
      for (const { orgId, userId } of assignments.inScope(scope))
        rows.user_grant.get(orgId)?.delete(`${scope}+${userId}`)
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
export const copyOf = <Row extends Views[ViewType]>(row: Row): Row => {
  const { creationDate, changeDate } = row.details
  return {
    ...row,
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

/** All assignments that there were, what was inactive when, and which permissions roles had when. */
export interface Assignments extends AssignmentStore {
  /** The last assignment of each role of a project to an organization or a user, whether or not it has ended. */
  readonly lastOf: (range: AssignmentRange) => ReadonlyMap<string, StoredAssignment>
  /** The same, by the scope of the project. */
  readonly allOf: (orgId: string, userId: string) => ReadonlyMap<string, ByRole>
  /** The scopes of the projects of an organization of which roles were ever assigned. */
  readonly scopesOf: (projectOrgId: string) => Iterable<string>
  /** The last assignment of each holder of roles in the project of a scope, of one role or of all. */
  readonly inScope: (scope: string, roleKey?: string) => Iterable<StoredAssignment>
  /** Whether what covers the assignment, `except` one, was inactive right after the event at a position. */
  readonly isPaused: (
    assignment: Assignment,
    at: Position | undefined,
    except?: AssignmentRange,
  ) => boolean
  /** Keys of the roles in a scope that had a permission right after the event at a position. */
  readonly allowing: (
    scope: string,
    permission: string,
    at: Position | undefined,
  ) => ReadonlySet<string>
}

/** No assignments yet. */
export const emptyAssignments = (): Assignments => {
  /** By organization, then by user, undefined for the organization itself, then by scope. */
  const lasts = new Map<string, Map<string | undefined, ByProject>>()
  /** By scope, then by role, then by holder: the last assignment. */
  const all = new Map<string, Map<string, Map<string, StoredAssignment>>>()
  /** By owner, the keys of `all`. */
  const scopes = new Map<string, Set<string>>()
  const suspensions = new Map<string, Suspension[]>()
  /** By scope, then by permission. */
  const allowances = new Map<string, Map<string, Allowance[]>>()

  const lastOf = (range: AssignmentRange): ReadonlyMap<string, StoredAssignment> => {
    const { orgId, userId } = range
    if (orgId === undefined) throw new Error('Roles are assigned to an organization or a user')
    return lasts.get(orgId)?.get(userId)?.get(scopeOf(range)) ?? NO_ROLES
  }

  const inScope = function* (scope: string, roleKey?: string): Generator<StoredAssignment> {
    const byRole = all.get(scope)
    if (roleKey !== undefined) yield* byRole?.get(roleKey)?.values() ?? []
    else for (const ofRole of byRole?.values() ?? []) yield* ofRole.values()
  }

  /** The assignments among which those of `ending` are. */
  const candidates = function* (ending: Ending): Generator<StoredAssignment> {
    const { roleKey, roleKeys, userId } = ending
    if (userId !== undefined) yield* lastOf(ending).values()
    else if (roleKeys) for (const each of roleKeys) yield* inScope(scopeOf(ending), each)
    else yield* inScope(scopeOf(ending), roleKey)
  }

  return {
    lastOf,
    allOf: (orgId, userId) => lasts.get(orgId)?.get(userId) ?? NO_PROJECTS,
    scopesOf: (projectOrgId) => scopes.get(projectOrgId) ?? [],
    inScope,
    isPaused: (assignment, at, except) => {
      const active = except && placeOf(except)
      return coversOf(assignment).some((range) => {
        const place = placeOf(range)
        return place !== active && isAnyAt(suspensions.get(place) ?? [], at)
      })
    },
    allowing: (scope, permission, at) => {
      const all = allowances.get(scope)?.get(permission) ?? []
      return new Set(all.filter((each) => holdsAt(each, at)).map(({ roleKey }) => roleKey))
    },
    assigned: (range) => new Map([...lastOf(range)].filter(([, { until }]) => until === undefined)),
    begin: (assignment) => {
      const { roleKey, orgId, userId, projectOrgId } = assignment
      const scope = scopeOf(assignment)
      const ofOrganization = getOrAdd(lasts, orgId, () => new Map<string | undefined, ByProject>())
      const ofHolder = getOrAdd(ofOrganization, userId, (): ByProject => new Map())
      const byRole = getOrAdd(ofHolder, scope, (): ByRole => new Map())
      const stored: StoredAssignment = { ...assignment, before: byRole.get(roleKey) }
      byRole.set(roleKey, stored)
      const ofScope = getOrAdd(all, scope, () => {
        getOrAdd(scopes, projectOrgId, () => new Set()).add(scope)
        return new Map<string, Map<string, StoredAssignment>>()
      })
      const ofRole = getOrAdd(ofScope, roleKey, () => new Map<string, StoredAssignment>())
      ofRole.set(`${orgId}+${userId ?? ''}`, stored)
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
    pause: (range, from) => {
      getOrAdd(suspensions, placeOf(range), () => []).push({ from })
    },
    resume: (range, until) => {
      const last = suspensions.get(placeOf(range))?.at(-1)
      if (last) last.until ??= until
    },
    allow: (range, permissions, from) => {
      const { roleKey } = range
      if (roleKey === undefined) throw new Error('Permissions are those of a role')
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
    at === undefined ? suspensions.length : countUpTo(suspensions, at, ({ from }) => from)
  const last = suspensions[begun - 1]
  return last !== undefined && holdsAt(last, at)
}

const NO_ROLES: ReadonlyMap<string, StoredAssignment> = new Map()
const NO_PROJECTS: ReadonlyMap<string, ByRole> = new Map()

/** What can be inactive of an assignment: its project, the grant of the project, and that of the user. */
const coversOf = ({
  projectOrgId,
  projectId,
  orgId,
  userId,
}: Assignment): readonly AssignmentRange[] => {
  const project = { projectOrgId, projectId }
  const ofOrganization = { ...project, orgId }
  return [project, ofOrganization, ...(userId === undefined ? [] : [{ ...ofOrganization, userId }])]
}

const scopeOf = ({
  projectOrgId,
  projectId,
}: Pick<AssignmentRange, 'projectOrgId' | 'projectId'>): string =>
  projectScope(projectOrgId, projectId)

/** Key of what can be inactive. Ids of organizations have no `+`. */
const placeOf = (range: AssignmentRange): string => {
  const { orgId = '', userId } = range
  return `${scopeOf(range)}+${orgId}${userId === undefined ? '' : `+${userId}`}`
}

/** How many of `items`, which are in the order of their positions, lie at `position` or below. */
export const countUpTo = <Item>(
  items: readonly Item[],
  position: Position,
  positionOf: (item: Item) => Position,
): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && positionOf(item) > position) high = middle
    else low = middle + 1
  }
  return low
}

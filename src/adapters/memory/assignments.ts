import type { AssignmentRange } from '../../domain/kind.js'
import type { Position } from '../../ports/event-store.js'
import type { ViewType } from '../../ports/read-model.js'
import type { Assignment, AssignmentStore, Ending } from '../../projections/rows/assignments.js'
import { roleScope } from '../../projections/rows/row-key.js'
import { getOrAdd } from './get-or-add.js'

/** An assignment, and its end if it has one. */
export interface StoredAssignment extends Assignment {
  until?: Position
  /** Type of the object whose event ended it. */
  with?: ViewType
}

/** A time during which something was inactive. */
interface Spell {
  readonly from: Position
  until?: Position
}

/** The assignments of the roles of one organization or user in one project. */
type ByRole = Map<string, StoredAssignment>

/** Those in all projects, by the scope of the project. */
type ByProject = Map<string, ByRole>

/** All assignments that there were, and what was inactive when. */
export interface Assignments extends AssignmentStore {
  /** The last assignment of each role of a project to an organization or a user, whether or not it has ended. */
  readonly lastOf: (range: AssignmentRange) => ReadonlyMap<string, StoredAssignment>
  /** The same, by the scope of the project. */
  readonly allOf: (orgId: string, userId: string) => ReadonlyMap<string, ByRole>
  /** All assignments in the project of a scope, of one role or of all. */
  readonly inScope: (scope: string, roleKey?: string) => Iterable<StoredAssignment>
  /** Whether what covers the assignment was inactive right after the event at a position. */
  readonly isPaused: (assignment: Assignment, at: Position | undefined) => boolean
}

/** No assignments yet. */
export const emptyAssignments = (): Assignments => {
  /** By organization, then by user, undefined for the organization itself, then by scope. */
  const lasts = new Map<string, Map<string | undefined, ByProject>>()
  /** By scope, then by role. */
  const all = new Map<string, Map<string, StoredAssignment[]>>()
  const spells = new Map<string, Spell[]>()

  const lastOf = (range: AssignmentRange): ReadonlyMap<string, StoredAssignment> =>
    lasts
      .get(range.orgId ?? '')
      ?.get(range.userId)
      ?.get(scopeOf(range)) ?? NO_ROLES

  const inScope = function* (scope: string, roleKey?: string): Generator<StoredAssignment> {
    const byRole = all.get(scope)
    if (roleKey !== undefined) yield* byRole?.get(roleKey) ?? []
    else for (const ofRole of byRole?.values() ?? []) yield* ofRole
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
    inScope,
    isPaused: (assignment, at) =>
      coversOf(assignment).some((range) =>
        spells.get(placeOf(range))?.some((spell) => holdsAt(spell, at)),
      ),
    assigned: (range) => new Map([...lastOf(range)].filter(([, { until }]) => until === undefined)),
    begin: (assignment) => {
      const { roleKey, orgId, userId } = assignment
      const stored: StoredAssignment = { ...assignment }
      const scope = scopeOf(assignment)
      const ofScope = getOrAdd(all, scope, () => new Map<string, StoredAssignment[]>())
      getOrAdd(ofScope, roleKey, () => []).push(stored)
      const ofOrganization = getOrAdd(lasts, orgId, () => new Map<string | undefined, ByProject>())
      const ofHolder = getOrAdd(ofOrganization, userId, (): ByProject => new Map())
      getOrAdd(ofHolder, scope, (): ByRole => new Map()).set(roleKey, stored)
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
      getOrAdd(spells, placeOf(range), () => []).push({ from })
    },
    resume: (range, until) => {
      for (const spell of spells.get(placeOf(range)) ?? []) spell.until ??= until
    },
  }
}

/** Whether what began at `from` and may have ended holds right after the event at a position; now when absent. */
export const holdsAt = (
  { from, until }: { readonly from: Position; readonly until?: Position },
  at: Position | undefined,
): boolean =>
  at === undefined ? until === undefined : from <= at && (until === undefined || until > at)

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
  roleScope(projectOrgId, projectId)

/** Key of what can be inactive. Ids of organizations have no `+`. */
const placeOf = (range: AssignmentRange): string => {
  const { orgId = '', userId } = range
  return `${scopeOf(range)}+${orgId}${userId === undefined ? '' : `+${userId}`}`
}

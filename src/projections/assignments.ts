import type {
  AssignedRole,
  AssignmentRange,
  Assigns,
  MembershipRange,
} from '../domain/aggregate.js'
import type { AnyAggregate, AnyEvent, AnyView } from '../domain/aggregates.js'
import type { RoleSource } from '../domain/facts.js'
import type { Position } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { Views, ViewType } from '../ports/read-model.js'

/**
 * A role of a project that is assigned to an organization, to a user of it or to the members of a group, on the same
 * terms from one position to another. Rows of assignments are never changed, except that they end once.
 */
export interface Assignment extends Required<Pick<AssignmentRange, 'projectOrgId' | 'projectId'>> {
  readonly roleKey: string
  /** The organization that is assigned the role, or the user's or group's organization. */
  readonly orgId: string
  /** Undefined when the organization or a group is assigned the role. */
  readonly userId?: string | undefined
  /** The group whose members are assigned the role. */
  readonly source?: (RoleSource & Pick<Mapped, 'since'>) | undefined
  readonly expiresAt?: Date | undefined
  /** For members of a group: how many hours a report counts. */
  readonly validFor?: number | undefined
  /** The event that assigned the role; earlier than `from` when `expiresAt` was changed since. */
  readonly given: Position
  /** The event from which the row is valid. */
  readonly from: Position
}

/** The terms of an assignment, and when the role was assigned. */
export type Terms = Pick<Assignment, 'given' | 'expiresAt' | 'validFor'>

/** A mapping of a group, since it was added. */
export interface Mapped {
  /** The event that added it: reports above it count. */
  readonly since: Position
}

/** A user who is a member of a group from one report to the next. */
export interface GroupMember extends RoleSource {
  /** The organization of the provider and of the user. */
  readonly orgId: string
  readonly userId: string
  /** The first of the reports without a break that have the user in the group. */
  readonly given: Position
  /** The report from which the row is valid. */
  readonly from: Position
}

/** The end of all assignments in a range that have not ended. */
export interface Ending extends AssignmentRange {
  /** Of these roles; of all when absent. */
  readonly roleKeys?: readonly string[]
  /** The event that ends them: the rows hold before it. */
  readonly until: Position
  /** Type of the object whose event it is. */
  readonly with: ViewType
}

/** The assignments of roles after the events applied so far, with the times of inactivity and of permissions. */
export interface AssignmentStore {
  /** The assignments in `range`, which has an organization and perhaps a user, that have not ended; by role. */
  readonly assigned: (range: AssignmentRange) => ReadonlyMap<string, Terms>
  /** The mapping of the group of `range`; undefined before the first. */
  readonly mapped: (range: AssignmentRange) => Mapped | undefined
  readonly begin: (assignment: Assignment) => void
  readonly end: (ending: Ending) => void
  /** Suspends the assignments in `range`, which has no role, from `position` on. */
  readonly pause: (range: AssignmentRange, position: Position) => void
  /** Ends the suspension from `position` on. */
  readonly resume: (range: AssignmentRange, position: Position) => void
  /** The role of `range` gains `permissions` from `position` on. */
  readonly allow: (
    range: AssignmentRange,
    permissions: readonly string[],
    position: Position,
  ) => void
  /** The roles of `range` lose `permissions` from `position` on; all permissions when absent. */
  readonly disallow: (
    range: AssignmentRange,
    permissions: readonly string[] | undefined,
    position: Position,
  ) => void
  /** The groups that a user of `orgId` is in by the last report, each with the first of the reports without a break. */
  readonly groupsOf: (orgId: string, range: MembershipRange) => ReadonlyMap<string, Position>
  readonly join: (member: GroupMember) => void
  /** Ends the memberships in `range`. */
  readonly leave: (orgId: string, range: MembershipRange, position: Position) => void
  /** Ends all that mappings of a provider assign. */
  readonly endMappings: (orgId: string, provider: MembershipRange, position: Position) => void
  /** Suspends the provider from `position` on. */
  readonly pauseProvider: (orgId: string, provider: MembershipRange, position: Position) => void
  /** Ends the suspension from `position` on. */
  readonly resumeProvider: (orgId: string, provider: MembershipRange, position: Position) => void
}

/**
 * Key of the holder of roles: a user, or a group (with U+0000, which user ids cannot contain); undefined for an
 * organization.
 */
export const holderOf = ({
  userId,
  source,
}: Pick<Assignment, 'userId'> & { readonly source?: RoleSource | undefined }):
  | string
  | undefined => (source ? sourceKey(source) : userId)

/** Key of a group as the holder of roles. */
export const sourceKey = ({ idpId, group }: RoleSource): string => `\0${idpId}+${group}`

/** An object before an event and after it. */
export interface Change {
  readonly before: Views[ViewType] | undefined
  readonly after: Views[ViewType] | undefined
}

/**
 * Applies `event` to the assignments, and returns its change as it is shown: without the roles that have ended
 * since they were recorded.
 *
 * @param recorded - the object with all roles that the events of its own stream record
 */
export const changeAssignments = (
  store: AssignmentStore,
  aggregate: AnyAggregate,
  event: KnownEvent,
  recorded: Change,
): Change => {
  const { data, position, metadata } = event
  const { type, assignments, effectOf } = aggregate
  if (!assignments) return recorded
  const { assigns } = assignments
  const range = assignments.assignmentScope(data, metadata.resourceOwner)
  const { before, after } = recorded
  const held: Held = assigns && before ? store.assigned(range) : NONE
  // An object that does not exist, such as a grant that was removed with its project, assigns nothing.
  const roles = after && assigns?.rolesIn(event)
  const shown = (row: Change['before']) => (assigns && row ? withHeld(assigns, row, held) : row)
  if (effectOf(event) === 'removes') store.end({ ...range, until: position, with: type })
  else if (roles && after) changeRoles(store, aggregate, event, range, held, roles)
  if (before?.state !== after?.state) {
    if (before?.state === 'inactive') store.resume(range, position)
    if (after?.state === 'inactive') store.pause(range, position)
  }
  if (assignments.allows) changeAllowed(store, assignments.allows, range, recorded, position)
  // A project takes the permissions of all its roles with it.
  else if (effectOf(event) === 'removes' && range.orgId === undefined)
    store.disallow(range, undefined, position)
  return { before: shown(before), after: roles ? after : shown(after) }
}

/** Applies `event` to the memberships of groups. */
export const changeMemberships = (
  store: AssignmentStore,
  { memberships, effectOf }: AnyAggregate,
  event: KnownEvent,
  { before, after }: Change,
): void => {
  if (!memberships) return
  const { position, metadata } = event
  const { resourceOwner: orgId } = metadata
  const range = memberships.membershipScope(event.data)
  const { idpId, userId } = range
  if (memberships.groupsIn && userId !== undefined) {
    const held = store.groupsOf(orgId, range)
    store.leave(orgId, range, position)
    for (const group of memberships.groupsIn(event))
      store.join({
        orgId,
        idpId,
        group,
        userId,
        given: held.get(group) ?? position,
        from: position,
      })
    return
  }
  if (effectOf(event) === 'removes') {
    store.leave(orgId, range, position)
    store.endMappings(orgId, range, position)
  }
  if (before?.state === after?.state) return
  if (before?.state === 'inactive') store.resumeProvider(orgId, range, position)
  if (after?.state === 'inactive') store.pauseProvider(orgId, range, position)
}

/** Begins the permissions that a role gains, and ends those that it loses. */
const changeAllowed = (
  store: AssignmentStore,
  allows: (role: AnyView) => readonly string[],
  range: AssignmentRange,
  { before, after }: Change,
  position: Position,
): void => {
  const held = new Set(before && allows(before))
  const allowed = new Set(after && allows(after))
  const lost = [...held].filter((permission) => !allowed.has(permission))
  const gained = [...allowed].filter((permission) => !held.has(permission))
  if (lost.length > 0) store.disallow(range, lost, position)
  if (gained.length > 0) store.allow(range, gained, position)
}

type Held = ReadonlyMap<string, Terms>

const NONE: Held = new Map()

/** `row` with copies of those of its roles that are `held`. Ends of roles may be text, as JSON has them. */
export const withHeld = <Row extends Views[ViewType]>(
  { rolesOf, withRoles }: Assigns<AnyView, AnyEvent>,
  row: Row,
  held: Pick<Held, 'has'>,
): Row => {
  const roles = rolesOf(row)
    .filter(({ roleKey }) => held.has(roleKey))
    .map(({ roleKey, expiresAt }) =>
      expiresAt ? { roleKey, expiresAt: new Date(expiresAt) } : { roleKey },
    )
  return { ...row, ...withRoles(row, roles) }
}

/** Replaces the roles that are `held` by `roles`; a role on the same terms continues. */
const changeRoles = (
  store: AssignmentStore,
  { type, effectOf }: AnyAggregate,
  event: KnownEvent,
  range: AssignmentRange,
  held: Held,
  roles: readonly AssignedRole[],
): void => {
  const { position } = event
  const { projectOrgId, projectId, orgId, userId } = range
  if (orgId === undefined) throw new Error('Roles are assigned to an organization or a user')
  const isSame = ({ roleKey, expiresAt, validFor }: AssignedRole) => {
    const role = held.get(roleKey)
    return (
      role !== undefined &&
      role.expiresAt?.getTime() === expiresAt?.getTime() &&
      role.validFor === validFor
    )
  }
  const since = (effectOf(event) === 'adds' ? undefined : store.mapped(range)?.since) ?? position
  const source = range.source && { ...range.source, since }
  const kept = new Set(roles.filter(isSame).map(({ roleKey }) => roleKey))
  const ended = [...held.keys()].filter((roleKey) => !kept.has(roleKey))
  if (ended.length > 0) store.end({ ...range, roleKeys: ended, until: position, with: type })
  const holder = { projectOrgId, projectId, orgId, userId, source }
  for (const { roleKey, expiresAt, validFor } of roles) {
    if (kept.has(roleKey)) continue
    const given = held.get(roleKey)?.given ?? position
    store.begin({ ...holder, roleKey, expiresAt, validFor, given, from: position })
  }
}

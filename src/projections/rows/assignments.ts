import type { AnyEvent, AnyKind } from '../../domain/kinds.js'
import type { AssignedRole, AssignmentRange } from '../../domain/kind.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'

/**
 * A role of a project that is assigned to an organization or to a user of it, on the same terms from one position
 * to another. Rows of assignments are never changed, except that they end once.
 */
export interface Assignment extends Required<Pick<AssignmentRange, 'projectOrgId' | 'projectId'>> {
  readonly roleKey: string
  /** The organization that is assigned the role, or that of the user. */
  readonly orgId: string
  /** Undefined when the organization is assigned the role. */
  readonly userId: string | undefined
  readonly expiresAt: Date | undefined
  /** The event that assigned the role; earlier than `from` when `expiresAt` was changed since. */
  readonly given: Position
  /** The event from which on the row holds. */
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

/** The assignments of roles, and when what covers them was inactive, after the events applied so far. */
export interface AssignmentStore {
  /** Those in `range`, which has an organization and perhaps a user, that have not ended; by role. */
  readonly assigned: (range: AssignmentRange) => ReadonlyMap<string, Pick<Assignment, 'given'>>
  readonly begin: (assignment: Assignment) => void
  readonly end: (ending: Ending) => void
  /** What covers `range`, which has no role, is inactive from `position` on. */
  readonly pause: (range: AssignmentRange, position: Position) => void
  /** It is active again from `position` on. */
  readonly resume: (range: AssignmentRange, position: Position) => void
}

type View = Views[ViewType] | undefined

interface Change {
  /** As recorded, with the roles that ended since. */
  readonly before: View
  readonly after: View
}

/** Applies `event`, which made `change`, to the assignments. */
export const changeAssignments = (
  store: AssignmentStore,
  kind: AnyKind,
  event: KnownEvent,
  { before, after }: Change,
): void => {
  const { position, metadata } = event
  const range = kind.covers?.(event.data, metadata.resourceOwner)
  if (!range) return
  if (event.type === kind.removal) store.end({ ...range, until: position, with: kind.type })
  else if (kind.assigns && after) changeRoles(store, kind, { range, after, position })
  if (range.roleKey === undefined) changeState(store, range, { before, after, position })
}

const changeRoles = (
  store: AssignmentStore,
  kind: AnyKind,
  { range, after, position }: { range: AssignmentRange; after: Views[ViewType]; position: Position },
): void => {
  void store; void kind; void range; void after; void position
}

const changeState = (
  store: AssignmentStore,
  range: AssignmentRange,
  { before, after, position }: Change & { readonly position: Position },
): void => {
  const wasInactive = before?.state === 'inactive'
  const isInactive = after?.state === 'inactive'
  if (isInactive && !wasInactive) store.pause(range, position)
  if (wasInactive && !isInactive) store.resume(range, position)
}

export type { AnyEvent, AssignedRole }

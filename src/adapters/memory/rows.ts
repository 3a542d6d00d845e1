import { byType, kinds } from '../../domain/kinds.js'
import type { StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { type Change, withHeld } from '../../projections/rows/assignments.js'
import type { RowStore } from '../../projections/rows/change-row.js'
import { type Assignments, emptyAssignments } from './assignments.js'
import { getOrAdd } from './get-or-add.js'

/** All that a read model in memory holds. */
export interface State {
  checkpoint: Position
  /** By scope, then by key. */
  readonly rows: { readonly [Type in ViewType]: Map<string, Map<string, Views[Type]>> }
  readonly assignments: Assignments
  /** By organization that received grants of projects: the scopes of those projects, also of grants that ended. */
  readonly received: Map<string, Set<string>>
  /** By verified domain: the organization. */
  readonly verified: Map<string, string>
  /** By organization. */
  readonly history: Map<string, History>
}

/** An event and the change it made, of which the entry in the history is made when it is read. */
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
  /** How many of `all` are in `byObject` and `withRoles`. */
  indexed: number
}

/** The state before the first event. */
export const emptyState = (): State => ({
  checkpoint: 0n,
  rows: byType((): Map<string, Map<string, never>> => new Map()),
  assignments: emptyAssignments(),
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
  const { assigns, covers } = kinds[type]
  const range = assigns && covers(row, row.details.resourceOwner)
  return range ? { ...row, ...withHeld(assigns, row, assignments.assigned(range)) } : row
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

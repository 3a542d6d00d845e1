import type { KnownEvent } from '../ports/known-event.js'
import type { Views, ViewType } from '../ports/read-model.js'
import { matchEvent, objectOf } from './event-cases.js'
import type { Change } from './history-view.js'
import { identityProviderView } from './identity-provider-view.js'
import { projectRoleView } from './project-role-view.js'
import { projectView } from './project-view.js'
import { type RowKey, roleScope, rowKeyOf } from './row-key.js'

/** The rows of all objects that exist, as far as events are applied to them. */
export interface RowStore {
  readonly get: <Type extends ViewType>(type: Type, rowKey: RowKey) => Views[Type] | undefined
  /** Puts `row` in place of what was there; `undefined` takes it away. */
  readonly put: <Type extends ViewType>(
    type: Type,
    rowKey: RowKey,
    row: Views[Type] | undefined,
  ) => void
  /** Takes away all roles of `scope`. */
  readonly removeRoles: (scope: string) => void
}

/** Changes the rows as `event` says, and tells what it did to the object that it tells of. */
export const changeRow = (
  rows: RowStore,
  event: KnownEvent,
  rowKey: RowKey = rowKeyOf(event.metadata.resourceOwner, objectOf(event)),
): Change => {
  const orgId = event.metadata.resourceOwner
  const change = <Type extends ViewType>(type: Type, view: View<Views[Type]>): Change => {
    // Before the first event of an object there is nothing to look for.
    const before = event.version === 1 ? undefined : rows.get(type, rowKey)
    const after = view(before)
    rows.put(type, rowKey, after)
    return { before, after }
  }
  return matchEvent<Change>(event, {
    identity_provider: (event) =>
      change('identity_provider', (row) => identityProviderView(row, event)),
    project: (event) => {
      if (event.type === 'project.removed') rows.removeRoles(roleScope(orgId, event.data.id))
      return change('project', (row) => projectView(row, event))
    },
    project_role: (event) => change('project_role', (row) => projectRoleView(row, event)),
  })
}

/** What becomes of a row, or of none. */
type View<Row> = (row: Row | undefined) => Row | undefined

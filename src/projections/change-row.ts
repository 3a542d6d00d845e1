import type { Views, ViewType } from '../ports/read-model.js'
import type { Change } from './history-view.js'
import { identityProviderView } from './identity-provider-view.js'
import { type KnownEvent, matchEvent } from './known-event.js'
import { type Place, rolesOf } from './place.js'
import { projectRoleView } from './project-role-view.js'
import { projectView } from './project-view.js'
import { organizationIn } from './stream-name.js'

/** The rows of all objects that exist, as far as events are applied to them. */
export interface RowStore {
  readonly get: <Type extends ViewType>(type: Type, place: Place) => Views[Type] | undefined
  /** Puts `row` in place of what was there; `undefined` takes it away. */
  readonly put: <Type extends ViewType>(
    type: Type,
    place: Place,
    row: Views[Type] | undefined,
  ) => void
  /** Takes away all roles of `scope`. */
  readonly removeRoles: (scope: string) => void
}

/** Changes the rows as `event` says, and tells what it did to the object that it tells of. */
export const changeRow = (rows: RowStore, event: KnownEvent): Change => {
  const orgId = organizationIn(event.stream)
  // Then there is nothing to look for.
  const isFirst = event.version === 1
  return matchEvent<Change>(event, {
    identity_provider: (event) => {
      const place = { scope: orgId, key: event.data.idpId }
      const before = isFirst ? undefined : rows.get('identity_provider', place)
      const after = identityProviderView(before, event)
      rows.put('identity_provider', place, after)
      return { before, after }
    },
    project: (event) => {
      const place = { scope: orgId, key: event.data.id }
      const before = isFirst ? undefined : rows.get('project', place)
      const after = projectView(before, event)
      rows.put('project', place, after)
      if (event.type === 'project.removed') rows.removeRoles(rolesOf(orgId, place.key))
      return { before, after }
    },
    project_role: (event) => {
      const { projectId, roleKey } = event.data
      const place = { scope: rolesOf(orgId, projectId), key: roleKey }
      const before = isFirst ? undefined : rows.get('project_role', place)
      const after = projectRoleView(before, event)
      rows.put('project_role', place, after)
      return { before, after }
    },
  })
}

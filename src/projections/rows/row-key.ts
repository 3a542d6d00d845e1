import { kinds } from '../../domain/kinds.js'
import type { ObjectRef } from '../../domain/values.js'
import { kindOf } from '../events/kind-of.js'

/** Key of the row of an object; the rows of one scope are listed together. */
export interface RowKey {
  /** The organization, or the {@link roleScope} of a project. */
  readonly scope: string
  /** The object's own id or key; unique in its scope. */
  readonly key: string
}

/** The last {@link roleScope}. */
let last = { orgId: '', projectId: '', scope: '+' }

/** The scope of what lies in a project. Ids have no `+`, so it is not the scope of an organization. */
export const roleScope = (orgId: string, projectId: string): string => {
  // Roles come many at a time, and new text is hashed anew at each lookup: 0.2 µs for each event.
  if (projectId !== last.projectId || orgId !== last.orgId)
    last = { orgId, projectId, scope: `${orgId}+${projectId}` }
  return last.scope
}

/** The organization of `scope`. */
export const ownerOf = (scope: string): string => {
  const plus = scope.indexOf('+')
  return plus < 0 ? scope : scope.slice(0, plus)
}

/** The scope that a list of an organization's objects, or of what lies in a project, reads. */
export const listedScope = ({
  type,
  orgId,
  projectId = '',
}: {
  readonly type: ObjectRef['type']
  readonly orgId: string
  readonly projectId?: string
}): string => (kinds[type].container ? roleScope(orgId, projectId) : orgId)

/** The object that another one lies in; undefined where that is the organization. */
export const containerOf = (ref: ObjectRef): ObjectRef | undefined =>
  kinds[ref.type].container?.ref(ref)

/** The row key of the object that `ref` names within the organization. */
export const rowKeyOf = (orgId: string, ref: ObjectRef): RowKey => {
  const container = containerOf(ref)
  return {
    scope: container ? roleScope(orgId, kinds[container.type].key(container, orgId)) : orgId,
    key: kinds[ref.type].key(ref, orgId),
  }
}

/** The object of a row key, by the type of any of its events. */
export const objectAt = (eventType: string, { scope, key }: RowKey): ObjectRef =>
  kindOf(eventType).refOfKey(key, scope.slice(scope.indexOf('+') + 1))

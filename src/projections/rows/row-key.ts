import { kinds } from '../../domain/kinds.js'
import type { ObjectRef } from '../../domain/values.js'
import { kindOf } from '../events/kind-of.js'

/** Names the row of an object: the rows of one scope are listed together. */
export interface RowKey {
  /** The organization, or the {@link roleScope} of a project. */
  readonly scope: string
  /** The object's own id or key; unique in its scope. */
  readonly key: string
}

/** The last scope within a project that was made. */
let last = { orgId: '', projectId: '', scope: '+' }

/** The scope of what lies in a project. Ids hold no `+`, so it is that of no organization. */
export const roleScope = (orgId: string, projectId: string): string => {
  // Roles come many at a time: text made anew for each of them would be hashed each time it is looked up.
  if (projectId !== last.projectId || orgId !== last.orgId)
    last = { orgId, projectId, scope: `${orgId}+${projectId}` }
  return last.scope
}

/** The organization that everything in `scope` belongs to. */
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

/** The place of the object that `ref` names within the organization. */
export const rowKeyOf = (orgId: string, ref: ObjectRef): RowKey => {
  const container = containerOf(ref)
  return {
    scope: container ? roleScope(orgId, kinds[container.type].key(container)) : orgId,
    key: kinds[ref.type].key(ref),
  }
}

/** The object whose row is kept at a place, by the type of any event that tells of it. */
export const objectAt = (eventType: string, { scope, key }: RowKey): ObjectRef => {
  const kind = kindOf(eventType)
  const [last = '', container = ''] = Object.keys(kind.ids.shape).toReversed()
  const projectId = scope.slice(scope.indexOf('+') + 1)
  return kind.ref({ [container]: projectId, [last]: key })
}

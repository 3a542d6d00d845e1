import type { ObjectRef } from '../domain/values.js'

/** Names the row of an object: the rows of one scope are listed together. */
export interface RowKey {
  /** The organization, or the {@link roleScope} of a project. */
  readonly scope: string
  /** The object's own id or key; unique in its scope. */
  readonly key: string
}

/** The last scope of roles that was made. */
let last = { orgId: '', projectId: '', scope: '+' }

/** The scope of a project's roles. Ids hold no `+`, so it is that of no organization. */
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

/** The scope that a list of an organization's objects, or of a project's roles, reads. */
export const listedScope = ({
  type,
  orgId,
  projectId = '',
}: {
  readonly type: ObjectRef['type']
  readonly orgId: string
  readonly projectId?: string
}): string => (type === 'project_role' ? roleScope(orgId, projectId) : orgId)

/** The project whose roles `scope` is of. */
const projectOf = (scope: string): string => scope.slice(scope.indexOf('+') + 1)

/** The key of the row of the object that `ref` names within the organization. */
export const rowKeyOf = (orgId: string, ref: ObjectRef): RowKey => {
  switch (ref.type) {
    case 'identity_provider':
      return { scope: orgId, key: ref.idpId }
    case 'project':
      return { scope: orgId, key: ref.id }
    case 'project_role':
      return { scope: roleScope(orgId, ref.projectId), key: ref.roleKey }
  }
}

/** The object that a row key names, by the type of any of its events. */
export const objectAt = (eventType: string, { scope, key }: RowKey): ObjectRef => {
  if (eventType.startsWith('identity_provider.')) return { type: 'identity_provider', idpId: key }
  if (eventType.startsWith('project.')) return { type: 'project', id: key }
  return { type: 'project_role', projectId: projectOf(scope), roleKey: key }
}

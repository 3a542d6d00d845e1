import type { ObjectRef } from '../domain/values.js'

/** Where the row of an object is kept: what lies in one scope is listed together. */
export interface Place {
  /** The organization, or {@link rolesOf} a project. */
  readonly scope: string
  /** The object's own id or key; unique in its scope. */
  readonly key: string
}

/** The last scope of roles that was told. */
let told = { orgId: '', projectId: '', scope: '+' }

/** The scope of a project's roles. Ids hold no `+`, so it is that of no organization. */
export const rolesOf = (orgId: string, projectId: string): string => {
  // Roles come many at a time: text made anew for each of them would be hashed each time it is looked up.
  if (projectId !== told.projectId || orgId !== told.orgId)
    told = { orgId, projectId, scope: `${orgId}+${projectId}` }
  return told.scope
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
}): string => (type === 'project_role' ? rolesOf(orgId, projectId) : orgId)

/** The project whose roles `scope` is of. */
const projectOf = (scope: string): string => scope.slice(scope.indexOf('+') + 1)

/** The place of the object that `ref` names within the organization. */
export const placeOf = (orgId: string, ref: ObjectRef): Place => {
  switch (ref.type) {
    case 'identity_provider':
      return { scope: orgId, key: ref.idpId }
    case 'project':
      return { scope: orgId, key: ref.id }
    case 'project_role':
      return { scope: rolesOf(orgId, ref.projectId), key: ref.roleKey }
  }
}

/** The object whose row is kept at a place, by the type of any event that tells of it. */
export const objectAt = (eventType: string, { scope, key }: Place): ObjectRef => {
  if (eventType.startsWith('identity_provider.')) return { type: 'identity_provider', idpId: key }
  if (eventType.startsWith('project.')) return { type: 'project', id: key }
  return { type: 'project_role', projectId: projectOf(scope), roleKey: key }
}

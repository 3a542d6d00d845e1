import { fieldOf } from '../domain/field-of.js'
import { isId } from '../domain/values.js'
import type { PermissionQuestion } from '../ports/authorize.js'

/** Finds the object that a permission is asked for; undefined when its id is absent or malformed. */
export type Target = (input: unknown) => PermissionQuestion['object']

type TargetType = NonNullable<PermissionQuestion['object']>['type']

const targetIn =
  (field: string, type: TargetType): Target =>
  (input) => {
    const id = fieldOf(input, field)
    return isId(id) ? { type, id } : undefined
  }

/** The identity provider that the field `idpId` names. */
export const targetIdp = targetIn('idpId', 'identity_provider')

/** The project that the field `id` names. */
export const targetProject = targetIn('id', 'project')

/** The project that the field `projectId` names. */
export const targetProjectOfRole = targetIn('projectId', 'project')

/** The object that the field `object` names; of a role, its project. */
export const targetOfObject: Target = (input) => {
  const object = fieldOf(input, 'object')
  return targetIdp(object) ?? targetProjectOfRole(object) ?? targetProject(object)
}

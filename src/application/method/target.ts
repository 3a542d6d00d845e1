import { fieldOf } from '../../domain/field-of.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { kindNamed } from '../../domain/kinds.js'
import { projects } from '../../domain/project/kind.js'
import { projectRoles } from '../../domain/project-role/kind.js'
import { isId } from '../../domain/values.js'
import type { PermissionQuestion } from '../../ports/authorize.js'

/** The object of the input on which a permission is needed; undefined when its id is absent or malformed. */
export type Target = (input: unknown) => PermissionQuestion['object']

interface Targeted<Ids> {
  target(ids: Ids): NonNullable<PermissionQuestion['object']>
}

/** The target of the object of a kind whose ids are fields of the input. */
export const targetOf =
  ({ target }: Targeted<object>): Target =>
  (input) => {
    if (typeof input !== 'object' || input === null) return undefined
    const object = target(input)
    return isId(object.id) ? object : undefined
  }

export const targetIdp = targetOf(identityProviders)
export const targetProject = targetOf(projects)
export const targetProjectOfRole = targetOf(projectRoles)

/** The object that the field `object` names; for a role, its project. */
export const targetOfObject: Target = (input) => {
  const object = fieldOf(input, 'object')
  const kind = kindNamed(fieldOf(object, 'type'))
  return kind && targetOf(kind)(object)
}

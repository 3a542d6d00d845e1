import { isDomainName } from '../../domain/email-domain/domain-name.js'
import { fieldOf } from '../../domain/field-of.js'
import { kindNamed } from '../../domain/kinds.js'
import { isId, type PermissionTarget } from '../../domain/values.js'

/** The object of the input on which a permission is needed; undefined when its id is absent or malformed. */
export type Target = (input: unknown, orgId: string) => PermissionTarget | undefined

interface Targeted<Ids> {
  target(ids: Ids, orgId: string): PermissionTarget
}

/** The target of the object of a kind whose ids are fields of the input. */
export const targetOf =
  ({ target }: Targeted<object>): Target =>
  (input, orgId) => {
    if (typeof input !== 'object' || input === null) return undefined
    const object = target(input, orgId)
    return isNamed(object) ? object : undefined
  }

const isNamed = (object: PermissionTarget): boolean => {
  if (object.type === 'domain') return isDomainName(object.id)
  return isId(object.id) && (object.type !== 'granted_project' || isId(object.orgId))
}

/** The object that the field `object` names; for a role, its project. */
export const targetOfObject: Target = (input, orgId) => {
  const object = fieldOf(input, 'object')
  const kind = kindNamed(fieldOf(object, 'type'))
  return kind && targetOf(kind)(object, orgId)
}

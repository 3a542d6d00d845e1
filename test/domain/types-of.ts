import type { IdentityProviderEvent } from '../../src/domain/identity-provider/events.js'
import type { ProjectEvent } from '../../src/domain/project/events.js'
import type { ProjectRoleEvent } from '../../src/domain/project-role/events.js'

type AnyEvent = typeof IdentityProviderEvent | typeof ProjectEvent | typeof ProjectRoleEvent

/** The types of the events that `union` allows, as they stand in it. */
export const typesOf = (union: AnyEvent): readonly string[] =>
  union.def.options.flatMap((option) => option.def.innerType.shape.type.def.values)

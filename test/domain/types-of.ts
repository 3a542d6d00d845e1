import type { DomainEvent } from '../../src/domain/email-domain/events.js'
import type { VerifiedDomainEvent } from '../../src/domain/email-domain/verified-domain.js'
import type { IdentityProviderEvent } from '../../src/domain/identity-provider/events.js'
import type { MembershipEvent } from '../../src/domain/membership/events.js'
import type { ProjectEvent } from '../../src/domain/project/events.js'
import type { ProjectGrantEvent } from '../../src/domain/project-grant/events.js'
import type { ProjectRoleEvent } from '../../src/domain/project-role/events.js'
import type { RoleMappingEvent } from '../../src/domain/role-mapping/events.js'
import type { SetupLinkEvent } from '../../src/domain/setup-link/events.js'
import type { SetupLinkTokenEvent } from '../../src/domain/setup-link/token.js'
import type { UserGrantEvent } from '../../src/domain/user-grant/events.js'

type AnyEvent =
  | typeof IdentityProviderEvent
  | typeof ProjectEvent
  | typeof ProjectRoleEvent
  | typeof ProjectGrantEvent
  | typeof UserGrantEvent
  | typeof DomainEvent
  | typeof RoleMappingEvent
  | typeof MembershipEvent
  | typeof VerifiedDomainEvent
  | typeof SetupLinkEvent
  | typeof SetupLinkTokenEvent

/** The types of the events that `union` allows, as they stand in it. */
export const typesOf = (union: AnyEvent): readonly string[] =>
  union.def.options.flatMap((option) => option.def.innerType.shape.type.def.values)

import type { DomainEvent } from '../domain/email-domain/events.js'
import type { VerifiedDomainEvent } from '../domain/email-domain/verified-domain.js'
import type { IdentityProviderEvent } from '../domain/identity-provider/events.js'
import type { ProjectEvent } from '../domain/project/events.js'
import type { ProjectGrantEvent } from '../domain/project-grant/events.js'
import type { ProjectRoleEvent } from '../domain/project-role/events.js'
import type { UserGrantEvent } from '../domain/user-grant/events.js'
import type { RecordedEvent } from './event-store.js'

/** An event of the library as it was recorded, in the newest version of its type; switch on `type`. */
export type KnownEvent = RecordedEvent &
  (
    | IdentityProviderEvent
    | ProjectEvent
    | ProjectRoleEvent
    | ProjectGrantEvent
    | UserGrantEvent
    | DomainEvent
    | VerifiedDomainEvent
  )

import { IdentityProviderEvent } from '../domain/identity-provider/events.js'
import type { Message } from '../domain/message.js'
import { ProjectEvent } from '../domain/project/events.js'
import { ProjectRoleEvent } from '../domain/project-role/events.js'
import type { ObjectRef } from '../domain/values.js'
import type { RecordedEvent } from '../ports/event-store.js'
import type { AnyEvent, KnownEvent } from '../ports/known-event.js'
import type { ViewType } from '../ports/read-model.js'

/** A recorded event whose type and data are known. */
export type Recorded<Event extends Message> = Event extends Message ? RecordedEvent & Event : never

/** The events that make up what is read, by the type of object. */
export interface ViewEvents {
  readonly identity_provider: Recorded<IdentityProviderEvent>
  readonly project: Recorded<ProjectEvent>
  readonly project_role: Recorded<ProjectRoleEvent>
}

/** The schemas of all of them, in their newest versions. */
export const EVENT_SCHEMAS = [
  ...IdentityProviderEvent.def.options,
  ...ProjectEvent.def.options,
  ...ProjectRoleEvent.def.options,
]

/** What to do with an event, by the type of object that it tells of. */
export type EventCases<Outcome> = {
  readonly [Type in ViewType]: (event: ViewEvents[Type]) => Outcome
}

/** Hands `event` to the one of `cases` that is for the type of object it tells of. */
export const matchEvent = <Outcome>(event: KnownEvent, cases: EventCases<Outcome>): Outcome => {
  switch (event.type) {
    case 'identity_provider.oidc_added':
    case 'identity_provider.oidc_config_updated':
    case 'identity_provider.updated':
    case 'identity_provider.deactivated':
    case 'identity_provider.reactivated':
    case 'identity_provider.removed':
    case 'identity_provider.secret_resealed':
      return cases.identity_provider(event)
    case 'project.added':
    case 'project.updated':
    case 'project.deactivated':
    case 'project.reactivated':
    case 'project.removed':
      return cases.project(event)
    case 'project_role.added':
    case 'project_role.updated':
    case 'project_role.removed':
      return cases.project_role(event)
  }
}

/** The object that an event tells of. */
export const objectOf = ({ data }: AnyEvent): ObjectRef => {
  if ('idpId' in data) return { type: 'identity_provider', idpId: data.idpId }
  if ('id' in data) return { type: 'project', id: data.id }
  return { type: 'project_role', projectId: data.projectId, roleKey: data.roleKey }
}

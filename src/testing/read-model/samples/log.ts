import type { OidcIdentityProviderAdded } from '../../../domain/identity-provider/events.js'
import type { AnyEvent } from '../../../domain/kinds.js'
import type { ProjectAdded, ProjectEvent } from '../../../domain/project/events.js'
import type {
  ProjectRoleAdded,
  ProjectRoleEvent,
  ProjectRoleUpdated,
} from '../../../domain/project-role/events.js'
import { IdpId, ProjectId, RoleKey, SealedSecret, type StreamId } from '../../../domain/values.js'
import type { Metadata, Position, RecordedEvent } from '../../../ports/event-store.js'
import { objectOf, streamOf } from '../../../projections/events/kind-of.js'

/** Metadata that a law sets. */
export type Circumstances = Partial<Pick<Metadata, 'actor' | 'correlationId'>>

/** A log as a store would record it. */
export interface Log {
  /** Everything recorded so far. */
  readonly events: readonly RecordedEvent[]
  /** Everything recorded above `position`. */
  readonly above: (position: Position) => readonly RecordedEvent[]
  /** Records an event of an organization. */
  readonly record: (orgId: string, event: AnyEvent, circumstances?: Circumstances) => RecordedEvent
}

/** Some neighbouring positions lie within the same millisecond. */
const STEP = 400n

/** A log that starts at `first`. */
export const newLog = (first: Position = 1_700_000_000_000_000n): Log => {
  const events: RecordedEvent[] = []
  const versions = new Map<StreamId, number>()
  return {
    events,
    above: (position) => events.filter((event) => event.position > position),
    record: (orgId, event, circumstances) => {
      const stream = streamOf(orgId, objectOf(event))
      const version = (versions.get(stream) ?? 0) + 1
      const position = first + STEP * BigInt(events.length)
      const actor = { userId: 'u1', orgId: 'operator' }
      const recorded: RecordedEvent = {
        ...event,
        schemaVersion: 1,
        appendId: `append-${events.length}`,
        stream,
        version,
        position,
        metadata: { actor, resourceOwner: orgId, ...circumstances },
      }
      versions.set(stream, version)
      events.push(recorded)
      return recorded
    },
  }
}

/** A sealed secret in an event; no read may return it. */
export const SEAL = 'sealed-and-never-shown'

/** An identity provider is added. */
export const idpAdded = (idpId: string, name = 'Login'): OidcIdentityProviderAdded => ({
  type: 'identity_provider.oidc_added',
  data: {
    idpId: IdpId.parse(idpId),
    name,
    stylingType: 'STYLING_TYPE_GOOGLE',
    autoRegister: true,
    clientId: `client-of-${idpId}`,
    issuer: `https://${name}.example`,
    scopes: ['openid', 'email'],
    displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
    usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
    clientSecret: SealedSecret.parse(SEAL),
  },
})

/** A project is added. */
export const projectAdded = (id: string, name = 'Portal', check = false): ProjectAdded => ({
  type: 'project.added',
  data: {
    id: ProjectId.parse(id),
    name,
    projectRoleAssertion: true,
    projectRoleCheck: check,
    hasProjectCheck: !check,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  },
})

/** A project is removed. */
export const projectRemoved = (id: string): ProjectEvent => ({
  type: 'project.removed',
  data: { id: ProjectId.parse(id) },
})

/** A role is added. */
export const roleAdded = (
  projectId: string,
  roleKey: string,
  shown: { readonly displayName?: string; readonly group?: string } = {},
): ProjectRoleAdded => ({
  type: 'project_role.added',
  data: {
    projectId: ProjectId.parse(projectId),
    roleKey: RoleKey.parse(roleKey),
    displayName: shown.displayName ?? roleKey,
    group: shown.group ?? '',
  },
})

/** A role gets another name or group. */
export const roleUpdated = (
  projectId: string,
  roleKey: string,
  shown: { readonly displayName?: string; readonly group?: string },
): ProjectRoleUpdated => ({
  type: 'project_role.updated',
  data: roleAdded(projectId, roleKey, shown).data,
})

/** A role is removed. */
export const roleRemoved = (projectId: string, roleKey: string): ProjectRoleEvent => ({
  type: 'project_role.removed',
  data: { projectId: ProjectId.parse(projectId), roleKey: RoleKey.parse(roleKey) },
})

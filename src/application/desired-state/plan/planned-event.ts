import * as z from 'zod/mini'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from '../../../domain/identity-provider/commands.js'
import type {
  IdentityProviderUpdated,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
} from '../../../domain/identity-provider/events.js'
import { currentVersion } from '../../../domain/message.js'
import { AddProject, type ProjectCommand, UpdateProject } from '../../../domain/project/commands.js'
import type { ProjectAdded, ProjectUpdated } from '../../../domain/project/events.js'
import {
  AddProjectRole,
  type ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../../domain/project-role/commands.js'
import type {
  ProjectRoleAdded,
  ProjectRoleRemoved,
  ProjectRoleUpdated,
} from '../../../domain/project-role/events.js'
import type { NewEvent } from '../../../ports/event-store.js'
import { kindOf } from '../../../projections/events/kind-of.js'

/** An event has the same data as its command, and must meet the same rules. */
const planned = <const Type extends string, Data extends z.ZodMiniType>(
  type: Type,
  { shape: { data } }: { readonly shape: { readonly data: Data } },
) =>
  z.strictObject({
    type: z.literal(type),
    schemaVersion: z.literal(currentVersion(kindOf(type).decider.upcasters, type), {
      error: 'must be the current schema version of the event type',
    }),
    data,
  })

/** An event in a plan. */
export const PlannedEvent = z.discriminatedUnion(
  'type',
  [
    planned('project.added', AddProject),
    planned('project.updated', UpdateProject),
    planned('project_role.added', AddProjectRole),
    planned('project_role.updated', UpdateProjectRole),
    planned('project_role.removed', RemoveProjectRole),
    planned('identity_provider.oidc_added', AddOidcIdentityProvider),
    planned('identity_provider.oidc_config_updated', UpdateOidcConfig),
    planned('identity_provider.updated', UpdateIdentityProvider),
  ],
  { error: 'must be an event that a plan can have' },
)
export type PlannedEvent = {
  /** Must be the version of the event type that is written today. */
  readonly schemaVersion: NewEvent['schemaVersion']
} & (
  | ProjectAdded
  | ProjectUpdated
  | ProjectRoleAdded
  | ProjectRoleUpdated
  | ProjectRoleRemoved
  | OidcIdentityProviderAdded
  | OidcConfigUpdated
  | IdentityProviderUpdated
)

/** The command that leads to `event`. */
export const commandOf = ({
  type,
  data,
}: PlannedEvent): ProjectCommand | ProjectRoleCommand | IdentityProviderCommand => {
  switch (type) {
    case 'project.added':
      return { type: 'AddProject', data }
    case 'project.updated':
      return { type: 'UpdateProject', data }
    case 'project_role.added':
      return { type: 'AddProjectRole', data }
    case 'project_role.updated':
      return { type: 'UpdateProjectRole', data }
    case 'project_role.removed':
      return { type: 'RemoveProjectRole', data }
    case 'identity_provider.oidc_added':
      return { type: 'AddOidcIdentityProvider', data }
    case 'identity_provider.oidc_config_updated':
      return { type: 'UpdateOidcConfig', data }
    case 'identity_provider.updated':
      return { type: 'UpdateIdentityProvider', data }
  }
}

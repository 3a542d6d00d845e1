import * as z from 'zod/mini'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from '../../../domain/identity-provider/commands.js'
import {
  type IdentityProviderUpdated,
  identityProviderUpcasters,
  type OidcConfigUpdated,
  type OidcIdentityProviderAdded,
} from '../../../domain/identity-provider/events.js'
import { currentVersion, type Upcasters } from '../../../domain/message.js'
import { AddProject, type ProjectCommand, UpdateProject } from '../../../domain/project/commands.js'
import {
  type ProjectAdded,
  type ProjectUpdated,
  projectUpcasters,
} from '../../../domain/project/events.js'
import {
  AddProjectRole,
  type ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../../domain/project-role/commands.js'
import {
  type ProjectRoleAdded,
  type ProjectRoleRemoved,
  type ProjectRoleUpdated,
  projectRoleUpcasters,
} from '../../../domain/project-role/events.js'
import type { NewEvent } from '../../../ports/event-store.js'

/** An event has the data of the command that it comes of, and is held to what the command is. */
const planned = <const Type extends string, Data extends z.ZodMiniType>(
  type: Type,
  upcasters: Upcasters,
  data: Data,
) =>
  z.strictObject({
    type: z.literal(type),
    schemaVersion: z.literal(currentVersion(upcasters, type), {
      error: 'must be the version that is written today',
    }),
    data,
  })

/** An event that a plan can have. */
export const PlannedEvent = z.discriminatedUnion(
  'type',
  [
    planned('project.added', projectUpcasters, AddProject.shape.data),
    planned('project.updated', projectUpcasters, UpdateProject.shape.data),
    planned('project_role.added', projectRoleUpcasters, AddProjectRole.shape.data),
    planned('project_role.updated', projectRoleUpcasters, UpdateProjectRole.shape.data),
    planned('project_role.removed', projectRoleUpcasters, RemoveProjectRole.shape.data),
    planned(
      'identity_provider.oidc_added',
      identityProviderUpcasters,
      AddOidcIdentityProvider.shape.data,
    ),
    planned(
      'identity_provider.oidc_config_updated',
      identityProviderUpcasters,
      UpdateOidcConfig.shape.data,
    ),
    planned(
      'identity_provider.updated',
      identityProviderUpcasters,
      UpdateIdentityProvider.shape.data,
    ),
  ],
  { error: 'must be an event that a plan can have' },
)
export type PlannedEvent = {
  /** Of the type of the event: the version that is written today. */
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

/** The command that `event` comes of, with the object that it is for. */
export type PlannedCommand =
  | { readonly of: 'project'; readonly command: ProjectCommand }
  | { readonly of: 'project_role'; readonly command: ProjectRoleCommand }
  | { readonly of: 'identity_provider'; readonly command: IdentityProviderCommand }

/** @see PlannedCommand */
export const commandOf = ({ type, data }: PlannedEvent): PlannedCommand => {
  switch (type) {
    case 'project.added':
      return { of: 'project', command: { type: 'AddProject', data } }
    case 'project.updated':
      return { of: 'project', command: { type: 'UpdateProject', data } }
    case 'project_role.added':
      return { of: 'project_role', command: { type: 'AddProjectRole', data } }
    case 'project_role.updated':
      return { of: 'project_role', command: { type: 'UpdateProjectRole', data } }
    case 'project_role.removed':
      return { of: 'project_role', command: { type: 'RemoveProjectRole', data } }
    case 'identity_provider.oidc_added':
      return { of: 'identity_provider', command: { type: 'AddOidcIdentityProvider', data } }
    case 'identity_provider.oidc_config_updated':
      return { of: 'identity_provider', command: { type: 'UpdateOidcConfig', data } }
    case 'identity_provider.updated':
      return { of: 'identity_provider', command: { type: 'UpdateIdentityProvider', data } }
  }
}

import * as z from 'zod/mini'
import {
  AddOidcIdentityProvider,
  DeactivateIdentityProvider,
  type IdentityProviderCommand,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from '../../../domain/identity-provider/commands.js'
import type {
  IdentityProviderDeactivated,
  IdentityProviderUpdated,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
} from '../../../domain/identity-provider/events.js'
import { currentVersion } from '../../../domain/message.js'
import { AddProject, type ProjectCommand, UpdateProject } from '../../../domain/project/commands.js'
import type { ProjectAdded, ProjectUpdated } from '../../../domain/project/events.js'
import { projectGrants } from '../../../domain/project-grant/aggregate.js'
import {
  type ProjectGrantCommand,
  RemoveProjectGrant,
} from '../../../domain/project-grant/commands.js'
import type { ProjectGrantRemoved } from '../../../domain/project-grant/events.js'
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
import type { OrgId, ProjectId, RoleKey } from '../../../domain/values.js'
import type { NewEvent } from '../../../ports/event-store.js'
import { aggregateOf } from '../../../projections/read-events.js'
import { roleKeys } from '../../method/input.js'

/** An event has the same data as its command, and must meet the same rules. */
const planned = <const Type extends string, Data extends z.ZodMiniType>(
  type: Type,
  { shape: { data } }: { readonly shape: { readonly data: Data } },
) =>
  z.strictObject({
    type: z.literal(type),
    schemaVersion: z.literal(currentVersion(aggregateOf(type).decider.upcasters, type), {
      error: 'must be the current schema version of the event type',
    }),
    data,
  })

/** The roles of a grant by their keys alone: when their lives began is looked up when the event is recorded. */
const PlannedGrant = z.strictObject({ data: z.extend(projectGrants.ids, { roleKeys }) })

/** An event in a plan. */
export const PlannedEvent = z.discriminatedUnion(
  'type',
  [
    planned('project.added', AddProject),
    planned('project.updated', UpdateProject),
    planned('project_role.added', AddProjectRole),
    planned('project_role.updated', UpdateProjectRole),
    planned('project_role.removed', RemoveProjectRole),
    planned('project_grant.added', PlannedGrant),
    planned('project_grant.updated', PlannedGrant),
    planned('project_grant.removed', RemoveProjectGrant),
    planned('identity_provider.oidc_added', AddOidcIdentityProvider),
    planned('identity_provider.oidc_config_updated', UpdateOidcConfig),
    planned('identity_provider.updated', UpdateIdentityProvider),
    planned('identity_provider.deactivated', DeactivateIdentityProvider),
  ],
  { error: 'must be an event that a plan can have' },
)

/** Adds a grant. The event that is recorded also says when the life of each role began. */
export interface PlannedGrantAdded {
  /** As of the event that is recorded. */
  readonly type: 'project_grant.added'
  /** The new grant. */
  readonly data: {
    /** As `ProjectGrant.projectId`. */
    readonly projectId: ProjectId
    /** As `ProjectGrant.grantedOrgId`. */
    readonly grantedOrgId: OrgId
    /** As `ProjectGrant.roleKeys`. */
    readonly roleKeys: readonly RoleKey[]
  }
}

/** Replaces the roles of a grant. The event that is recorded also says when the life of each role began. */
export interface PlannedGrantUpdated {
  /** As of the event that is recorded. */
  readonly type: 'project_grant.updated'
  /** Which grant, and its new roles. */
  readonly data: PlannedGrantAdded['data']
}

export type PlannedEvent = {
  /** Must be the version of the event type that is written today. */
  readonly schemaVersion: NewEvent['schemaVersion']
} & (
  | ProjectAdded
  | ProjectUpdated
  | ProjectRoleAdded
  | ProjectRoleUpdated
  | ProjectRoleRemoved
  | PlannedGrantAdded
  | PlannedGrantUpdated
  | ProjectGrantRemoved
  | OidcIdentityProviderAdded
  | OidcConfigUpdated
  | IdentityProviderUpdated
  | IdentityProviderDeactivated
)

/** An event that gives roles: when their lives began must be looked up to decide on it. */
type GivingEvent = Extract<PlannedEvent, PlannedGrantAdded | PlannedGrantUpdated>

/** Whether `event` gives roles. */
export const givesRoles = (event: PlannedEvent): event is GivingEvent => 'roleKeys' in event.data

/** The command that leads to an event which gives no roles. */
export const commandOf = ({
  type,
  data,
}: Exclude<PlannedEvent, GivingEvent>):
  | ProjectCommand
  | ProjectRoleCommand
  | ProjectGrantCommand
  | IdentityProviderCommand => {
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
    case 'project_grant.removed':
      return { type: 'RemoveProjectGrant', data }
    case 'identity_provider.oidc_added':
      return { type: 'AddOidcIdentityProvider', data }
    case 'identity_provider.oidc_config_updated':
      return { type: 'UpdateOidcConfig', data }
    case 'identity_provider.updated':
      return { type: 'UpdateIdentityProvider', data }
    case 'identity_provider.deactivated':
      return { type: 'DeactivateIdentityProvider', data }
  }
}

import type { IdentityProviderCommand } from '../domain/identity-provider/commands.js'
import {
  type IdentityProviderRefusal,
  type IdentityProviderState,
  identityProvider,
} from '../domain/identity-provider/decider.js'
import type { IdentityProviderEvent } from '../domain/identity-provider/events.js'
import { identityProviders } from '../domain/identity-provider/kind.js'
import type { ProjectCommand } from '../domain/project/commands.js'
import { type ProjectRefusal, type ProjectState, project } from '../domain/project/decider.js'
import type { ProjectEvent } from '../domain/project/events.js'
import { projects } from '../domain/project/kind.js'
import type { ProjectRoleCommand } from '../domain/project-role/commands.js'
import {
  type ProjectRoleRefusal,
  type ProjectRoleState,
  projectRole,
} from '../domain/project-role/decider.js'
import type { ProjectRoleEvent } from '../domain/project-role/events.js'
import { projectRoles } from '../domain/project-role/kind.js'
import type { Host } from '../ports/host.js'
import { type Follow, follow } from './following/follow.js'
import type { Hooks } from './observing/hooks.js'
import { type FreshReads, freshReads } from './reading/fresh-reads.js'
import { type MetadataOf, metadataFactory } from './recording/metadata.js'
import { type Streams, streams } from './recording/tracked.js'
import { WriteQueue } from './recording/write-queue.js'

/** What the use cases of one `createIam` share: what the host supplies, and what is remembered. */
export interface Runtime extends Host {
  /** Absent when nobody watches. */
  readonly hooks?: Hooks | undefined
  readonly queue: WriteQueue
  readonly follow: Follow
  readonly fresh: FreshReads
  readonly metadataOf: MetadataOf
  readonly identityProviders: Streams<
    IdentityProviderCommand,
    IdentityProviderState,
    IdentityProviderEvent,
    IdentityProviderRefusal
  >
  readonly projects: Streams<ProjectCommand, ProjectState, ProjectEvent, ProjectRefusal>
  readonly projectRoles: Streams<
    ProjectRoleCommand,
    ProjectRoleState,
    ProjectRoleEvent,
    ProjectRoleRefusal
  >
}

/** @see Runtime */
export const createRuntime = (host: Host, hooks?: Hooks): Runtime => {
  const following = follow(host.store, host.readModel, hooks)
  return {
    ...host,
    hooks,
    queue: new WriteQueue(),
    follow: following,
    fresh: freshReads(host, following),
    metadataOf: metadataFactory(),
    identityProviders: streams(host.store, {
      decider: identityProvider,
      select: (event) => (identityProviders.reads(event) ? event : undefined),
      // With all of its scopes, one may take twenty kilobytes.
      generationSize: 500,
    }),
    projects: streams(host.store, {
      decider: project,
      select: (event) => (projects.reads(event) ? event : undefined),
    }),
    projectRoles: streams(host.store, {
      decider: projectRole,
      select: (event) => (projectRoles.reads(event) ? event : undefined),
    }),
  }
}

import { ResultAsync } from 'neverthrow'
import type { Position } from '../ports/event-store.js'
import type { Host } from '../ports/host.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { Projection } from '../ports/projection.js'
import type { Views, ViewType } from '../ports/read-model.js'
import type { Applied } from './desired-state/applying/applied.js'
import { applyAccess } from './desired-state/applying/apply-access.js'
import type { DesiredAccess } from './desired-state/declared/desired-access.js'
import type { Plan } from './desired-state/plan/plan.js'
import { planAccess } from './desired-state/planning/plan-access.js'
import type { IamError } from './errors/errors.js'
import type { SealBroken } from './errors/log-fault.js'
import type { CatchUpOptions } from './following/catch-up.js'
import { catchUpToHead, run } from './following/run.js'
import { subscribe } from './following/subscribe.js'
import type { SubscribeOptions } from './following/subscription.js'
import {
  type CheckSecretsOptions,
  checkSecrets,
  type SecretsChecked,
} from './identity-providers/check-secrets.js'
import {
  type IdentityProviders,
  identityProvidersOf,
} from './identity-providers/identity-providers.js'
import type { Read } from './method/method.js'
import type { Hooks } from './observing/hooks.js'
import { observed } from './observing/observer.js'
import { type ProjectRoles, projectRolesOf } from './project-roles/project-roles.js'
import { type Projects, projectsOf } from './projects/projects.js'
import { type HistoryPage, type ListHistoryInput, listHistory } from './reading/list-history.js'
import { type StateAtInput, stateAt } from './reading/state-at.js'
import { createRuntime } from './runtime.js'

/** What was, and who changed it. */
export interface History {
  /**
   * Who changed what, when: in the organization or of one object, page by page; oldest first unless
   * `order` says otherwise. The history of a role shows the removal of its project as its end.
   */
  readonly list: Read<ListHistoryInput, HistoryPage>
  /** An object as `get` would have shown it then; not found when it did not exist. */
  readonly stateAt: Read<StateAtInput, Views[ViewType]>
}

/** Identity and access management, for the host that supplies what it needs. */
export interface Iam {
  /** External OIDC providers users can log in with. */
  readonly identityProviders: IdentityProviders
  /** Containers of applications that share the same roles. */
  readonly projects: Projects
  /** Roles of projects. */
  readonly projectRoles: ProjectRoles
  /** Who changed what, when, and what was so before. */
  readonly history: History

  /**
   * What would make the organization as desired: of every declared object whether it is to be added,
   * updated, removed or left as it is, and by which events. Compares what is declared; records
   * nothing. A declared secret is opened and compared for callers who may read it; for others it
   * counts as a change.
   */
  readonly plan: Read<DesiredAccess, Plan>
  /**
   * Makes the organization as desired, or as planned: one atomic append for each project with its
   * roles (several above 1,000 role changes), and one for each provider. Doing so again changes
   * nothing. A desired state is planned anew when others are faster; a plan is refused when what it
   * saw has changed.
   */
  readonly apply: Read<DesiredAccess | Plan, Applied>

  /**
   * For the host itself: every event after a position, of all organizations, in the order of positions;
   * first those there are, then each as it is recorded. No permission is asked for. At least once:
   * resume with the position of the last event that was dealt with.
   *
   * Reads on only when asked for the next event. While the store is out of order it waits and tries
   * again. Ends when `signal` aborts, or when it is returned from, also while it waits; with `until: 'head'`
   * after the events that were there when it began.
   *
   * @throws TypeError when an option is unknown or malformed
   * @throws SubscriptionEnded, from the loop, at an event that cannot be read: none is ever skipped
   */
  readonly subscribe: (options?: SubscribeOptions) => AsyncIterable<KnownEvent>
  /**
   * For the host itself: feeds `projection` what it has not seen; answers with the position reached.
   * `Unavailable` while the store is out of order, or what the projection works with.
   *
   * @throws TypeError when it is no projection
   */
  readonly catchUp: (
    projection: Projection,
    options?: CatchUpOptions,
  ) => ResultAsync<Position, IamError>
  /**
   * For the host itself: keeps `projection` up to date until `signal` aborts; then answers with the
   * position reached. While the store is out of order, or what the projection works with (a connection
   * that was lost, for example), it tries again after pauses that grow to a second, and calls `onFault`.
   * It ends at an event that cannot be read, or that the projection's own code refuses.
   *
   * @throws TypeError when it is no projection
   */
  readonly run: (
    projection: Projection,
    options?: CatchUpOptions,
  ) => ResultAsync<Position, IamError>
  /**
   * For the host itself, as it starts: opens the client secret of every identity provider there is, in all
   * organizations, so that a key which is missing or wrong is found before anybody logs in and before
   * anything is sealed with it. Reads the whole log once, and records nothing. `verify` with `secrets` opens
   * those that were replaced, too.
   *
   * @returns how many open; or the first that does not, with its place and why: the key is not in the ring,
   *   or it is another key under the same id
   */
  readonly checkSecrets: (
    options?: CheckSecretsOptions,
  ) => ResultAsync<SecretsChecked, SealBroken | IamError>
}

/** Binds the use cases to what `host` supplies. */
export const iamOf = (host: Host, hooks?: Hooks): Iam => {
  const runtime = createRuntime(host, hooks)
  const { store } = host
  return {
    identityProviders: identityProvidersOf(runtime),
    projects: projectsOf(runtime),
    projectRoles: projectRolesOf(runtime),
    plan: planAccess(runtime),
    apply: applyAccess(runtime),
    history: { list: listHistory(runtime), stateAt: stateAt(runtime) },
    subscribe: (options) => subscribe(store, options, hooks),
    catchUp: (projection, options) => {
      requireProjection(projection)
      const catchUp = () => catchUpToHead(store, projection, { ...options, hooks })
      return new ResultAsync(hooks ? observed(hooks, 'catchUp', catchUp) : catchUp())
    },
    run: (projection, options) => {
      requireProjection(projection)
      return new ResultAsync(run(store, projection, { ...options, hooks }))
    },
    checkSecrets: (options) => new ResultAsync(checkSecrets(host, options)),
  }
}

/** @throws TypeError for what would fail for ever, which looks like a store that is away */
const requireProjection = (projection: Projection): void => {
  if (typeof projection?.checkpoint !== 'function' || typeof projection.apply !== 'function')
    throw new TypeError('projection must be a Projection')
}

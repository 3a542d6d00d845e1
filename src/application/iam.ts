import { ok, ResultAsync } from 'neverthrow'
import { checkOptions } from '../check-options.js'
import type { Position } from '../ports/event-store.js'
import type { Host } from '../ports/host.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { Projection } from '../ports/projection.js'
import type { Views, ViewType } from '../ports/read-model.js'
import { type AccessChecks, accessOf } from './access/access.js'
import { DesiredAccess } from './desired-state/declared/desired-access.js'
import {
  permissionsToApply,
  permissionsToApplyPlan,
  permissionsToPlan,
} from './desired-state/permissions-for-plan.js'
import { type Applied, hasManyChanges, isPlan, Plan } from './desired-state/plan/plan.js'
import domainsOf, { type Domains } from './domains/domains.js'
import type { ReadError, SealBroken, WriteError } from './errors/errors.js'
import { catchFaults } from './errors/fault.js'
import { type CatchUpOptions, catchUpToHead, run } from './following/catch-up.js'
import { LOG_OPTIONS } from './following/log-pages.js'
import { type SubscribeOptions, subscribe } from './following/subscribe.js'
import { type Hooks, observed } from './hooks.js'
import identityProvidersOf, {
  type IdentityProviders,
} from './identity-providers/identity-providers.js'
import type { CheckSecretsOptions, SecretsChecked } from './identity-providers/reseal-secrets.js'
import membershipsOf, { type Memberships } from './memberships/memberships.js'
import { type BatchWrite, batchWrite, type Read, read } from './method/method.js'
import projectGrantsOf, { type ProjectGrants } from './project-grants/project-grants.js'
import projectRolesOf, { type ProjectRoles } from './project-roles/project-roles.js'
import projectsOf, { type Projects } from './projects/projects.js'
import { type ListHistoryInput, listHistory } from './reading/history.js'
import type { HistoryPage } from './reading/pages.js'
import { type StateAtInput, stateAt } from './reading/state-at.js'
import roleMappingsOf, { type RoleMappings } from './role-mappings/role-mappings.js'
import { createRuntime, type Runtime } from './runtime.js'
import setupLinksOf, { type SetupLinks } from './setup-links/setup-links.js'
import userGrantsOf, { type UserGrants } from './user-grants/user-grants.js'
import { callPort } from './waiting.js'

/** Past changes and past states. */
export interface History {
  /**
   * The changes of the organization or of one object, with actor and time, page by page; oldest first unless
   * `order` says otherwise. The history of a role ends with the removal of its project.
   *
   * @example
   * const object = { type: 'project', id: projectId } as const
   * const history = await iam.history.list({ object, order: 'desc' }, context)
   */
  readonly list: Read<ListHistoryInput, HistoryPage>
  /** The object as `get` would have returned it at that time; `NotFound` when it did not exist then. */
  readonly stateAt: Read<StateAtInput, Views[ViewType]>
}

/** Identity and access management. */
export interface Iam {
  /** External OIDC providers users can log in with. */
  readonly identityProviders: IdentityProviders
  /** Containers of applications that share the same roles. */
  readonly projects: Projects
  /** Roles of projects. */
  readonly projectRoles: ProjectRoles
  /** Grants of projects to other organizations. */
  readonly projectGrants: ProjectGrants
  /** Grants of roles to users. */
  readonly userGrants: UserGrants
  /** Mappings of groups of identity providers to roles. */
  readonly roleMappings: RoleMappings
  /** Groups that users are in, as identity providers report them. */
  readonly memberships: Memberships
  /** E-mail domains, and the identity provider that their users sign in with. */
  readonly domains: Domains
  /** Links that let somebody without an account set up sign-in for an organization. */
  readonly setupLinks: SetupLinks
  /** Checks of access, and lists of the roles that users have. */
  readonly access: AccessChecks
  /** Past changes and past states. */
  readonly history: History

  /**
   * Compares the organization with a desired state and records nothing. The plan says for every declared object whether
   * it would be added, updated, removed or left unchanged, and with which events. Objects that are not declared are not
   * compared. A declared secret is compared with the stored one if the caller may read it; otherwise it counts as a
   * change.
   *
   * @example
   * const planned = await iam.plan(defineAccess({ projects: [{ id: 'portal', name: 'Portal' }] }), context)
   * if (planned.isOk()) console.log(formatPlan(planned.value))
   */
  readonly plan: Read<DesiredAccess, Plan, WriteError>
  /**
   * Applies a desired state or a plan. Each project with its roles is one atomic append (several above 1,000 role
   * changes or 4 MiB), and so is each provider. Applying twice changes nothing more. If another writer is faster, a
   * desired state is planned again, and a plan is refused with `PlanOutdated`. A plan is recorded only if its desired
   * state still leads to the same changes.
   *
   * @example
   * const applied = await iam.apply(planned.value, context)
   */
  readonly apply: BatchWrite<DesiredAccess | Plan, Applied>

  /**
   * Iterates over every event after a position, of all organizations, in the order of positions: first the stored
   * events, then new ones as they are stored. For the host itself, without a permission check. Delivery is at least
   * once: resume with the position of the last event you handled. The next event is read when the loop asks for it.
   * While the store is unavailable, the loop calls `onFault`, waits and tries again. It ends when `signal` aborts or
   * the loop returns, even during a wait; with `until: 'head'`, it ends after the events that were stored when it
   * began.
   *
   * @throws TypeError when an option is unknown or malformed
   * @throws SubscriptionEnded, from the loop, at an event that cannot be read; no event is skipped. The loop also
   *   throws a bug of the store, such as a `TypeError`, because a retry would not help
   */
  readonly subscribe: (options?: SubscribeOptions) => AsyncIterable<KnownEvent>
  /**
   * Returns the position of the last event in the log, `0n` for an empty log. For the host itself, without a permission
   * check.
   *
   * @throws TypeError when an option is unknown or of a wrong type
   */
  readonly head: (options?: {
    /** Ends the call at once, even while the store does not respond. */
    readonly signal?: AbortSignal | undefined
  }) => ResultAsync<Position, ReadError>
  /**
   * Applies the events after the projection's checkpoint to `projection` and returns the position it reached. For the
   * host itself. Returns `Unavailable` while the store, or a system that the projection uses, is unavailable.
   *
   * @throws TypeError when `projection` is not a Projection, or an option is unknown or of a wrong type
   */
  readonly catchUp: (
    projection: Projection,
    options?: CatchUpOptions,
  ) => ResultAsync<Position, ReadError>
  /**
   * Keeps `projection` up to date until `signal` aborts, then returns the position it reached. For the host itself.
   * While the store or a system that the projection uses is unavailable (for example, a lost connection), it calls
   * `onFault` and tries again after pauses that grow to one second. It ends with an error at an event that cannot be
   * read or that the projection's code refuses, and with `Unavailable` at a bug in either, such as a `TypeError`.
   *
   * @throws TypeError when `projection` is not a Projection, or an option is unknown or of a wrong type
   */
  readonly run: (
    projection: Projection,
    options?: CatchUpOptions,
  ) => ResultAsync<Position, ReadError>
  /**
   * Decrypts the client secret of every existing identity provider, in all organizations, to find a missing or wrong
   * key before the first login. For the host itself, when it starts. Reads the whole log once and records nothing.
   * `verify` with `secrets` also decrypts secrets that were replaced since.
   *
   * @returns the number of secrets, or the first that cannot be decrypted, with its place and the reason: the key is
   *   not in the ring, or a different key has the same id
   * @throws TypeError when an option is unknown or of a wrong type
   */
  readonly checkSecrets: (
    options?: CheckSecretsOptions,
  ) => ResultAsync<SecretsChecked, SealBroken | ReadError>
}

// Loaded at the first call, so that hosts without one do not load it.
const checkingSecrets = () => import('./identity-providers/reseal-secrets.js')

/** The methods, bound to the ports of `host`. */
export const iamOf = (host: Host, hooks?: Hooks): Iam => {
  const runtime = createRuntime(host, hooks)
  const { store, environment } = host
  const surroundings = { hooks, environment }
  return {
    identityProviders: identityProvidersOf(runtime),
    projects: projectsOf(runtime),
    projectRoles: projectRolesOf(runtime),
    projectGrants: projectGrantsOf(runtime),
    userGrants: userGrantsOf(runtime),
    roleMappings: roleMappingsOf(runtime),
    memberships: membershipsOf(runtime),
    domains: domainsOf(runtime),
    setupLinks: setupLinksOf(runtime),
    access: accessOf(runtime),
    plan: planAccess(runtime),
    apply: applyAccess(runtime),
    history: { list: listHistory(runtime), stateAt: stateAt(runtime) },
    subscribe: (options) => subscribe(store, options, surroundings),
    head: (options = {}) => {
      checkOptions('head', options, { optional: { signal: LOG_OPTIONS.signal } })
      const read = () => callPort(() => store.lastPosition(), options.signal)
      return new ResultAsync(catchFaults(async () => ok(await read())))
    },
    catchUp: (projection, options) => {
      requireProjection(projection)
      checkOptions('catchUp', options, { optional: LOG_OPTIONS })
      const catchUp = () => catchUpToHead(store, projection, { ...options, ...surroundings })
      return new ResultAsync(observed(surroundings, 'catchUp', catchUp))
    },
    run: (projection, options) => {
      requireProjection(projection)
      checkOptions('run', options, { optional: LOG_OPTIONS })
      return new ResultAsync(run(store, projection, { ...options, ...surroundings }))
    },
    checkSecrets: (options) => {
      checkOptions('checkSecrets', options, { optional: { signal: LOG_OPTIONS.signal } })
      const check = async () => (await checkingSecrets()).checkSecrets(host, options)
      return new ResultAsync(catchFaults(check))
    },
  }
}

/** @throws TypeError, because a missing method would otherwise look like an unavailable store */
const requireProjection = (projection: Projection): void => {
  if (typeof projection?.checkpoint !== 'function' || typeof projection.apply !== 'function')
    throw new TypeError('projection must be a Projection')
}

// Planning and applying are loaded at their first use, so that other hosts do not load them.
const planning = () => import('./desired-state/plan-desired.js')
const applying = () => import('./desired-state/apply-desired.js')

/** The method that plans a desired state. It records nothing. */
const planAccess = (runtime: Runtime): Read<DesiredAccess, Plan, WriteError> =>
  read(
    runtime,
    { method: 'plan', permissions: [], permissionsFor: permissionsToPlan, schema: DesiredAccess },
    async (call, access) => (await planning()).planDesired(runtime, call, access),
  )

/** The method that applies a plan or a desired state. */
const applyAccess = (runtime: Runtime): BatchWrite<DesiredAccess | Plan, Applied> => {
  const spec = { method: 'apply', permissions: [] }
  const applyDesired = batchWrite(
    runtime,
    { ...spec, permissionsFor: permissionsToApply, schema: DesiredAccess },
    async (call, access) => (await applying()).applyDesired(runtime, call, access),
  )
  const applyPlan = batchWrite(
    runtime,
    { ...spec, permissionsFor: permissionsToApplyPlan, schema: Plan, isLarge: hasManyChanges },
    async (call, plan) => (await applying()).applyPlan(runtime, call, plan),
  )
  return (input, context) =>
    isPlan(input) ? applyPlan(input, context) : applyDesired(input, context)
}

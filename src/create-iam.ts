import type { Hooks } from './application/hooks.js'
import { type Iam, iamOf } from './application/iam.js'
import { checkedIds, ulids } from './application/recording/new-id.js'
import {
  checkOptions,
  FUNCTION,
  type KnownOptions,
  OBJECT,
  type OptionCheck,
  type OptionChecks,
  withMethods,
} from './check-options.js'
import { systemEnvironment } from './ports/environment.js'
import type { EventStore } from './ports/event-store.js'
import type { Authorize, DomainOptions } from './ports/host.js'
import type { ReadModel } from './ports/read-model.js'
import type { SecretCipher } from './ports/secret-cipher.js'

/**
 * What a host supplies. Unknown options are refused; `close`, `migrate` and `engine` are ignored, so that the result of
 * `openSqlite` or `openPostgres` can be spread in.
 */
export interface IamOptions {
  /** Where events are stored; `...openSqlite(path)` and `...(await openPostgres(…))` also supply `readModel`. */
  readonly store: EventStore
  /** Where objects are read; when absent, in memory, built from the log at first use. */
  readonly readModel?: ReadModel | undefined
  /**
   * Seals client secrets before they are recorded. {@link Iam.checkSecrets} finds a key that is missing or
   * wrong; best called before the first request.
   */
  readonly secrets: SecretCipher
  /** Who may do what. There is no default: none would be safe. */
  readonly authorize: Authorize
  /**
   * Makes a new ULID for an append or an object; rising within the process when absent. A call rejects
   * with a `TypeError` when the result is no id.
   */
  readonly newId?: (() => string) | undefined
  /** The clock by which roles expire; the system's time when absent. A call rejects when it answers no valid `Date`. */
  readonly now?: (() => Date) | undefined
  /** What `iam.domains` needs of the host to add and verify domains. */
  readonly domains?: DomainOptions | undefined
  /** Functions that are called as the library works, for metrics, traces and logs; at no cost when absent. */
  readonly hooks?: Hooks | undefined
}

/**
 * Binds the library to what a host supplies.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 */
export const createIam: (options: IamOptions) => Iam = (options) => {
  checkOptions('createIam', options, OPTIONS)
  const { store, secrets, authorize, readModel = readModelInMemory() } = options
  const { newId, now, domains = {}, hooks } = options
  checkOptions('domains', domains, { optional: DOMAIN_OPTIONS, prefix: 'domains.' })
  checkHooks(hooks)
  const ids = newId ? checkedIds(newId) : ulids()
  return iamOf(
    {
      store,
      secrets,
      authorize,
      readModel,
      newId: ids,
      now: clock(now),
      domains,
      environment: systemEnvironment,
    },
    hooks,
  )
}

/** Is loaded at its first use: a host that gives another read model does not start with it. */
const readModelInMemory = (): ReadModel => {
  let loading: Promise<ReadModel> | undefined
  const load = async () => {
    const { memoryReadModel } = await import('./adapters/memory/read-model.js')
    // From now on its own methods are called.
    return Object.assign(model, memoryReadModel())
  }
  const loaded = () => (loading ??= load())
  const model: ReadModel = {
    name: 'memory-read-model',
    checkpoint: async () => (await loaded()).checkpoint(),
    apply: async (from, events) => (await loaded()).apply(from, events),
    reset: async () => (await loaded()).reset(),
    get: async (orgId, ref) => (await loaded()).get(orgId, ref),
    list: async (query) => (await loaded()).list(query),
    history: async (query) => (await loaded()).history(query),
    route: async (domain) => (await loaded()).route(domain),
    access: async (query) => (await loaded()).access(query),
    heldRoles: async (query) => (await loaded()).heldRoles(query),
    holders: async (query) => (await loaded()).holders(query),
    affected: async (query) => (await loaded()).affected(query),
    mappedGroups: async (query) => (await loaded()).mappedGroups(query),
  }
  return model
}

/** `openSqlite` and `openPostgres` return it beside a store and a read model. */
const IGNORED: OptionCheck = [() => true, '']

const OPTIONS: KnownOptions = {
  required: {
    store: withMethods(
      ['append'],
      'must be an EventStore: spread openSqlite(), await openPostgres()',
    ),
    secrets: withMethods(['seal'], 'must be a SecretCipher'),
    authorize: FUNCTION,
  },
  optional: {
    readModel: withMethods(
      ['checkpoint', 'access', 'route'],
      'must be a ReadModel with checkpoint, access, heldRoles, holders and route',
    ),
    newId: FUNCTION,
    now: FUNCTION,
    domains: OBJECT,
    hooks: OBJECT,
    close: IGNORED,
    migrate: IGNORED,
    engine: IGNORED,
  },
}

const DOMAIN_OPTIONS: OptionChecks = { resolveTxt: FUNCTION, isPublicSuffix: FUNCTION }

/** @throws TypeError when the clock of the host answers no time: every role would then count, or none */
const clock =
  (now = () => new Date()) =>
  (): Date => {
    const time = now()
    if (Number.isNaN(time?.getTime?.() ?? Number.NaN))
      throw new TypeError('now must return a valid Date')
    return time
  }

const HOOKS = ['onCall', 'onAppend', 'onConflict', 'onRetry', 'onCatchUp', 'onFault'] as const

/** Hooks may be methods of an object that has other properties too. */
const checkHooks = (hooks: Hooks = {}): void => {
  for (const name of HOOKS)
    if (hooks[name] !== undefined && typeof hooks[name] !== 'function')
      throw new TypeError(`hooks.${name} must be a function`)
}

import { monotonicFactory } from 'ulid'
import type { Hooks } from './application/hooks.js'
import { type Iam, iamOf } from './application/iam.js'
import {
  ANY,
  checkOptions,
  FUNCTION,
  type KnownOptions,
  OBJECT,
  type OptionChecks,
  withMethods,
} from './check-options.js'
import { ID_IN_WORDS, isId } from './domain/values.js'
import { systemEnvironment } from './ports/environment.js'
import type { EventStore } from './ports/event-store.js'
import type { Authorize, DomainOptions } from './ports/host.js'
import type { ReadModel } from './ports/read-model.js'
import type { SecretCipher } from './ports/secret-cipher.js'

/**
 * Options of {@link createIam}. Unknown options are refused; `close`, `migrate` and `engine` are ignored, so that you
 * can spread the result of `openSqlite` or `openPostgres`.
 */
export interface IamOptions {
  /** The event store; `...openSqlite(path)` and `...(await openPostgres(…))` also supply `readModel`. */
  readonly store: EventStore
  /** The read model. Default: one in memory, built from the log at its first use. */
  readonly readModel?: ReadModel | undefined
  /**
   * Encrypts client secrets before they are stored. Call {@link Iam.checkSecrets} before the first request: it finds a
   * missing or wrong key.
   */
  readonly secrets: SecretCipher
  /** Decides whether a caller has a permission. Required, because no default would be safe. */
  readonly authorize: Authorize
  /**
   * Makes a new ULID for an append or an object. Default: ULIDs that rise within the process. Calls reject with a
   * `TypeError` when the result is not a valid id.
   */
  readonly newId?: (() => string) | undefined
  /**
   * The clock that decides when roles expire. Default: the system's time. Calls reject when it does not return a valid
   * `Date`.
   */
  readonly now?: (() => Date) | undefined
  /** Functions that `iam.domains` needs to add and verify domains. */
  readonly domains?: DomainOptions | undefined
  /** Callbacks for metrics, traces and logs. */
  readonly hooks?: Hooks | undefined
}

/**
 * Creates the library's methods on a store, a cipher and an `authorize` function.
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
      spareReadModel: readModelInMemory,
      newId: ids,
      now: clock(now),
      domains,
      environment: systemEnvironment,
    },
    hooks,
  )
}

/** Loaded at its first use, so that a host with another read model does not load it. */
const readModelInMemory = (): ReadModel => {
  let loading: Promise<ReadModel> | undefined
  const load = async () => {
    const { memoryReadModel } = await import('./adapters/memory/read-model.js')
    // After this, calls go to the loaded read model directly.
    return Object.assign(model, memoryReadModel())
  }
  const loaded = () =>
    (loading ??= load().catch((reason) => {
      // The next call tries again: the file may be missing only during an upgrade.
      loading = undefined
      throw reason
    }))
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
    users: async (query) => (await loaded()).users(query),
    affected: async (query) => (await loaded()).affected(query),
    mappedGroups: async (query) => (await loaded()).mappedGroups(query),
  }
  return model
}

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
    // `openSqlite` and `openPostgres` return these beside a store and a read model.
    close: ANY,
    migrate: ANY,
    engine: ANY,
  },
}

const DOMAIN_OPTIONS: OptionChecks = { resolveTxt: FUNCTION, isPublicSuffix: FUNCTION }

/** @throws TypeError when the host's clock does not return a valid time, which would let every role count, or none */
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

/** Checks each id that a host makes: a malformed one could give two objects the same stream. */
const checkedIds =
  (newId: () => string): (() => string) =>
  () => {
    const id = newId()
    if (isId(id)) return id
    throw new TypeError(`newId must return ${ID_IN_WORDS}`)
  }

/** Draws ULIDs that rise within the process. */
export const ulids = (): (() => string) => monotonicFactory(pooledRandom())

const POOL_SIZE = 1024

/** Random numbers from 0 to 1, drawn in bulk: the system takes as long for one byte as for a thousand. */
const pooledRandom = (): (() => number) => {
  const pool = new Uint8Array(POOL_SIZE)
  let next = POOL_SIZE
  return () => {
    if (next === POOL_SIZE) {
      globalThis.crypto.getRandomValues(pool)
      next = 0
    }
    return (pool[next++] ?? 0) / 256
  }
}

import { memoryReadModel } from './adapters/memory/read-model.js'
import type { Hooks } from './application/hooks.js'
import { type Iam, iamOf } from './application/iam.js'
import { checkedIds, ulids } from './application/recording/new-id.js'
import type { EventStore } from './ports/event-store.js'
import type { Authorize, DomainOptions } from './ports/host.js'
import type { ReadModel } from './ports/read-model.js'
import type { SecretCipher } from './ports/secret-cipher.js'

/** What a host supplies. Other properties are ignored, so the result of `openSqlite` can be spread in. */
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
 * @throws TypeError when an option is missing or of a wrong type
 */
export const createIam: (options: IamOptions) => Iam = ({
  store,
  secrets,
  authorize,
  readModel = memoryReadModel(),
  newId,
  now,
  domains = {},
  hooks,
}: Partial<IamOptions> = {}) => {
  if (typeof store?.append !== 'function')
    throw new TypeError('store must be an EventStore: spread openSqlite(), await openPostgres()')
  if (typeof secrets?.seal !== 'function') throw new TypeError('secrets must be a SecretCipher')
  checkFunction('authorize', authorize)
  if (typeof readModel?.checkpoint !== 'function')
    throw new TypeError('readModel must be a ReadModel')
  if (typeof readModel.access !== 'function')
    throw new TypeError('readModel must be a ReadModel with access, heldRoles and holders')
  if (typeof readModel.route !== 'function')
    throw new TypeError('readModel must be a ReadModel with route')
  if (newId !== undefined) checkFunction('newId', newId)
  if (now !== undefined) checkFunction('now', now)
  checkDomains(domains)
  if (hooks !== undefined) checkHooks(hooks)
  const ids = newId ? checkedIds(newId) : ulids()
  return iamOf(
    { store, secrets, authorize, readModel, newId: ids, now: clock(now), domains },
    hooks,
  )
}

/** @throws TypeError when the clock of the host answers no time: every role would then count, or none */
const clock =
  (now = () => new Date()) =>
  (): Date => {
    const time = now()
    if (Number.isNaN(time?.getTime?.() ?? Number.NaN))
      throw new TypeError('now must return a valid Date')
    return time
  }

const DOMAIN_OPTIONS = ['resolveTxt', 'isPublicSuffix'] as const

const checkDomains = (domains: DomainOptions): void => {
  if (typeof domains !== 'object' || domains === null)
    throw new TypeError('domains must be an object')
  for (const name of Object.keys(domains))
    if (!DOMAIN_OPTIONS.some((known) => known === name))
      throw new TypeError(`domains.${name} is not a known option`)
  for (const name of DOMAIN_OPTIONS)
    if (domains[name] !== undefined) checkFunction(`domains.${name}`, domains[name])
}

const HOOKS = ['onCall', 'onAppend', 'onConflict', 'onRetry', 'onCatchUp', 'onFault'] as const

const checkHooks = (hooks: Hooks): void => {
  if (typeof hooks !== 'object' || hooks === null) throw new TypeError('hooks must be an object')
  for (const name of HOOKS)
    if (hooks[name] !== undefined) checkFunction(`hooks.${name}`, hooks[name])
}

function checkFunction(option: string, value: unknown): asserts value is () => unknown {
  if (typeof value !== 'function') throw new TypeError(`${option} must be a function`)
}

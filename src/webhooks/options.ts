import {
  checkOptions,
  FUNCTION,
  type KnownOptions,
  milliseconds,
  withMethods,
} from '../check-options.js'
import { type Caller, type Iam, type IamError, type Position, timeOf } from '../index.js'
import type { NetworkReason } from '../network/fault.js'
import { DEFAULT_TIMEOUT_MS } from '../network/guarded-fetch.js'
import { NETWORK_OPTIONS, type NetworkOptions, networkOf } from '../network/request.js'
import { type Environment, systemEnvironment } from '../ports/environment.js'
import type { WebhookCursors } from '../ports/webhook-cursors.js'
import { boundedCursors } from './cursors.js'
import type { WebhookEndpoint } from './endpoint.js'

/** Options of `webhooks`. */
export interface WebhookOptions extends NetworkOptions {
  /** The library whose changes are sent. */
  readonly iam: Pick<Iam, 'subscribe' | 'head' | 'history'>
  /** Returns the caller that reads the history of an organization; it needs the permission `event.read` there. */
  readonly caller: (orgId: string) => Caller
  /**
   * Stores the progress of each endpoint: `memoryCursors`, `sqliteCursors` of `claviger/sqlite`, `postgresCursors` of
   * `claviger/postgres`, or your own. Processes that share it take turns.
   */
  readonly cursors: WebhookCursors
  /** Returns the current endpoints, with unique ids; called every five seconds. */
  readonly endpoints: () => readonly WebhookEndpoint[] | Promise<readonly WebhookEndpoint[]>
  /** Called after each attempt. Exceptions are ignored. */
  readonly onDelivery?: ((delivery: Delivery) => void) | undefined
  /** Called when endpoints or cursors fail; they are tried again. Exceptions are ignored. */
  readonly onFault?: ((fault: WebhookFault) => void) | undefined
  /** `source` of the messages: a URI reference of 1 to 200 characters. Default: `claviger`. */
  readonly source?: string | undefined
  /**
   * Longest wait for a response, in milliseconds; less than half the lease. Default: 10,000, or a third of the lease if
   * that is less.
   */
  readonly timeout?: number | undefined
  /**
   * Lease on an endpoint, in milliseconds: 1,000 to 600,000. Default: 30,000. One process serves an endpoint and renews
   * its lease; after a crash another process takes over when the lease ends.
   */
  readonly lease?: number | undefined
}

/** The outcome of a delivery attempt. */
export type DeliveryOutcome =
  /** The response had a status from 200 to 299. */
  | 'taken'
  /** The response had any other status; 410 suspends the endpoint at once. */
  | 'refused'
  /** No response; `reason` says why. */
  | 'unreachable'
  /** The history could not be read, so nothing was sent; `error` says why. */
  | 'unreadable'

/** An attempt to deliver a message. */
export interface Delivery {
  /** Id of the endpoint. */
  readonly endpoint: string
  /** Organization of the message. */
  readonly orgId: string
  /** Position of the event; for `unreadable`, the position after which the history could not be read. */
  readonly position: Position
  /** Number of this attempt, from 1. `redeliver` resets it. */
  readonly attempt: number
  /** How the attempt ended. */
  readonly outcome: DeliveryOutcome
  /** Status of the response; absent without a response. */
  readonly status?: number
  /** Why there was no response. */
  readonly reason?: NetworkReason
  /** Why the history could not be read. */
  readonly error?: IamError
  /** Time from the request to the response, in milliseconds. */
  readonly durationMs: number
  /** Age of the event at the end of the attempt, in milliseconds: how far behind the endpoint is. */
  readonly lag: number
  /** Time of the next attempt; absent if the message was accepted or the endpoint is suspended. */
  readonly nextAttempt?: Date
}

/** A failure outside of deliveries. It is tried again. */
export interface WebhookFault {
  /** The part that failed: the function `endpoints`, one endpoint, the cursors, or the log at the start. */
  readonly during: 'endpoints' | 'endpoint' | 'cursors' | 'log'
  /** Id of the endpoint, if the failure concerns one that has an id. */
  readonly endpoint?: string
  /** The exception. */
  readonly cause: unknown
}

/** Checked options, with their defaults. */
export interface Setup {
  readonly options: WebhookOptions
  readonly network: NetworkOptions
  readonly timeout: number
  readonly lease: number
  readonly source: string
  readonly environment: Environment
  /** Waits for a place in a turn of the event loop, because all endpoints may have messages at the same time. */
  readonly ownTurn: () => Promise<void>
  readonly notify: (delivery: Delivery) => void
  readonly notifyFault: (fault: WebhookFault) => void
}

const DEFAULT_LEASE_MS = 30_000

/** @throws TypeError, RangeError @see Setup */
export const setUp = (
  options: WebhookOptions,
  environment: Environment = systemEnvironment,
): Setup => {
  checkOptions('webhooks', options, OPTIONS)
  const { lease = DEFAULT_LEASE_MS, source = 'claviger', onDelivery, onFault } = options
  const { timeout = Math.min(DEFAULT_TIMEOUT_MS, Math.floor(lease / 3)) } = options
  if (timeout * 2 >= lease) throw new RangeError('timeout must be less than half the lease')
  const { fetch, lookup, allowHttpLoopback, allowPrivateNetwork } = options
  const cursors = boundedCursors(options.cursors, { environment, lease })
  return {
    options: { ...options, cursors },
    network: networkOf({ fetch, lookup, allowHttpLoopback, allowPrivateNetwork, timeout }),
    timeout,
    lease,
    source,
    environment,
    ownTurn: turnsOf(environment),
    notify: (delivery) => quietly(onDelivery, delivery),
    notifyFault: (fault) => quietly(onFault, fault),
  }
}

/** Longest time for which messages are begun in one turn of the event loop, in milliseconds. */
const TURN_MS = 5

/** Gives callers their places one after the other, and lets other work run once a turn has taken long. */
const turnsOf = (environment: Environment): Setup['ownTurn'] => {
  let last = Promise.resolve()
  let begin = environment.elapsed()
  const next = async (): Promise<void> => {
    if (environment.elapsed() - begin < TURN_MS) return
    await environment.yield()
    begin = environment.elapsed()
  }
  return () => (last = last.then(next))
}

/** Calls a hook. An exception or rejection of it is ignored. */
const quietly = <Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void => {
  const call = async () => hook?.(event)
  call().catch(() => undefined)
}

/** How long ago the event at a position was recorded, in milliseconds. */
export const ageOf = (position: bigint, { environment }: Setup): number =>
  Math.max(0, environment.now() - timeOf(position).getTime())

/** The characters of a URI reference, without the brackets of an IPv6 address. */
const URI_REFERENCE = /^([\w\-.~:/?#@!$&'()*+,;=]|%[\da-f]{2})+$/i

const OPTIONS: KnownOptions = {
  required: {
    iam: withMethods(['subscribe', 'head'], 'must be an Iam'),
    caller: FUNCTION,
    cursors: withMethods(['read', 'lease', 'write', 'release'], 'must be WebhookCursors'),
    endpoints: FUNCTION,
  },
  optional: {
    ...NETWORK_OPTIONS,
    onDelivery: FUNCTION,
    onFault: FUNCTION,
    source: [
      (value) => typeof value === 'string' && value.length <= 200 && URI_REFERENCE.test(value),
      'must be a URI reference of 1 to 200 characters',
    ],
    lease: milliseconds(1_000, 600_000),
  },
}

import { type Caller, type Iam, timeOf } from '../index.js'
import {
  checkOptions,
  isCallable,
  milliseconds,
  NETWORK_CHECKS,
  type OptionCheck,
  type OptionChecks,
} from '../network/check-options.js'
import { DEFAULT_TIMEOUT_MS, type NetworkOptions } from '../network/guarded-fetch.js'
import type { WebhookCursors } from '../ports/webhook-cursors.js'
import { boundedCursors } from './bounded-cursors.js'
import { type Clock, systemClock } from './clock.js'
import type { Delivery, WebhookFault } from './delivery.js'
import type { WebhookEndpoint } from './endpoint.js'

/** What a host gives to `webhooks`. */
export interface WebhookOptions extends NetworkOptions {
  /** Whose changes are told. */
  readonly iam: Pick<Iam, 'subscribe' | 'catchUp' | 'history'>
  /** Reads the history of an organization; needs `event.read` there. */
  readonly caller: (orgId: string) => Caller
  /**
   * Keeps how far each endpoint is: `memoryCursors`, `sqliteCursors` of `claviger/sqlite`, `postgresCursors` of
   * `claviger/postgres`, or any other. Processes that share it take turns.
   */
  readonly cursors: WebhookCursors
  /** The endpoints there are now, each id once; asked every five seconds. */
  readonly endpoints: () => readonly WebhookEndpoint[] | Promise<readonly WebhookEndpoint[]>
  /** Called after each attempt. What it throws is ignored. */
  readonly onDelivery?: ((delivery: Delivery) => void) | undefined
  /** Called when endpoints or cursors cannot be had, which is tried again. What it throws is ignored. */
  readonly onFault?: ((fault: WebhookFault) => void) | undefined
  /** `source` of the messages, a URI reference of 1 to 200 characters; `claviger` when absent. */
  readonly source?: string | undefined
  /** Longest wait for an answer, in milliseconds: less than half the lease; 10,000, or a third of the lease, when absent. */
  readonly timeout?: number | undefined
  /**
   * How long a process has an endpoint for itself, in milliseconds: 1,000 to 600,000; 30,000 when absent. It is renewed
   * while the process runs. After a crash another process takes over when it ends.
   */
  readonly lease?: number | undefined
}

/** Checked options. */
export interface Setup {
  readonly options: WebhookOptions
  readonly network: NetworkOptions
  readonly timeout: number
  readonly lease: number
  readonly source: string
  readonly clock: Clock
  readonly tell: (delivery: Delivery) => void
  readonly tellFault: (fault: WebhookFault) => void
}

const DEFAULT_LEASE_MS = 30_000

/** @throws TypeError, RangeError @see Setup */
export const setUp = (options: WebhookOptions, clock: Clock = systemClock): Setup => {
  checkOptions('webhooks', options, { required: REQUIRED, optional: OPTIONAL })
  const { lease = DEFAULT_LEASE_MS, source = 'claviger', onDelivery, onFault } = options
  const { timeout = Math.min(DEFAULT_TIMEOUT_MS, Math.floor(lease / 3)) } = options
  if (timeout * 2 >= lease) throw new RangeError('timeout must be less than half the lease')
  const { fetch, lookup, allowHttpLoopback, allowPrivateNetwork } = options
  const cursors = boundedCursors(options.cursors, { clock, lease })
  return {
    options: { ...options, cursors },
    network: { fetch, lookup, allowHttpLoopback, allowPrivateNetwork, timeout },
    timeout,
    lease,
    source,
    clock,
    tell: (delivery) => quietly(onDelivery, delivery),
    tellFault: (fault) => quietly(onFault, fault),
  }
}

/** Calls a hook; one that throws, or is asynchronous and rejects, changes nothing. */
const quietly = <Told>(hook: ((told: Told) => unknown) | undefined, told: Told): void => {
  const call = async () => hook?.(told)
  call().catch(() => undefined)
}

/** How long ago the event at a position was recorded, in milliseconds. */
export const ageOf = (position: bigint, { clock }: Setup): number =>
  Math.max(0, clock.now() - timeOf(position).getTime())

const has =
  (...names: readonly string[]): OptionCheck[0] =>
  (value) =>
    names.every((name) => Reflect.get(Object(value), name) !== undefined)

const REQUIRED: OptionChecks = {
  iam: [has('subscribe', 'catchUp', 'history'), 'must be an Iam'],
  caller: [isCallable, 'must be a function'],
  cursors: [has('read', 'lease', 'write', 'release'), 'must be WebhookCursors'],
  endpoints: [isCallable, 'must be a function'],
}

/** Its characters, but for the brackets of an address in IPv6. */
const URI_REFERENCE = /^([\w\-.~:/?#@!$&'()*+,;=]|%[\da-f]{2})+$/i

const OPTIONAL: OptionChecks = {
  ...NETWORK_CHECKS,
  onDelivery: [isCallable, 'must be a function'],
  onFault: [isCallable, 'must be a function'],
  source: [
    (value) => typeof value === 'string' && value.length <= 200 && URI_REFERENCE.test(value),
    'must be a URI reference of 1 to 200 characters',
  ],
  lease: milliseconds(1_000, 600_000),
}

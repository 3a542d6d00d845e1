import type { IamError, Position } from '../index.js'
import type { NetworkReason } from '../network/network-fault.js'

/** What became of an attempt to deliver a message. */
export type DeliveryOutcome =
  /** Answered with a status of 200 to 299. */
  | 'taken'
  /** Answered with any other status; 410 suspends the endpoint at once. */
  | 'refused'
  /** No answer; `reason` says why. */
  | 'unreachable'
  /** The history could not be read, so nothing was sent; `error` says why. */
  | 'unreadable'

/** An attempt to deliver a message. */
export interface Delivery {
  /** Id of the endpoint. */
  readonly endpoint: string
  /** Organization of the message. */
  readonly orgId: string
  /** Position of the event; of `unreadable`, the position after which the history could not be read. */
  readonly position: Position
  /** Number of this attempt, from 1. After `redeliver` it begins anew. */
  readonly attempt: number
  /** What became of it. */
  readonly outcome: DeliveryOutcome
  /** Status of the answer; absent without one. */
  readonly status?: number
  /** Why there was no answer. */
  readonly reason?: NetworkReason
  /** Why the history could not be read. */
  readonly error?: IamError
  /** From the request to the answer, in milliseconds. */
  readonly durationMs: number
  /** Age of the event at the end of the attempt, in milliseconds: how far behind the endpoint is. */
  readonly lag: number
  /** When the next attempt is made; absent when the message was taken or the endpoint is suspended. */
  readonly nextAttempt?: Date
}

/** What went wrong beside the deliveries; it is tried again. */
export interface WebhookFault {
  /** What failed: the function of the host, an endpoint that it answered with, the cursors, or the log at the start. */
  readonly during: 'endpoints' | 'endpoint' | 'cursors' | 'log'
  /** Id of the endpoint, where it is about one that has an id. */
  readonly endpoint?: string
  /** What was thrown. */
  readonly cause: unknown
}

import { type Result, ResultAsync } from 'neverthrow'
import { checkOptions, SIGNAL } from '../check-options.js'
import type { IamError } from '../index.js'
import { setUp, type WebhookOptions } from './options.js'
import { run } from './run.js'
import {
  type EndpointStatus,
  type RedeliverInput,
  redeliver,
  type StatusInput,
  status,
} from './status-and-redeliver.js'

/** Sends every change to other systems: at least once, in order within an organization, without gaps. */
export interface Webhooks {
  /**
   * Sends to every endpoint until `signal` aborts, and returns when its requests have ended. Any number of processes
   * may run it; one of them at a time serves an endpoint. It waits while the store or the cursors are unavailable. It
   * ends with an error at an event that cannot be read; no event is skipped.
   *
   * @throws TypeError when an option is unknown or malformed
   */
  readonly run: (options?: RunOptions) => ResultAsync<undefined, IamError>
  /** Returns the progress of all endpoints, or of one. */
  readonly status: (input?: StatusInput) => ResultAsync<readonly EndpointStatus[], IamError>
  /**
   * Ends the suspension of an endpoint and moves it to a position, or continues where it was. Messages after that
   * position are sent again with the same `webhook-id`. The process that serves the endpoint notices at its next write.
   */
  readonly redeliver: (input: RedeliverInput) => ResultAsync<EndpointStatus, IamError>
}

/** Options of `run`. */
export interface RunOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates webhooks: CloudEvents 1.0 in JSON, signed by Standard Webhooks. A failed message is retried for three days,
 * with pauses that grow from a second to an hour; meanwhile only its organization waits. After that the endpoint is
 * suspended.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when the timeout is not less than half the lease
 */
export const webhooks = (options: WebhookOptions): Webhooks => {
  const setup = setUp(options)
  return {
    run: (runOptions = {}) => {
      checkOptions('run', runOptions, { optional: { signal: SIGNAL } })
      return new ResultAsync(run(setup, runOptions.signal))
    },
    status: (input = {}) => asResult(status(setup, input)),
    redeliver: (input) => asResult(redeliver(setup, input)),
  }
}

/** An exception of the cursors or of the host's functions becomes `Unavailable`. */
const asResult = <Value>(work: Promise<Result<Value, IamError>>) =>
  ResultAsync.fromPromise(
    work,
    (cause): IamError => ({ kind: 'Unavailable', outcome: 'unknown', cause }),
  ).andThen((answer) => answer)

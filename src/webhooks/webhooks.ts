import { err, type Result, ResultAsync } from 'neverthrow'
import { checkOptions, SIGNAL } from '../check-options.js'
import type { IamError } from '../index.js'
import {
  type EndpointStatus,
  type RedeliverInput,
  redeliver,
  type StatusInput,
  status,
} from './operating.js'
import { setUp, type WebhookOptions } from './options.js'
import { run } from './run.js'

/** Sends every change to other systems: at least once, in order within an organization, none skipped. */
export interface Webhooks {
  /**
   * Sends to every endpoint of the host until `signal` aborts, and answers when its requests have ended. Any number of
   * processes may run; each endpoint is served by one of them at a time. While the store or the cursors are unavailable
   * it waits. It ends with an error at an event that cannot be read; none is skipped.
   *
   * @throws TypeError when an option is unknown or malformed
   */
  readonly run: (options?: RunOptions) => ResultAsync<undefined, IamError>
  /** How far the endpoints of the host are, or one of them. */
  readonly status: (input?: StatusInput) => ResultAsync<readonly EndpointStatus[], IamError>
  /**
   * Moves an endpoint to a position, or lets it continue where it was, and ends its suspension. Messages after that
   * position are sent again, under the same `webhook-id`. The process that serves it notices at its next write.
   */
  readonly redeliver: (input: RedeliverInput) => ResultAsync<EndpointStatus, IamError>
}

/** Options of `run`. */
export interface RunOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Webhooks: CloudEvents 1.0 in JSON, signed after Standard Webhooks. A message that fails is sent again for three days,
 * after pauses that grow from a second to an hour; meanwhile only its organization waits. Then the endpoint is suspended
 * at its cursor.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when the timeout is not less than half the lease
 */
export const webhooks = (options: WebhookOptions): Webhooks => {
  const setup = setUp(options)
  return {
    run: (given = {}) => {
      checkOptions('run', given, { optional: { signal: SIGNAL } })
      return new ResultAsync(run(setup, given.signal))
    },
    status: (input = {}) => asResult(() => status(setup, input)),
    redeliver: (input) => asResult(() => redeliver(setup, input)),
  }
}

/** An exception of the cursors or of a function of the host becomes `Unavailable`. */
const asResult = <Value>(work: () => Promise<Result<Value, IamError>>) => {
  const answer = async (): Promise<Result<Value, IamError>> => {
    try {
      return await work()
    } catch (cause) {
      return err({ kind: 'Unavailable', outcome: 'unknown', cause })
    }
  }
  return new ResultAsync(answer())
}

import { err, type Result, ResultAsync } from 'neverthrow'
import type { IamError } from '../index.js'
import type { RedeliverInput, StatusInput } from './operating/input.js'
import { redeliver } from './operating/redeliver.js'
import { type EndpointStatus, status } from './operating/status.js'
import { setUp, type WebhookOptions } from './options.js'
import { run } from './run.js'

/** Tells every change to other systems: at least once, in order within an organization, and never skipped. */
export interface Webhooks {
  /**
   * Sends to every endpoint of the host until `signal` aborts, and answers when the requests that were made have ended.
   * Any number of processes may run; each endpoint is served by one of them at a time. While the store or the cursors
   * are unavailable it waits. It ends with an error at an event that cannot be read; none is skipped.
   *
   * @throws TypeError when an option is unknown or malformed
   */
  readonly run: (options?: RunOptions) => ResultAsync<undefined, IamError>
  /** How far endpoints are: of all that the host answers with, or of one. */
  readonly status: (input?: StatusInput) => ResultAsync<readonly EndpointStatus[], IamError>
  /**
   * Moves an endpoint to a position, or lets it continue where it was, and ends its suspension. Messages that it took
   * above that position are sent again, under the same `webhook-id`. A process that serves it follows at its next write.
   */
  readonly redeliver: (input: RedeliverInput) => ResultAsync<EndpointStatus, IamError>
}

/** How long to run. */
export interface RunOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Webhooks: CloudEvents 1.0 in JSON, signed after Standard Webhooks. A message that is not taken is sent again for three
 * days, after pauses that grow from a second to an hour; meanwhile its organization waits, and no other. Then the
 * endpoint is suspended at its cursor.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when the timeout is not less than half the lease
 */
export const webhooks = (options: WebhookOptions): Webhooks => {
  const setup = setUp(options)
  return {
    run: (given = {}) => {
      checkRun(given)
      return new ResultAsync(run(setup, given.signal))
    },
    status: (input = {}) => answering(() => status(setup, input)),
    redeliver: (input) => answering(() => redeliver(setup, input)),
  }
}

const checkRun = (options: RunOptions): void => {
  const unknown = Object.keys(Object(options)).find((name) => name !== 'signal')
  if (unknown !== undefined) throw new TypeError(`${unknown} is no option of run`)
  const { signal } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new TypeError('signal must be an AbortSignal')
}

/** What the cursors or a function of the host throw is an error of the kind `Unavailable`. */
const answering = <Value>(work: () => Promise<Result<Value, IamError>>) => {
  const answer = async (): Promise<Result<Value, IamError>> => {
    try {
      return await work()
    } catch (cause) {
      return err({ kind: 'Unavailable', outcome: 'unknown', cause })
    }
  }
  return new ResultAsync(answer())
}

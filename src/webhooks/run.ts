import { err, ok, type Result } from 'neverthrow'
import { type IamError, IamFailure, isIamError, SubscriptionEnded } from '../index.js'
import { InvalidEndpoint, isEndpointId, objectionTo, type WebhookEndpoint } from './endpoint.js'
import { headOf } from './following/head.js'
import { followLog, type Log } from './following/log.js'
import type { Setup } from './options.js'
import { serveEndpoint } from './sending/serve-endpoint.js'

/** How often the host is asked for its endpoints, in milliseconds. */
export const ASK_EVERY_MS = 5_000

/** Pause before the log is asked again where it ends, in milliseconds. */
const PAUSE_MS = 1_000

/** Serves every endpoint of the host until `signal` aborts, or the log has an event that cannot be read. */
export const run = async (
  setup: Setup,
  signal: AbortSignal | undefined,
): Promise<Result<undefined, IamError>> => {
  const { clock, options } = setup
  const ending = new AbortController()
  const end = () => ending.abort()
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const failures: unknown[] = []
  const fail = (error: unknown): void => {
    failures.push(error)
    end()
  }
  const served = new Map<string, ServedEndpoint>()
  try {
    const head = await retryHead(setup, ending.signal)
    if (head === undefined) return ok(undefined)
    const log = followLog(options.iam, head, ending.signal)
    const keepAsking = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        const listed = await endpointsOf(setup)
        // It may have been ended meanwhile: nobody would stop what begins now.
        if (listed && !ending.signal.aborted)
          serve(setup, { served, listed, log, fail, signal: ending.signal })
        await clock.sleep(ASK_EVERY_MS, ending.signal)
      }
    }
    // Not waited for: the host may never say which endpoints there are.
    keepAsking().catch(fail)
    await log.ended
  } catch (error) {
    fail(error)
  } finally {
    end()
    signal?.removeEventListener('abort', end)
    await Promise.all([...served.values()].map(({ done }) => done))
  }
  return failures.length === 0 ? ok(undefined) : err(errorOf(failures[0]))
}

/** What ended the run; a bug is thrown on. */
const errorOf = (failure: unknown): IamError => {
  if (failure instanceof SubscriptionEnded) return failure.cause
  if (failure instanceof IamFailure && isIamError(failure.error)) return failure.error
  throw failure
}

/** Where the log ends; asked again while the store is unavailable, undefined once `signal` aborts. */
const retryHead = async (setup: Setup, signal: AbortSignal): Promise<bigint | undefined> => {
  while (!signal.aborted) {
    try {
      return await headOf(setup.options.iam, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      if (!(error instanceof IamFailure) || error.error.kind !== 'Unavailable') throw error
      setup.tellFault({ during: 'log', cause: error.error })
      await setup.clock.sleep(PAUSE_MS, signal)
    }
  }
  return undefined
}

interface ServedEndpoint {
  current: WebhookEndpoint
  readonly stop: () => void
  readonly done: Promise<void>
}

interface Serving {
  readonly served: Map<string, ServedEndpoint>
  readonly listed: ReadonlyMap<string, WebhookEndpoint>
  readonly log: Log
  readonly fail: (error: unknown) => void
  readonly signal: AbortSignal
}

/** Begins with endpoints that are new, goes on with those that are known, and stops those that are gone. */
const serve = (setup: Setup, { served, listed, log, fail, signal }: Serving): void => {
  for (const [id, { stop }] of served) if (!listed.has(id)) stop()
  for (const [id, endpoint] of listed) {
    const known = served.get(id)
    if (known) {
      known.current = endpoint
      continue
    }
    const stopping = new AbortController()
    const stop = () => stopping.abort()
    signal.addEventListener('abort', stop)
    const find = () => served.get(id)?.current ?? endpoint
    const one = { endpoint: find, log, holder: crypto.randomUUID(), signal: stopping.signal }
    const done = serveEndpoint(setup, one)
      .catch(fail)
      .finally(() => {
        signal.removeEventListener('abort', stop)
        served.delete(id)
      })
    served.set(id, { current: endpoint, stop, done })
  }
}

/** The endpoints of the host by their ids, without those that are malformed; undefined when it does not say. */
export const endpointsOf = async ({
  options,
  tellFault,
}: Setup): Promise<ReadonlyMap<string, WebhookEndpoint> | undefined> => {
  try {
    const listed = new Map<string, WebhookEndpoint>()
    for (const endpoint of await options.endpoints()) {
      const isTwice = listed.has(endpoint?.id)
      const objection = isTwice
        ? 'id is that of another endpoint'
        : objectionTo(endpoint, options.iam)
      if (objection === undefined) listed.set(endpoint.id, endpoint)
      else {
        const id = isEndpointId(endpoint?.id) && { endpoint: endpoint.id }
        tellFault({ during: 'endpoint', ...id, cause: new InvalidEndpoint(objection) })
      }
    }
    return listed
  } catch (cause) {
    tellFault({ during: 'endpoints', cause })
    return undefined
  }
}

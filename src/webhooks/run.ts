import { err, ok, type Result } from 'neverthrow'
import {
  type IamError,
  IamFailure,
  isIamError,
  type Position,
  SubscriptionEnded,
} from '../index.js'
import { type Cursor, readCursor, writeCursor } from './cursors.js'
import { InvalidEndpoint, isEndpointId, objectionTo, type WebhookEndpoint } from './endpoint.js'
import type { LeaseInput } from './lease.js'
import { followLog, type Log } from './log.js'
import type { Setup } from './options.js'
import { runSession } from './session.js'

/** How often the host's `endpoints` is called, in milliseconds. */
const ASK_EVERY_MS = 5_000

/** Pause before the head of the log is read again, in milliseconds. */
const PAUSE_MS = 1_000

/** Serves every endpoint of the host until `signal` aborts, or the log has an event that cannot be read. */
export const run = async (
  setup: Setup,
  signal: AbortSignal | undefined,
): Promise<Result<undefined, IamError>> => {
  const { environment, options, source } = setup
  const ending = new AbortController()
  const ended = ending.signal
  const end = () => ending.abort()
  // Not combined: the host's signal may be of another realm.
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const failures: unknown[] = []
  const fail = (error: unknown): void => {
    failures.push(error)
    end()
  }
  const served = new Map<string, ServedEndpoint>()
  try {
    const head = await findHead(setup, ended)
    if (head === undefined) return ok(undefined)
    const log = followLog(options.iam, head, { source, signal: ended })
    /** Starts new endpoints, updates known ones, and stops those that the host no longer has. */
    const update = (listed: ReadonlyMap<string, WebhookEndpoint>): void => {
      for (const [id, { stopping }] of served) if (!listed.has(id)) stopping.abort()
      for (const [id, endpoint] of listed) {
        const known = served.get(id)
        if (known) {
          known.current = endpoint
          continue
        }
        const stopping = new AbortController()
        const done = serveEndpoint(setup, {
          endpoint: () => served.get(id)?.current ?? endpoint,
          log,
          holder: newHolder(setup),
          signal: AbortSignal.any([ended, stopping.signal]),
        })
          .catch(fail)
          .finally(() => served.delete(id))
        served.set(id, { current: endpoint, stopping, done })
      }
    }
    const keepAsking = async (): Promise<void> => {
      while (!ended.aborted) {
        const listed = await endpointsOf(setup)
        // If the run has ended meanwhile, nothing waits for an endpoint that begins now.
        if (listed && !ended.aborted) update(listed)
        await environment.sleep(ASK_EVERY_MS, ended)
      }
    }
    // Not awaited: the host's function may never return.
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

/** The error that ended the run. A bug is thrown. */
const errorOf = (failure: unknown): IamError => {
  if (failure instanceof SubscriptionEnded) return failure.cause
  if (failure instanceof IamFailure && isIamError(failure.error)) return failure.error
  throw failure
}

/** Position of the last event; tried again while the store is unavailable, undefined once `signal` aborts. */
const findHead = async (setup: Setup, signal: AbortSignal): Promise<Position | undefined> => {
  while (!signal.aborted) {
    const head = await setup.options.iam.head({ signal })
    if (head.isOk()) return head.value
    if (signal.aborted) return undefined
    if (head.error.kind !== 'Unavailable') throw new IamFailure(head.error)
    setup.notifyFault({ during: 'log', cause: head.error })
    await setup.environment.sleep(PAUSE_MS, signal)
  }
  return undefined
}

interface ServedEndpoint {
  current: WebhookEndpoint
  readonly stopping: AbortController
  readonly done: Promise<void>
}

/** Names this process among those that share the cursors. */
const newHolder = ({ environment: { random } }: Setup): string =>
  [random(), random()].map((part) => part.toString(36).slice(2)).join('-')

/** The endpoints of the host by their ids, without malformed ones; undefined when its function fails. */
const endpointsOf = async ({
  options,
  notifyFault,
}: Setup): Promise<ReadonlyMap<string, WebhookEndpoint> | undefined> => {
  try {
    const listed = new Map<string, WebhookEndpoint>()
    for (const endpoint of await options.endpoints()) {
      const isDuplicate = listed.has(endpoint?.id)
      const objection = isDuplicate
        ? 'id is already used by another endpoint'
        : objectionTo(endpoint, options.iam)
      if (objection === undefined) listed.set(endpoint.id, endpoint)
      else {
        const id = isEndpointId(endpoint?.id) && { endpoint: endpoint.id }
        notifyFault({ during: 'endpoint', ...id, cause: new InvalidEndpoint(objection) })
      }
    }
    return listed
  } catch (cause) {
    notifyFault({ during: 'endpoints', cause })
    return undefined
  }
}

/** How often the cursor of a suspended endpoint is read, in milliseconds. */
const LOOK_AT_SUSPENDED_MS = 5_000

/** An endpoint, and the process that serves it. */
interface Served {
  readonly endpoint: () => WebhookEndpoint
  readonly log: Log
  /** Names this process among those that share the cursors. */
  readonly holder: string
  readonly signal: AbortSignal
}

/** Serves an endpoint while this process can get the lease, until `signal` aborts. @throws SubscriptionEnded */
const serveEndpoint = async (setup: Setup, served: Served): Promise<void> => {
  const { environment, lease, notifyFault, options } = setup
  const { signal, endpoint, holder, log } = served
  const { id } = endpoint()
  while (!signal.aborted) {
    let begun: TakenLease | 'suspended' | undefined
    try {
      begun = await takeLease(setup, served)
    } catch (cause) {
      notifyFault({ during: 'cursors', endpoint: id, cause })
    }
    if (begun === 'suspended') await environment.sleep(LOOK_AT_SUSPENDED_MS, signal)
    else if (begun === undefined)
      await environment.sleep((lease / 6) * (0.5 + environment.random()), signal)
    else if (signal.aborted) await options.cursors.release(id, holder).catch(() => undefined)
    else await runSession(setup, { ...begun, endpoint, log, signal })
  }
}

interface TakenLease {
  readonly cursor: Cursor
  readonly lease: LeaseInput
}

/** Takes the lease; undefined while another process has it. Writes the cursor of a new endpoint before anything is sent. */
const takeLease = async (
  setup: Setup,
  served: Served,
): Promise<TakenLease | 'suspended' | undefined> => {
  const { environment, lease, options } = setup
  const { cursors } = options
  const { endpoint: find, holder, log } = served
  const { id: endpoint, after } = find()
  if (readCursor(await cursors.read(endpoint))?.suspended) return 'suspended'
  const began = environment.elapsed()
  const stored = await cursors.lease(endpoint, holder, lease)
  if (stored === undefined) return undefined
  const { version } = stored
  const known = readCursor(stored)
  // Another process has suspended it meanwhile.
  if (known?.suspended) {
    await cursors.release(endpoint, holder)
    return 'suspended'
  }
  if (known) return { cursor: known, lease: { endpoint, holder, version, began } }
  const cursor = { position: after ?? log.head(), held: [] }
  const state = writeCursor(cursor)
  if (!(await cursors.write(endpoint, { state, version, holder }))) return undefined
  return { cursor, lease: { endpoint, holder, version: version + 1, began } }
}

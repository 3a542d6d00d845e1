import type { Environment } from '../ports/environment.js'
import type { Cursor, Suspended } from './cursors.js'
import { deliver } from './deliver.js'
import type { WebhookEndpoint } from './endpoint.js'
import { keepLease, type LeaseInput } from './lease.js'
import type { Change, Log } from './log.js'
import type { Setup } from './options.js'
import { type OrganizationQueue, organizationQueues } from './organization-queues.js'

/** Most requests to an endpoint at the same time, each of another organization. */
const MAX_REQUESTS = 8

/** Longest wait without a signal, in milliseconds. */
const LOOK_EVERY_MS = 1_000

/** An endpoint that this process has leased, and its cursor. */
interface Session {
  /** The endpoint as the host describes it now. */
  readonly endpoint: () => WebhookEndpoint
  readonly log: Log
  readonly cursor: Cursor
  readonly lease: LeaseInput
  /** Ends the session once its requests have ended. */
  readonly signal: AbortSignal
}

/** Sends to an endpoint from its cursor on until the lease is lost, the endpoint is suspended or `signal` aborts. */
export const runSession = async (
  setup: Setup,
  { endpoint, log, cursor, lease: leaseInput, signal }: Session,
): Promise<void> => {
  const { environment } = setup
  const [work, room] = [wakeSignal(environment), wakeSignal(environment)]
  const ending = new AbortController()
  const end = () => {
    ending.abort()
    work.wake()
    room.wake()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const failures: unknown[] = []
  /** Ends the session with an error. */
  const fail = (error: unknown) => {
    failures.push(error)
    end()
  }
  const queues = organizationQueues(cursor, environment)
  const requests = new Set<Promise<void>>()
  let position = cursor.position
  let suspended: Suspended | undefined
  const lease = keepLease(setup, leaseInput, {
    cursor: () => ({ position, held: queues.held(), ...(suspended && { suspended }) }),
    onLost: end,
  })

  const read = async (): Promise<void> => {
    for await (const change of log.changesAfter(position, ending.signal)) {
      if (isWanted(endpoint(), change)) {
        while (!queues.hasRoom(change.orgId) && !ending.signal.aborted)
          await room.wait(LOOK_EVERY_MS)
        if (ending.signal.aborted) return
        queues.add(change)
        work.wake()
      }
      position = change.position
    }
  }

  const serve = async (queue: OrganizationQueue): Promise<void> => {
    // The host may give the endpoint to another organization.
    const isFor = () => isOf(endpoint(), queue.orgId)
    const sending = {
      endpoint,
      logId: log.id,
      permits: () => !ending.signal.aborted && lease.permits() && isFor(),
      onAttempt: lease.touch,
      signal: ending.signal,
    }
    if (!isFor()) queue.taken = queue.upTo
    const progress = isFor() ? await deliver(setup, queue, sending) : 'going'
    queues.release(queue)
    lease.touch()
    room.wake()
    if (progress !== 'going') {
      suspended = { reason: progress, since: environment.now() }
      end()
    }
    work.wake()
  }

  const send = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const isFree = requests.size < MAX_REQUESTS && lease.permits()
      const queue = isFree ? queues.due(environment.elapsed()) : undefined
      if (queue === undefined) {
        const wait = Math.min(LOOK_EVERY_MS, Math.max(1, queues.nextDue() - environment.elapsed()))
        await work.wait(isFree ? wait : LOOK_EVERY_MS / 10)
        continue
      }
      queue.isBusy = true
      const request = serve(queue)
        .catch(fail)
        .finally(() => requests.delete(request))
      requests.add(request)
    }
  }

  await Promise.all([read().catch(fail), send().catch(fail)])
  signal.removeEventListener('abort', end)
  await Promise.all(requests)
  await lease.end()
  if (failures.length > 0) throw failures[0]
}

/** Wakes a loop that waits. */
const wakeSignal = ({ sleep }: Environment) => {
  let waking = new AbortController()
  return {
    wake: () => waking.abort(),
    /** Waits until `wake` is called, or was since the last wait; at most this number of milliseconds. */
    wait: async (milliseconds: number): Promise<void> => {
      await sleep(milliseconds, waking.signal)
      waking = new AbortController()
    },
  }
}

const isOf = ({ orgId, organizations }: WebhookEndpoint, other: string): boolean =>
  organizations === 'all' || orgId === other

const isWanted = (endpoint: WebhookEndpoint, { orgId, type }: Change): boolean =>
  isOf(endpoint, orgId) && (endpoint.types?.some((each) => each === type) ?? true)

import type { Cursor, Suspended } from '../cursor.js'
import type { WebhookEndpoint } from '../endpoint.js'
import type { Change, Log } from '../following/log.js'
import type { Setup } from '../options.js'
import { bellOf } from './bell.js'
import { deliver } from './deliver.js'
import { type Lane, lanesOf } from './lanes.js'
import { type GivenLease, keepLease } from './lease.js'

/** Most requests to an endpoint at the same time, each of another organization. */
const MAX_REQUESTS = 8

/** Longest wait for what is not told, in milliseconds. */
const LOOK_EVERY_MS = 1_000

/** What a session is about. */
export interface Session {
  /** The endpoint as the host describes it now. */
  readonly endpoint: () => WebhookEndpoint
  readonly log: Log
  readonly cursor: Cursor
  readonly lease: GivenLease
  /** Ends the session after the requests that were made. */
  readonly signal: AbortSignal
}

/** Sends to an endpoint from its cursor on, until the lease is lost, the endpoint is suspended or `signal` aborts. */
export const runSession = async (
  setup: Setup,
  { endpoint, log, cursor, lease: given, signal }: Session,
): Promise<void> => {
  const { clock } = setup
  const ending = new AbortController()
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const failures: unknown[] = []
  /** Ends all else before an error goes on. */
  const fail = (error: unknown) => {
    failures.push(error)
    end()
  }
  const lanes = lanesOf(cursor)
  const bell = bellOf(clock)
  const [room, requests] = [bellOf(clock), new Set<Promise<void>>()]
  let position = cursor.position
  let suspended: Suspended | undefined
  const lease = keepLease(setup, given, {
    cursor: () => ({ position, held: lanes.held(), ...(suspended && { suspended }) }),
    onLost: end,
  })

  const read = async (): Promise<void> => {
    for await (const change of log.changesAfter(position, ending.signal)) {
      if (isWanted(endpoint(), change)) {
        while (!lanes.hasRoom(change.orgId) && !ending.signal.aborted)
          await room.wait(LOOK_EVERY_MS, ending.signal)
        if (ending.signal.aborted) return
        lanes.add(change)
        bell.ring()
      }
      position = change.position
    }
  }

  const serve = async (lane: Lane): Promise<void> => {
    // The host may give the endpoint to another organization.
    const isFor = () => (endpoint().orgId ?? lane.orgId) === lane.orgId
    const sending = {
      endpoint,
      permits: () => !ending.signal.aborted && lease.permits() && isFor(),
      onAttempt: lease.touch,
      signal: ending.signal,
    }
    if (!isFor()) lane.taken = lane.upTo
    const progress = isFor() ? await deliver(setup, lane, sending) : 'going'
    lanes.release(lane)
    lease.touch()
    room.ring()
    if (progress !== 'going') {
      suspended = { reason: progress, since: clock.now() }
      end()
    }
    bell.ring()
  }

  const send = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const isFree = requests.size < MAX_REQUESTS && lease.permits()
      const lane = isFree ? lanes.due(clock.now()) : undefined
      if (lane === undefined) {
        const wait = Math.min(LOOK_EVERY_MS, Math.max(1, lanes.nextDue() - clock.now()))
        await bell.wait(isFree ? wait : LOOK_EVERY_MS / 10, ending.signal)
        continue
      }
      lane.isBusy = true
      const request = serve(lane)
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

const isWanted = ({ orgId, types }: WebhookEndpoint, change: Change): boolean =>
  (orgId === undefined || orgId === change.orgId) &&
  (types === undefined || types.some((type) => type === change.type))

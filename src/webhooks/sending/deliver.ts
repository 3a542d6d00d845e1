import type { HistoryEntry, HistoryPage, IamError } from '../../index.js'
import type { SuspensionReason } from '../cursor.js'
import type { Delivery } from '../delivery.js'
import type { WebhookEndpoint } from '../endpoint.js'
import { ageOf, type Setup } from '../options.js'
import type { Lane } from './lanes.js'
import { messageOf } from './message.js'
import { pauseAfter, RETRY_FOR_MS } from './pauses.js'
import { type Answer, send } from './send.js'

/** Most entries that are read at once. */
const PAGE_SIZE = 50

const GONE = 410

/** Whether the endpoint goes on, or why it is suspended. */
export type Progress = 'going' | SuspensionReason

/** The surroundings of a delivery. */
export interface Sending {
  /** As the host describes it now: secrets change while a page is sent. */
  readonly endpoint: () => WebhookEndpoint
  /** Whether the next message may be sent. */
  readonly permits: () => boolean
  /** Called after each attempt that was made. */
  readonly onAttempt: () => void
  /** Ends the reading of history. */
  readonly signal: AbortSignal
}

/** Sends the next messages of an organization, one after the other, until one is not taken. */
export const deliver = async (setup: Setup, lane: Lane, sending: Sending): Promise<Progress> => {
  const { upTo } = lane
  const page = await pageOf(setup, lane, sending)
  if (sending.signal.aborted) return 'going'
  if ('kind' in page)
    return refused(setup, lane, {
      endpoint: sending.endpoint().id,
      position: lane.failing?.position ?? lane.taken,
      what: { outcome: 'unreadable', error: page },
      durationMs: 0,
    })
  for (const entry of page.items) {
    if (!sending.permits()) return 'going'
    const progress = await deliverOne(setup, lane, { entry, sending })
    sending.onAttempt()
    if (progress !== 'taken') return progress
  }
  if (page.nextAfter === undefined) {
    lane.taken = upTo
    lane.failing = undefined
  }
  return 'going'
}

const pageOf = async (
  { options }: Setup,
  { orgId, taken, upTo }: Lane,
  { endpoint, signal }: Sending,
): Promise<HistoryPage | IamError> => {
  const { types } = endpoint()
  const range = { after: taken, before: upTo + 1n, limit: PAGE_SIZE }
  try {
    const context = { caller: options.caller(orgId), orgId, signal }
    const page = await options.iam.history.list({ ...range, types }, context)
    return page.isOk() ? page.value : page.error
  } catch (cause) {
    return { kind: 'Unavailable', outcome: 'not_recorded', cause }
  }
}

const deliverOne = async (
  setup: Setup,
  lane: Lane,
  { entry, sending }: { readonly entry: HistoryEntry; readonly sending: Sending },
): Promise<Progress | 'taken'> => {
  const { clock, network, source } = setup
  const endpoint = sending.endpoint()
  const begin = clock.elapsed()
  const message = messageOf(entry, { orgId: lane.orgId, source })
  const answer = await send(endpoint, message, { network, now: clock.now() })
  const attempt = {
    endpoint: endpoint.id,
    position: entry.sequence,
    durationMs: clock.elapsed() - begin,
  }
  const what = outcomeOf(answer)
  if (what.outcome !== 'taken') {
    const retryAfter = 'status' in answer ? answer.retryAfter : 0
    return refused(setup, lane, { ...attempt, what, retryAfter })
  }
  const failures = lane.failing?.failures ?? 0
  lane.taken = entry.sequence
  lane.failing = undefined
  const { orgId } = lane
  const lag = ageOf(entry.sequence, setup)
  setup.tell({ ...attempt, ...what, orgId, attempt: failures + 1, lag })
  return 'taken'
}

/** The fields of a delivery that say what became of it. */
type What = Pick<Delivery, 'outcome' | 'status' | 'reason' | 'error'>

const outcomeOf = (answer: Answer): What => {
  if ('reason' in answer) return { outcome: 'unreachable', reason: answer.reason }
  const { status } = answer
  return { outcome: status >= 200 && status < 300 ? 'taken' : 'refused', status }
}

interface Refused extends Pick<Delivery, 'endpoint' | 'position' | 'durationMs'> {
  readonly what: What
  /** What the receiver asked for, in milliseconds. */
  readonly retryAfter?: number
}

/** Records a failure: the organization waits, or the endpoint is suspended. */
const refused = (
  setup: Setup,
  lane: Lane,
  { what, retryAfter = 0, ...attempt }: Refused,
): Progress => {
  const { clock } = setup
  const now = clock.now()
  const failures = (lane.failing?.failures ?? 0) + 1
  const since = lane.failing?.since ?? now
  const nextAttempt = Math.ceil(now + pauseAfter(failures, { random: clock.random(), retryAfter }))
  lane.failing = { position: attempt.position, failures, since, nextAttempt }
  const progress =
    what.status === GONE ? 'gone' : now - since >= RETRY_FOR_MS ? 'exhausted' : 'going'
  setup.tell({
    ...attempt,
    ...what,
    orgId: lane.orgId,
    attempt: failures,
    lag: ageOf(attempt.position, setup),
    ...(progress === 'going' && { nextAttempt: new Date(nextAttempt) }),
  })
  return progress
}

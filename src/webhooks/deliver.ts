import type { HistoryEntry, HistoryPage, IamError } from '../index.js'
import type { SuspensionReason } from './cursors.js'
import type { WebhookEndpoint } from './endpoint.js'
import { ageOf, type Delivery, type Setup } from './options.js'
import { isExhausted, type OrganizationQueue, pauseAfter } from './organization-queues.js'
import { type Answer, messageOf, send } from './send-message.js'

/** Most entries that are read at once. */
const PAGE_SIZE = 50

const GONE = 410

/** `going`, or why the endpoint is suspended. */
type Progress = 'going' | SuspensionReason

/** The parts of a session that a delivery needs. */
interface Sending {
  /** The endpoint's current options: its secrets may change while a page is sent. */
  readonly endpoint: () => WebhookEndpoint
  /** @see Log.id */
  readonly logId: () => Promise<string>
  /** Whether the next message may be sent. */
  readonly permits: () => boolean
  /** Called after each attempt that was made. */
  readonly onAttempt: () => void
  /** Ends the reading of history. */
  readonly signal: AbortSignal
}

/** Sends the next messages of an organization, one after the other, until one fails. */
export const deliver = async (
  setup: Setup,
  queue: OrganizationQueue,
  sending: Sending,
): Promise<Progress> => {
  await setup.ownTurn()
  const { upTo } = queue
  const page = await pageOf(setup, queue, sending)
  if (sending.signal.aborted) return 'going'
  if ('kind' in page)
    return refused(setup, queue, {
      endpoint: sending.endpoint().id,
      position: queue.failing?.position ?? queue.taken,
      attempted: { outcome: 'unreadable', error: page },
      durationMs: 0,
    })
  for (const entry of page.items) {
    await setup.ownTurn()
    if (!sending.permits()) return 'going'
    const progress = await deliverOne(setup, queue, { entry, sending, logId: page.logId })
    sending.onAttempt()
    if (progress !== 'taken') return progress
  }
  if (page.nextAfter === undefined) {
    queue.taken = upTo
    queue.failing = undefined
    queue.dueAt = 0
  }
  return 'going'
}

const pageOf = async (
  { options }: Setup,
  { orgId, taken, upTo }: OrganizationQueue,
  { endpoint, signal, logId }: Sending,
): Promise<(HistoryPage & { readonly logId: string }) | IamError> => {
  const { types } = endpoint()
  const range = { after: taken, before: upTo + 1n, limit: PAGE_SIZE }
  try {
    const context = { caller: options.caller(orgId), orgId, signal }
    const page = await options.iam.history.list({ ...range, types }, context)
    return page.isOk() ? { ...page.value, logId: await logId() } : page.error
  } catch (cause) {
    return { kind: 'Unavailable', outcome: 'not_recorded', cause }
  }
}

interface Entry {
  readonly entry: HistoryEntry
  readonly sending: Sending
  readonly logId: string
}

const deliverOne = async (
  setup: Setup,
  queue: OrganizationQueue,
  { entry, sending, logId }: Entry,
): Promise<Progress | 'taken'> => {
  const { environment, source } = setup
  const endpoint = sending.endpoint()
  const begin = environment.elapsed()
  const message = messageOf(entry, { orgId: queue.orgId, source, logId })
  const answer = await send(endpoint, message, setup)
  const attempt = {
    endpoint: endpoint.id,
    position: entry.sequence,
    durationMs: environment.elapsed() - begin,
  }
  const attempted = outcomeOf(answer)
  if (attempted.outcome !== 'taken') {
    const retryAfter = 'status' in answer ? answer.retryAfter : 0
    return refused(setup, queue, { ...attempt, attempted, retryAfter })
  }
  const failures = queue.failing?.failures ?? 0
  queue.taken = entry.sequence
  queue.failing = undefined
  queue.dueAt = 0
  const { orgId } = queue
  const lag = ageOf(entry.sequence, setup)
  setup.notify({ ...attempt, ...attempted, orgId, attempt: failures + 1, lag })
  return 'taken'
}

/** The fields of a delivery that say how the attempt ended. */
type Attempted = Pick<Delivery, 'outcome' | 'status' | 'reason' | 'error'>

const outcomeOf = (answer: Answer): Attempted => {
  if ('reason' in answer) return { outcome: 'unreachable', reason: answer.reason }
  const { status } = answer
  return { outcome: status >= 200 && status < 300 ? 'taken' : 'refused', status }
}

interface Refused extends Pick<Delivery, 'endpoint' | 'position' | 'durationMs'> {
  readonly attempted: Attempted
  /** The pause that the receiver requested, in milliseconds. */
  readonly retryAfter?: number
}

/** Records a failure: the organization waits, or the endpoint is suspended. */
const refused = (
  setup: Setup,
  queue: OrganizationQueue,
  { attempted, retryAfter = 0, ...attempt }: Refused,
): Progress => {
  const { environment } = setup
  const now = environment.now()
  const failures = (queue.failing?.failures ?? 0) + 1
  // The clock of another process may be ahead.
  const since = Math.min(queue.failing?.since ?? now, now)
  const pause = Math.ceil(pauseAfter(failures, { random: environment.random(), retryAfter }))
  const nextAttempt = now + pause
  queue.failing = { position: attempt.position, failures, since, nextAttempt }
  queue.dueAt = environment.elapsed() + pause
  const progress =
    attempted.status === GONE ? 'gone' : isExhausted(queue.failing, now) ? 'exhausted' : 'going'
  setup.notify({
    ...attempt,
    ...attempted,
    orgId: queue.orgId,
    attempt: failures,
    lag: ageOf(attempt.position, setup),
    ...(progress === 'going' && { nextAttempt: new Date(nextAttempt) }),
  })
  return progress
}

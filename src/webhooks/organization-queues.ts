import type { Position } from '../index.js'
import { type Cursor, type Failing, type HeldOrganization, MAX_HELD } from './cursors.js'
import type { Change } from './log.js'

/** The messages of an organization that wait for an endpoint. They are sent one after the other. */
export interface OrganizationQueue {
  readonly orgId: string
  /** Every message at or below was accepted. */
  taken: Position
  /** Position of the last change that waits. */
  upTo: Position
  failing: Failing | undefined
  isBusy: boolean
}

/** The queues of an endpoint, one for each organization with messages that wait. */
interface OrganizationQueues {
  /** Whether a change of this organization can wait. */
  readonly hasRoom: (orgId: string) => boolean
  readonly add: (change: Change) => void
  /** A queue that is due. Queues that were served last come last. */
  readonly due: (now: number) => OrganizationQueue | undefined
  /** Marks a queue as served, and removes it when it is empty. */
  readonly release: (queue: OrganizationQueue) => void
  /** When the next idle queue is due; infinite without one. */
  readonly nextDue: () => number
  readonly held: () => readonly HeldOrganization[]
}

/** @see OrganizationQueues */
export const organizationQueues = ({ position, held }: Cursor): OrganizationQueues => {
  const queues = new Map<string, OrganizationQueue>()
  for (const { orgId, taken, failing } of held)
    queues.set(orgId, { orgId, taken, upTo: position, failing, isBusy: false })
  const dueAt = ({ failing }: OrganizationQueue): number => failing?.nextAttempt ?? 0
  const idle = () => [...queues.values()].filter(({ isBusy }) => !isBusy)
  return {
    hasRoom: (orgId) => queues.size < MAX_HELD || queues.has(orgId),
    add: ({ orgId, position }) => {
      const queue = queues.get(orgId)
      if (queue) queue.upTo = position
      else {
        const taken = position - 1n
        queues.set(orgId, { orgId, taken, upTo: position, failing: undefined, isBusy: false })
      }
    },
    due: (now) => {
      // No pause is that long: the clock was set back, or the clock of another process is ahead.
      const isDue = (at: number) => at <= now || at > now + 2 * LONGEST_PAUSE_MS
      for (const queue of queues.values()) if (!queue.isBusy && isDue(dueAt(queue))) return queue
      return undefined
    },
    release: (queue) => {
      queue.isBusy = false
      queues.delete(queue.orgId)
      if (queue.taken < queue.upTo) queues.set(queue.orgId, queue)
    },
    nextDue: () => Math.min(Number.POSITIVE_INFINITY, ...idle().map(dueAt)),
    held: () =>
      [...queues.values()].map(({ orgId, taken, failing }) => ({
        orgId,
        taken,
        ...(failing && { failing }),
      })),
  }
}

/** First pause before a message is sent again, in milliseconds. */
const FIRST_MS = 1_000

/** Longest pause, in milliseconds, even if a receiver asks for a longer one. */
const LONGEST_PAUSE_MS = 3_600_000

/** Time from the first failure of a message until the endpoint is suspended, in milliseconds. */
export const RETRY_FOR_MS = 3 * 24 * 3_600_000

/**
 * The pause after a number of failures in a row: it doubles from a second to an hour, less up to half of it at random.
 * A receiver may ask for a longer one, up to an hour.
 */
export const pauseAfter = (
  failures: number,
  { random, retryAfter = 0 }: { readonly random: number; readonly retryAfter?: number },
): number => {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20))
  return Math.max(longest * (0.5 + random / 2), Math.min(retryAfter, LONGEST_PAUSE_MS))
}

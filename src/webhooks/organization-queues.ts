import type { Position } from '../index.js'
import type { Environment } from '../ports/environment.js'
import { type Cursor, type Failing, type HeldOrganization, MAX_HELD } from './cursors.js'
import type { Change } from './log.js'

/** The messages of an organization that wait for an endpoint. They are sent one after the other. */
export interface OrganizationQueue {
  readonly orgId: string
  /** Every message up to this position was accepted. */
  taken: Position
  /** Position of the last change that waits. */
  upTo: Position
  failing: Failing | undefined
  /** When its next message is sent, by `elapsed` of the clock, because the time of day may be changed. */
  dueAt: number
  isBusy: boolean
}

/** The queues of an endpoint, one for each organization with messages that wait. */
interface OrganizationQueues {
  /** Whether a change of this organization can wait. */
  readonly hasRoom: (orgId: string) => boolean
  readonly add: (change: Change) => void
  /** Returns a queue that is due, the longest unserved first. */
  readonly due: (elapsed: number) => OrganizationQueue | undefined
  /** Marks a queue as served, and removes it when it is empty. */
  readonly release: (queue: OrganizationQueue) => void
  /** When the next idle queue is due, by `elapsed` of the clock; infinite without one. */
  readonly nextDue: () => number
  readonly held: () => readonly HeldOrganization[]
}

/** @see OrganizationQueues */
export const organizationQueues = (
  { position, held }: Cursor,
  environment: Pick<Environment, 'now' | 'elapsed'>,
): OrganizationQueues => {
  const queues = new Map<string, OrganizationQueue>()
  for (const { orgId, taken, failing } of held) {
    const dueAt = failing ? environment.elapsed() + remainingPause(failing, environment.now()) : 0
    queues.set(orgId, { orgId, taken, upTo: position, failing, dueAt, isBusy: false })
  }
  const idle = () => [...queues.values()].filter(({ isBusy }) => !isBusy)
  return {
    hasRoom: (orgId) => queues.size < MAX_HELD || queues.has(orgId),
    add: ({ orgId, position }) => {
      const queue = queues.get(orgId)
      if (queue) queue.upTo = position
      else {
        const taken = position - 1n
        const added = { failing: undefined, dueAt: 0, isBusy: false }
        queues.set(orgId, { orgId, taken, upTo: position, ...added })
      }
    },
    due: (elapsed) => {
      for (const queue of queues.values()) if (!queue.isBusy && queue.dueAt <= elapsed) return queue
      return undefined
    },
    release: (queue) => {
      queue.isBusy = false
      queues.delete(queue.orgId)
      if (queue.taken < queue.upTo) queues.set(queue.orgId, queue)
    },
    nextDue: () => Math.min(Number.POSITIVE_INFINITY, ...idle().map(({ dueAt }) => dueAt)),
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

/** Longest pause, in milliseconds, even if a receiver requests a longer one. */
const LONGEST_PAUSE_MS = 3_600_000

/** Time from the first failure of a message until the endpoint is suspended, in milliseconds. */
const RETRY_FOR_MS = 3 * 24 * 3_600_000

/**
 * Fewest failures until the endpoint is suspended. In three days without an outage of the senders there are at least
 * 70.
 */
const LEAST_FAILURES = 60

/** Whether a message has failed for three days. The time alone does not tell: clocks of processes may differ. */
export const isExhausted = ({ since, failures }: Failing, now: number): boolean =>
  now - since >= RETRY_FOR_MS && failures >= LEAST_FAILURES

/** The rest of a pause that another process began; never more than the whole pause, because its clock may differ. */
const remainingPause = ({ nextAttempt, failures }: Failing, now: number): number =>
  Math.min(Math.max(0, nextAttempt - now), longestPause(failures))

/**
 * The pause after a number of failures in a row: it doubles from a second to an hour, less up to half of it at random.
 * A receiver may request a longer one, up to an hour.
 */
export const pauseAfter = (
  failures: number,
  { random, retryAfter = 0 }: { readonly random: number; readonly retryAfter?: number },
): number => {
  const longest = longestPause(failures)
  return Math.max(longest * (0.5 + random / 2), Math.min(retryAfter, LONGEST_PAUSE_MS))
}

const longestPause = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20))

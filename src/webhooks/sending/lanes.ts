import type { Position } from '../../index.js'
import { type Cursor, type Failing, type HeldOrganization, MAX_HELD } from '../cursor.js'
import type { Change } from '../following/log.js'
import { LONGEST_PAUSE_MS } from './pauses.js'

/** The messages of an organization that wait for an endpoint; they are sent one after the other. */
export interface Lane {
  readonly orgId: string
  /** Everything at or below was taken. */
  taken: Position
  /** Position of the last change that waits. */
  upTo: Position
  failing: Failing | undefined
  isBusy: boolean
}

/** The lanes of an endpoint. */
export interface Lanes {
  /** Whether a change of this organization can wait. */
  readonly hasRoom: (orgId: string) => boolean
  readonly add: (change: Change) => void
  /** A lane that is due; those that were served last come last. */
  readonly due: (now: number) => Lane | undefined
  /** Marks a lane as served; one of which nothing waits any more is gone. */
  readonly release: (lane: Lane) => void
  /** When the next lane that waits is due; infinite without one. */
  readonly nextDue: () => number
  readonly held: () => readonly HeldOrganization[]
}

/** @see Lanes */
export const lanesOf = ({ position, held }: Cursor): Lanes => {
  const lanes = new Map<string, Lane>()
  for (const { orgId, taken, failing } of held)
    lanes.set(orgId, { orgId, taken, upTo: position, failing, isBusy: false })
  const dueAt = ({ failing }: Lane): number => failing?.nextAttempt ?? 0
  const idle = () => [...lanes.values()].filter(({ isBusy }) => !isBusy)
  return {
    hasRoom: (orgId) => lanes.size < MAX_HELD || lanes.has(orgId),
    add: ({ orgId, position }) => {
      const lane = lanes.get(orgId)
      if (lane) lane.upTo = position
      else {
        const taken = position - 1n
        lanes.set(orgId, { orgId, taken, upTo: position, failing: undefined, isBusy: false })
      }
    },
    due: (now) => {
      // No pause is that long: the clock was set back, or another process has one that is ahead.
      const isDue = (at: number) => at <= now || at > now + 2 * LONGEST_PAUSE_MS
      for (const lane of lanes.values()) if (!lane.isBusy && isDue(dueAt(lane))) return lane
      return undefined
    },
    release: (lane) => {
      lane.isBusy = false
      lanes.delete(lane.orgId)
      if (lane.taken < lane.upTo) lanes.set(lane.orgId, lane)
    },
    nextDue: () => Math.min(Number.POSITIVE_INFINITY, ...idle().map(dueAt)),
    held: () =>
      [...lanes.values()].map(({ orgId, taken, failing }) => ({
        orgId,
        taken,
        ...(failing && { failing }),
      })),
  }
}

import * as z from 'zod/mini'
import type { Position } from '../index.js'
import { type Environment, systemEnvironment } from '../ports/environment.js'
import type { ListedCursors, StoredCursor, WebhookCursors } from '../ports/webhook-cursors.js'

/** Why an endpoint was suspended: it responded with 410, or refused a message for three days. */
export type SuspensionReason = 'gone' | 'exhausted'

/** A position as it is stored: its digits and `n`. */
const position = z.pipe(
  z.string().check(z.regex(/^\d{1,20}n$/)),
  z.transform((text): Position => BigInt(text.slice(0, -1))),
)

/** A message that the endpoint has not accepted yet. Times are in milliseconds since the Unix epoch. */
const Failing = z.strictObject({
  position,
  /** Failures in a row. */
  failures: z.number(),
  /** Time of the first of them. */
  since: z.number(),
  nextAttempt: z.number(),
})
export interface Failing extends Readonly<z.infer<typeof Failing>> {}

/** An organization with messages up to the cursor's position that the endpoint has not accepted yet. */
const HeldOrganization = z.strictObject({
  orgId: z.string(),
  /** Every message at or below was accepted. */
  taken: position,
  failing: z.exactOptional(Failing),
})
export interface HeldOrganization extends Readonly<z.infer<typeof HeldOrganization>> {}

/** Nothing is sent to an endpoint until `redeliver`. */
const Suspended = z.strictObject({
  reason: z.enum(['gone', 'exhausted']),
  /** In milliseconds since the Unix epoch. */
  since: z.number(),
})
export interface Suspended extends Readonly<z.infer<typeof Suspended>> {}

/**
 * The progress of an endpoint: it has accepted every message up to `position`, except for the organizations in `held`,
 * which have their own positions.
 */
const Cursor = z.strictObject({
  position,
  /** At most {@link MAX_HELD}. */
  held: z.readonly(z.array(HeldOrganization)),
  suspended: z.exactOptional(Suspended),
})
export interface Cursor extends Readonly<z.infer<typeof Cursor>> {}

/** Most organizations in `held`. An endpoint with this many reads no further. */
export const MAX_HELD = 1_000

/** Serializes a cursor. */
export const writeCursor = (cursor: Cursor): string =>
  JSON.stringify(cursor, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

/**
 * Parses a cursor; undefined before the first write.
 *
 * @throws Error when another version wrote it, which must not be overwritten
 */
export const readCursor = ({ state }: StoredCursor): Cursor | undefined => {
  if (state === undefined) return undefined
  const parsed = z.safeParse(Cursor, JSON.parse(state))
  if (parsed.success) return parsed.data
  throw new Error('The cursor was written by another version of claviger')
}

interface MemoryCursor {
  readonly state?: string
  readonly version: number
  readonly holder?: string
  /** When the lease ends, by the process's clock, in milliseconds. */
  readonly until: number
}

/** Cursors in memory. After a restart, endpoints begin at the head of the log again. */
export const memoryCursors = (): ListedCursors => cursorsIn(systemEnvironment)

/** {@link memoryCursors} by the clock of `environment`. */
export const cursorsIn = ({ elapsed: now }: Environment): ListedCursors => {
  const cursors = new Map<string, MemoryCursor>()
  const find = (endpoint: string): MemoryCursor => cursors.get(endpoint) ?? { version: 0, until: 0 }
  const isHeld = ({ holder, until }: MemoryCursor): boolean => holder !== undefined && until > now()
  const publicCursor = (found: MemoryCursor): StoredCursor => {
    const { state, version, holder, until } = found
    const lease = holder !== undefined && isHeld(found) && { holder, remaining: until - now() }
    return { version, ...(state !== undefined && { state }), ...(lease && { lease }) }
  }
  return {
    endpoints: async () => [...cursors.keys()].filter((name) => find(name).version > 0),
    read: async (endpoint) => publicCursor(find(endpoint)),
    lease: async (endpoint, holder, milliseconds) => {
      const found = find(endpoint)
      if (isHeld(found) && found.holder !== holder) return undefined
      const leased = { ...found, holder, until: now() + milliseconds }
      cursors.set(endpoint, leased)
      return publicCursor(leased)
    },
    write: async (endpoint, { state, version, holder }) => {
      const found = find(endpoint)
      if (found.version !== version) return false
      if (holder !== undefined && !(isHeld(found) && found.holder === holder)) return false
      cursors.set(endpoint, { ...found, state, version: version + 1 })
      return true
    },
    release: async (endpoint, holder) => {
      const { holder: held, ...found } = find(endpoint)
      if (held === holder) cursors.set(endpoint, { ...found, until: 0 })
    },
  }
}

/** Cursors whose calls reject after the time of a lease, because a connection may be lost without an error. */
export const boundedCursors = (
  cursors: WebhookCursors,
  { environment, lease }: { readonly environment: Environment; readonly lease: number },
): WebhookCursors => {
  const bounded = async <Value>(answer: Promise<Value>): Promise<Value> => {
    const answered = new AbortController()
    const late = environment.sleep(lease, answered.signal).then(() => {
      throw new Error('The cursors did not respond within a lease')
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      answered.abort()
    }
  }
  return {
    read: (endpoint) => bounded(cursors.read(endpoint)),
    lease: (endpoint, holder, milliseconds) =>
      bounded(cursors.lease(endpoint, holder, milliseconds)),
    write: (endpoint, write) => bounded(cursors.write(endpoint, write)),
    release: (endpoint, holder) => bounded(cursors.release(endpoint, holder)),
  }
}

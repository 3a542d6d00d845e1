import * as z from 'zod/mini'
import type { Position } from '../index.js'
import { type Environment, systemEnvironment } from '../ports/environment.js'
import type { ListedCursors, StoredCursor, WebhookCursors } from '../ports/webhook-cursors.js'

/** A message that the endpoint has not accepted yet. */
export interface Failing {
  /** Its position. */
  readonly position: Position
  /** Failures in a row. */
  readonly failures: number
  /** Time of the first of them, in milliseconds since the Unix epoch. */
  readonly since: number
  /** Time of the next attempt, in milliseconds since the Unix epoch. */
  readonly nextAttempt: number
}

/** An organization with messages up to the cursor's position that the endpoint has not accepted yet. */
export interface HeldOrganization {
  readonly orgId: string
  /** Every message at or below was accepted. */
  readonly taken: Position
  readonly failing?: Failing
}

/** Why an endpoint was suspended: it responded with 410, or refused a message for three days. */
export type SuspensionReason = 'gone' | 'exhausted'

/** Nothing is sent to an endpoint until `redeliver`. */
export interface Suspended {
  readonly reason: SuspensionReason
  /** In milliseconds since the Unix epoch. */
  readonly since: number
}

/**
 * The progress of an endpoint: it has accepted every message up to `position`, except for the organizations in `held`,
 * which have their own positions.
 */
export interface Cursor {
  readonly position: Position
  /** At most {@link MAX_HELD}. */
  readonly held: readonly HeldOrganization[]
  readonly suspended?: Suspended
}

/** Most organizations in `held`. An endpoint with this many reads no further. */
export const MAX_HELD = 1_000

/** Serializes a cursor. */
export const writeCursor = (cursor: Cursor): string =>
  JSON.stringify(cursor, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

const position = z.pipe(
  z.string().check(z.regex(/^\d{1,20}n$/)),
  z.transform((text) => BigInt(text.slice(0, -1))),
)

const WrittenCursor = z.strictObject({
  position,
  held: z.array(
    z.strictObject({
      orgId: z.string(),
      taken: position,
      failing: z.exactOptional(
        z.strictObject({
          position,
          failures: z.number(),
          since: z.number(),
          nextAttempt: z.number(),
        }),
      ),
    }),
  ),
  suspended: z.exactOptional(
    z.strictObject({ reason: z.enum(['gone', 'exhausted']), since: z.number() }),
  ),
})

/**
 * Parses a cursor; undefined before the first write.
 *
 * @throws Error when another version wrote it, which must not be overwritten
 */
export const readCursor = ({ state }: StoredCursor): Cursor | undefined => {
  if (state === undefined) return undefined
  const parsed = z.safeParse(WrittenCursor, JSON.parse(state))
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
  const shown = (found: MemoryCursor): StoredCursor => {
    const { state, version, holder, until } = found
    const lease = holder !== undefined && isHeld(found) && { holder, remaining: until - now() }
    return { version, ...(state !== undefined && { state }), ...(lease && { lease }) }
  }
  return {
    endpoints: async () => [...cursors.keys()].filter((name) => find(name).version > 0),
    read: async (endpoint) => shown(find(endpoint)),
    lease: async (endpoint, holder, milliseconds) => {
      const found = find(endpoint)
      if (isHeld(found) && found.holder !== holder) return undefined
      const leased = { ...found, holder, until: now() + milliseconds }
      cursors.set(endpoint, leased)
      return shown(leased)
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

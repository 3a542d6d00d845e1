import * as z from 'zod/mini'
import type { Position } from '../index.js'
import type { StoredCursor } from '../ports/webhook-cursors.js'

/** A message that was not taken. */
export interface Failing {
  /** Its position. */
  readonly position: Position
  /** Failures in a row. */
  readonly failures: number
  /** Time of the first of them, in milliseconds since the Unix epoch. */
  readonly since: number
  /** When it is sent again, likewise. */
  readonly nextAttempt: number
}

/** An organization of which not every message up to the cursor's position was taken. */
export interface HeldOrganization {
  readonly orgId: string
  /** Everything at or below was taken. */
  readonly taken: Position
  readonly failing?: Failing
}

/** Why an endpoint was suspended: it answered 410, or a message was refused for three days. */
export type SuspensionReason = 'gone' | 'exhausted'

/** Nothing is sent to an endpoint until `redeliver`. */
export interface Suspended {
  readonly reason: SuspensionReason
  /** In milliseconds since the Unix epoch. */
  readonly since: number
}

/**
 * How far an endpoint is: everything at or below `position` was taken, but for the organizations that are held. So
 * the lowest position that was not taken lies above that of the one which is furthest behind.
 */
export interface Cursor {
  readonly position: Position
  /** At most {@link MAX_HELD}. */
  readonly held: readonly HeldOrganization[]
  readonly suspended?: Suspended
}

/** Most organizations that are held; an endpoint with as many reads no further. */
export const MAX_HELD = 1_000

/** A cursor as text. */
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
 * The cursor in a text of {@link writeCursor}; undefined before the first write.
 *
 * @throws Error of any other text, such as that of a later version, which must not be written over
 */
export const readCursor = ({ state }: StoredCursor): Cursor | undefined => {
  if (state === undefined) return undefined
  const parsed = z.safeParse(WrittenCursor, JSON.parse(state))
  if (parsed.success) return parsed.data
  throw new Error('The cursor is of another version of claviger')
}

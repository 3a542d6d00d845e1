import * as z from 'zod/mini'
import { EVENT_TYPES } from '../../domain/kinds.js'
import { listOf, MAX_GRANTED_ROLES, RoleKey } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import { onlyOnce } from './refuse-items.js'

/** Number of rows of a page: 1 to 1000; 100 when absent. */
export const pageSize = z._default(
  z
    .int({ error: 'must be a whole number from 1 to 1000' })
    .check(
      z.minimum(1, { error: 'must be at least 1' }),
      z.maximum(1000, { error: 'must be at most 1000' }),
    ),
  100,
)

/** Whether `value` is a position in the log, a uint64. Spec: Common response object `details`. */
export const isPosition = (value: unknown): value is Position =>
  typeof value === 'bigint' && BigInt.asUintN(64, value) === value

/** The condition of {@link isPosition}, in words. */
export const POSITION_IN_WORDS = 'must be a bigint from 0 to 2^64 - 1'

/** A position in the log. */
export const position = z
  .bigint({ error: POSITION_IN_WORDS })
  .check(z.refine(isPosition, { error: POSITION_IN_WORDS }))

const A_DATE = 'must be a valid Date'

/** A time, to the millisecond. Copied, since the host may change a `Date`. */
export const date = z.pipe(
  z.custom<Date>((value) => value instanceof Date, { error: A_DATE }),
  z.pipe(
    z.transform((value: Date) => new Date(value)),
    z.date({ error: A_DATE }),
  ),
)

/** The first position that an event recorded in the millisecond `time` can have. */
export const firstPositionIn = (time: Date): Position => BigInt(time.getTime()) * 1000n

/** 1 to 100 event types. */
export const eventTypes = z.optional(
  listOf(z.enum(EVENT_TYPES, { error: 'must be an event type' }), 1, 100),
)

/** 1 to 400 role keys, none twice. */
export const roleKeys = listOf(RoleKey, 1, MAX_GRANTED_ROLES).check(
  onlyOnce((roleKey: RoleKey) => roleKey, []),
)

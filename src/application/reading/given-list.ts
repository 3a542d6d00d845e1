import * as z from 'zod/mini'
import { text } from '../../domain/values.js'

/** How a text is compared. */
export const OPERATORS = ['equals', 'startsWith', 'contains'] as const

/** Conditions on the text of one field; all that are given must hold, and at least one must be given. */
export const TextFilter = z
  .strictObject({
    equals: z.optional(text),
    startsWith: z.optional(text),
    contains: z.optional(text),
    ignoreCase: z._default(z.boolean({ error: 'must be true or false' }), false),
  })
  .check(
    z.refine((filter) => OPERATORS.some((operator) => filter[operator] !== undefined), {
      error: `must have at least one of ${OPERATORS.join(', ')}`,
    }),
  )
export interface TextFilter {
  /** The whole text: at most 200 characters (code points). */
  readonly equals?: string | undefined
  /** The beginning of the text: at most 200 characters (code points). */
  readonly startsWith?: string | undefined
  /** A part of the text: at most 200 characters (code points). */
  readonly contains?: string | undefined
  /** Ignores case, by the rules of Unicode and not of a language; false when absent. */
  readonly ignoreCase?: boolean | undefined
}

/** The order and the page of a list of `Row`s. */
export interface GivenList<Row> {
  /** Fields to sort by, each at most once; the object's own id or key decides last, and alone when absent. */
  readonly sort?:
    | readonly {
        /** `sequence`, `creationDate` and `changeDate` are those of `details`. */
        readonly field:
          | {
              [Field in keyof Row]-?: NonNullable<Row[Field]> extends string | boolean
                ? Field
                : never
            }[keyof Row]
          | 'sequence'
          | 'creationDate'
          | 'changeDate'
        /** Least first, or greatest first; `asc` when absent. */
        readonly direction?: 'asc' | 'desc' | undefined
      }[]
    | undefined
  /** 1 to 1,000 objects; 100 when absent. */
  readonly pageSize?: number | undefined
  /**
   * `nextPageToken` of the page before, from a list of the same organization with the same filter and
   * order; the first page when absent.
   */
  readonly pageToken?: string | undefined
}

import * as z from 'zod/mini'
import { ObjectInput } from '../../../domain/kinds.js'
import { choice, listOf, type ObjectRef } from '../../../domain/values.js'
import { objectOf, streamOf } from '../../../projections/events/kind-of.js'
import { PlannedEvent } from './planned-event.js'
import { PlannedField } from './planned-field.js'

/**
 * What becomes of a declared object. Nothing, if it is `unchanged`, `blocked` (its id is taken by a removed
 * one) or `superseded` (a newer version of the desired state has marked it).
 */
export type Action = 'add' | 'update' | 'remove' | 'unchanged' | 'blocked' | 'superseded'

/** What becomes of one object, and on what condition. Plain data, as JSON keeps it. */
export interface PlannedChange {
  /** All but `add`, `update` and `remove` come without events. */
  readonly action: Action
  /** By its type and ids. */
  readonly object: ObjectRef
  /** Of what is `blocked`: a removed project or provider keeps its id, a role goes with its project. */
  readonly reason?: 'removed' | undefined
  /** For people to read; what takes effect are the `events`. At most 20. */
  readonly fields: readonly PlannedField[]
  /** As they would be recorded, at most 2; a secret in them is sealed. */
  readonly events: readonly PlannedEvent[]
  /** `details.sequence` of the object as it was seen, in decimal digits; absent when there was none. */
  readonly sequence?: string | undefined
}

/** More than any object has. */
const MAX_FIELDS = 20

/** A list of a plan; measured before its items are looked at. */
export const plannedList = <Item extends z.ZodMiniType>(item: Item, most: number) =>
  z.pipe(
    z.custom<readonly z.input<Item>[]>(Array.isArray, { error: 'must be a list' }),
    listOf(item, 0, most),
  )

/** Schema of a {@link PlannedChange}. */
export const PlannedChange: z.ZodMiniType<PlannedChange> = z
  .strictObject({
    action: choice(['add', 'update', 'remove', 'unchanged', 'blocked', 'superseded']),
    object: ObjectInput,
    reason: z.optional(choice(['removed'])),
    fields: plannedList(PlannedField, MAX_FIELDS),
    events: plannedList(PlannedEvent, 2),
    sequence: z.optional(
      z
        .string({ error: 'must be text' })
        .check(z.regex(/^[1-9][0-9]{0,19}$/, { error: 'must be a sequence in decimal digits' })),
    ),
  })
  .check(
    z.superRefine((change, { addIssue }) => {
      const object = (path: PropertyKey[], message: string) =>
        addIssue({ code: 'custom', path, message })
      const { action, events, reason, sequence } = change
      // Without events it is none of what events say.
      const isSaid = events.every((event) => actionOf(event) === action)
      if (!isSaid || events.length > 0 !== EVENTFUL.includes(action))
        object(['action'], 'must be what the events say')
      if ((action === 'blocked') !== (reason !== undefined))
        object(['reason'], 'must be there of what is blocked, and of nothing else')
      const flaw = flawOfSequence(action, sequence)
      if (flaw !== undefined) object(['sequence'], flaw)
      const own = streamOf('', change.object)
      events.forEach((event, index) => {
        if (streamOf('', objectOf(event)) !== own)
          object(['events', index], 'must tell of the object of the change')
      })
    }),
  )

const EVENTFUL: readonly Action[] = ['add', 'update', 'remove']

/** What is superseded may be there or not. */
const flawOfSequence = (action: Action, sequence: string | undefined): string | undefined => {
  if (action === 'superseded') return undefined
  if (action === 'blocked')
    return sequence === undefined ? undefined : 'must be absent of what is blocked'
  return (action === 'add') === (sequence === undefined)
    ? undefined
    : 'must be absent of what is added, and of nothing else'
}

/** What an event of a plan does to its object. */
export const actionOf = ({ type }: PlannedEvent): Action => {
  if (type.endsWith('added')) return 'add'
  return type.endsWith('removed') ? 'remove' : 'update'
}

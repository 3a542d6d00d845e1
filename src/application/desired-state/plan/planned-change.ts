import * as z from 'zod/mini'
import { ObjectInput } from '../../../domain/aggregates.js'
import { choice, listOf, type ObjectRef } from '../../../domain/values.js'
import { aggregateOf, streamOf } from '../../../projections/read-events.js'
import { isDeclared } from '../declared/declared-type.js'
import { givesRoles, PlannedEvent } from './planned-event.js'
import { PlannedField } from './planned-field.js'

/**
 * What a plan does to an object. Nothing when it is `unchanged`, `blocked` (its id belongs to a removed object)
 * or `superseded` (a newer version of the desired state has marked it).
 */
export type Action = 'add' | 'update' | 'remove' | 'unchanged' | 'blocked' | 'superseded'

/** The change of one object, and its condition. Plain data, which can be stored as JSON. */
export interface PlannedChange {
  /** `add`, `update` and `remove` have events, the others have none. */
  readonly action: Action
  /** By its type and ids. */
  readonly object: ObjectRef
  /** Only of a `blocked` object: a removed project or provider keeps its id, roles and grants end with their project. */
  readonly reason?: 'removed' | undefined
  /** For people to read; only the `events` take effect. At most 20. */
  readonly fields: readonly PlannedField[]
  /** The events to record, at most 2. A secret in them is sealed. */
  readonly events: readonly PlannedEvent[]
  /**
   * `details.sequence` of the object when the plan was made, in decimal digits; absent when there was no
   * object.
   */
  readonly sequence?: string | undefined
}

/** More than any object has. */
const MAX_FIELDS = 20

/** A list in a plan. Its length is checked before its items. */
export const plannedList = <Item extends z.ZodMiniType>(item: Item, most: number) =>
  z.pipe(
    z.custom<readonly z.input<Item>[]>(Array.isArray, { error: 'must be a list' }),
    listOf(item, 0, most),
  )

/** Names an object that can be declared. */
export const DeclaredObject = ObjectInput.check(
  z.refine(isDeclared, { error: 'must be an object that can be declared', path: ['type'] }),
)

/** Schema of a {@link PlannedChange}. */
export const PlannedChange: z.ZodMiniType<PlannedChange> = z
  .strictObject({
    action: choice(['add', 'update', 'remove', 'unchanged', 'blocked', 'superseded']),
    object: DeclaredObject,
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
      const check = (isMet: boolean, path: PropertyKey[], message: string) => {
        if (!isMet) addIssue({ code: 'custom', path, message })
      }
      const { action, events, reason, sequence } = change
      const isOfEvents =
        events.every((event) => actionOf(event) === action) &&
        events.length > 0 === WITH_EVENTS.includes(action)
      check(isOfEvents, ['action'], 'must match the events')
      check(
        action !== 'add' || events.every(({ type }, at) => type.endsWith('added') === (at === 0)),
        ['events'],
        'must begin with the one that adds the object',
      )
      check(
        events.length < 2 || !events.some(givesRoles),
        ['events'],
        'must be one event when it gives roles',
      )
      check(
        (action === 'blocked') === (reason !== undefined),
        ['reason'],
        'must be present when the object is blocked, and only then',
      )
      // A superseded object may exist or not.
      const isAbsent = action === 'superseded' ? sequence === undefined : ABSENT.includes(action)
      check(
        (sequence === undefined) === isAbsent,
        ['sequence'],
        action === 'blocked'
          ? 'must be absent when the object is blocked'
          : 'must be absent when the object is added, and only then',
      )
      const own = streamOf('', change.object)
      for (const [index, event] of events.entries())
        check(
          aggregateOf(event.type).stream('', event.data) === own,
          ['events', index],
          'must be an event of the object of the change',
        )
    }),
  )

const WITH_EVENTS: readonly Action[] = ['add', 'update', 'remove']

/** Actions of objects that do not exist. */
const ABSENT: readonly Action[] = ['add', 'blocked']

/** What an event does to its object. A plan deactivates only what it adds. */
export const actionOf = ({ type }: PlannedEvent): Action => {
  if (type.endsWith('added') || type === 'identity_provider.deactivated') return 'add'
  return type.endsWith('removed') ? 'remove' : 'update'
}

import { compiled } from '../../../domain/message.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { NewEvent, Position } from '../../../ports/event-store.js'
import type { ObjectDetails } from '../../../ports/read-model.js'
import { actionOf, type PlannedChange } from '../plan/planned-change.js'
import { PlannedEvent } from '../plan/planned-event.js'
import { recordedFields, type Values } from '../plan/recorded-fields.js'

/** A planned change that is not recorded yet, with the details of its object. */
export interface PendingChange {
  readonly change: PlannedChange
  /** As the object was read; absent when it does not exist. */
  readonly details?: ObjectDetails | undefined
  /**
   * Of a role or grant that does not exist, the position of the last event of its stream; `0n` without events. Detects one
   * that was added and removed again since. Absent when the stream was not read.
   */
  readonly lastEvent?: Position | undefined
}

/** An object as it was read; without details and values when it does not exist. */
export interface CurrentObject {
  readonly object: ObjectRef
  readonly details?: ObjectDetails | undefined
  readonly values?: Values
}

/** The change of an object by the decided `events`. */
export const changeBy = (
  events: readonly NewEvent[],
  { object, details, values }: CurrentObject,
  { isSecretUnchanged = false } = {},
): PendingChange => {
  const planned = events.map((event) => compiled(PlannedEvent).parse(event))
  const [first] = planned
  const change: PlannedChange = {
    action: first ? actionOf(first) : 'unchanged',
    object,
    fields: isSecretUnchanged ? [{ field: 'clientSecret', secret: 'unchanged' }] : [],
    events: planned,
    ...sequenceOf(details),
  }
  // The other fields follow from the events.
  return { change: { ...change, fields: recordedFields(change, values) }, details }
}

/** No change: the id of the object belongs to a removed one. */
export const blocked = (object: ObjectRef): PendingChange => ({
  change: { action: 'blocked', object, reason: 'removed', fields: [], events: [] },
})

/** No change: a newer version of the desired state has marked the object. */
export const superseded = ({ object, details }: CurrentObject): PendingChange => ({
  change: { action: 'superseded', object, fields: [], events: [], ...sequenceOf(details) },
  details,
})

const sequenceOf = (details: ObjectDetails | undefined): Pick<PlannedChange, 'sequence'> =>
  details ? { sequence: String(details.sequence) } : {}

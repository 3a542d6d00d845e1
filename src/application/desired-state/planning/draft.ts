import { compiled } from '../../../domain/compiled.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { NewEvent, Position } from '../../../ports/event-store.js'
import type { ObjectDetails } from '../../../ports/read-model.js'
import { actionOf, type PlannedChange } from '../plan/planned-change.js'
import { PlannedEvent } from '../plan/planned-event.js'
import type { PlannedField } from '../plan/planned-field.js'

/** A change, beside the details of the object as it was seen. */
export interface Draft {
  readonly change: PlannedChange
  readonly details: ObjectDetails | undefined
  /**
   * Position of the last event of a role that is not there, `0n` for none at all: a role must not be added
   * that came and went since. Absent when that was not looked at.
   */
  readonly ended?: Position | undefined
}

/** What an object is, and the details that it was seen with; not at all without. */
interface Seen {
  readonly object: ObjectRef
  readonly details: ObjectDetails | undefined
}

/** The change that the decided `events` make to an object. */
export const draft = ({
  object,
  fields,
  events,
  details,
}: Seen & {
  readonly fields: readonly PlannedField[]
  readonly events: readonly NewEvent[]
}): Draft => {
  const planned = events.map((event) => compiled(PlannedEvent).parse(event))
  const [first] = planned
  const action = first ? actionOf(first) : 'unchanged'
  return { change: { action, object, fields, events: planned, ...sequenceOf(details) }, details }
}

/** Of an object whose id belongs to a removed one. */
export const blocked = (object: ObjectRef): Draft => ({
  change: { action: 'blocked', object, reason: 'removed', fields: [], events: [] },
  details: undefined,
})

/** Of an object that a newer version of the desired state has marked. */
export const superseded = ({ object, details }: Seen): Draft => ({
  change: { action: 'superseded', object, fields: [], events: [], ...sequenceOf(details) },
  details,
})

const sequenceOf = (details: ObjectDetails | undefined): Pick<PlannedChange, 'sequence'> =>
  details ? { sequence: String(details.sequence) } : {}

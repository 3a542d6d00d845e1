import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { FieldChange, Views, ViewType } from '../../ports/read-model.js'
import { fieldChanges } from '../../projections/history-entries.js'
import { aggregateOf, isOfObject, objectOf, readEvents } from '../../projections/read-events.js'
import { rowAfter } from '../../projections/rows.js'
import { fromPort } from '../errors/fault.js'
import { withLivingRoles } from '../granting/shown-roles.js'
import type { AdmittedCall } from '../method/context.js'
import type { Planned } from '../method/method.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting.js'

interface PlannedWrite extends Pick<Planned, 'events' | 'details'> {
  /** Of several objects, what stands before the fields of each. */
  readonly placeOf?: (index: number) => string
}

/** The fields that the events of a dry run would change: of one object as it is at `details`, or of new ones. */
export const plannedChanges = async (
  { store, metadataOf }: Runtime,
  call: AdmittedCall,
  { events, details, placeOf }: PlannedWrite,
): Promise<readonly FieldChange[]> => {
  const metadata = metadataOf(call)
  const planned = events
    .filter(isOfObject)
    .map(({ type, schemaVersion, data }: NewEvent): RecordedEvent => {
      const stream = aggregateOf(type).stream(call.orgId, data)
      return { type, schemaVersion, data, appendId: '', stream, version: 1, position: 0n, metadata }
    })
  const [first] = planned
  const reading = first && details && fromPort(() => store.readStream(first.stream))
  const read = reading ? await raceAbort(reading, call.signal) : []
  const past = read.filter(({ position }) => details && position <= details.sequence)
  let row = readEvents(past).reduce<Views[ViewType] | undefined>(rowAfter, undefined)
  const known = readEvents(planned)
  if (row && known[0]) {
    const found = { row, object: objectOf(known[0]), orgId: call.orgId }
    row = await raceAbort(withLivingRoles(store, found), call.signal)
  }
  return known.flatMap((event, index) => {
    const before = details && row
    row = rowAfter(before, event)
    const place = placeOf?.(index) ?? ''
    return fieldChanges(event, { before, after: row }).map((change) => ({
      ...change,
      field: `${place}${change.field}`,
    }))
  })
}

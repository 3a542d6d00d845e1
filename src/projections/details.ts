import { type RecordedEvent, timeOf } from '../ports/event-store.js'
import type { ObjectDetails } from '../ports/read-model.js'

/** Details of an object that came to be with `event`. */
export const firstDetails = ({ position, metadata }: RecordedEvent): ObjectDetails => {
  const time = timeOf(position)
  return {
    sequence: position,
    creationDate: time,
    changeDate: time,
    resourceOwner: metadata.resourceOwner,
  }
}

/** Details of an object that had `details` until `event`. */
export const laterDetails = (
  details: ObjectDetails,
  { position }: RecordedEvent,
): ObjectDetails => ({
  sequence: position,
  creationDate: details.creationDate,
  changeDate: timeOf(position),
  resourceOwner: details.resourceOwner,
})

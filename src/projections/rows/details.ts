import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import type { ObjectDetails } from '../../ports/read-model.js'

/** Details after `event` of an object that had `before`, or that came to be with it. */
export const detailsAfter = (
  before: ObjectDetails | undefined,
  { position, metadata }: RecordedEvent,
): ObjectDetails => {
  const changeDate = timeOf(position)
  return {
    sequence: position,
    creationDate: before?.creationDate ?? changeDate,
    changeDate,
    resourceOwner: metadata.resourceOwner,
  }
}

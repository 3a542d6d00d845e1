import type { ObjectRef } from '../../domain/values.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import { streamOf } from '../../projections/read-events.js'
import { WHOLE_REMOVALS, wholesOf } from '../../projections/rows.js'
import { fromPort } from '../errors/fault.js'

/** Whether the project or the provider that contains an object was removed above `after`, and not above `until`. */
export const isRemovedWithWhole = async (
  store: EventStore,
  { orgId, object }: { readonly orgId: string; readonly object: ObjectRef },
  { after, until }: { readonly after: Position; readonly until: Position },
): Promise<boolean> => {
  const streams = await Promise.all(
    wholesOf(orgId, object).map((whole) =>
      fromPort(() => store.readStream(streamOf(orgId, whole))),
    ),
  )
  return streams
    .flat()
    .some(
      ({ type, position }) =>
        position > after && position <= until && WHOLE_REMOVALS.includes(type),
    )
}

import type { StreamId } from '../domain/values.js'
import { type Position, timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../ports/read-model.js'
import { filterableText } from '../projections/condition.js'
import { foldCase } from '../projections/fold-case.js'
import { type Change, fieldChanges } from '../projections/history-view.js'
import { ownerOf } from '../projections/place.js'
import { objectIn } from '../projections/stream-name.js'
import { type ViewFields, viewFields } from '../projections/view-fields.js'
import { foldedFields, foldedKey, isKey } from './read-tables.js'

/** The columns that {@link decodeRow} reads. */
export const SHOWN_COLUMNS = 'shown, sequence, creation_date'

/** What a row holds besides its place, in columns that follow those of {@link SHOWN_COLUMNS}. */
export interface KeptRow {
  /** All fields but the details, as JSON. */
  readonly shown: string
  readonly sequence: Position
  /** In milliseconds. */
  readonly creationDate: number
  /** The folded texts of `foldedFields`; null where the key tells it. */
  readonly folded: readonly (string | null)[]
}

/** How the objects of a type are kept. */
export const rowEncoder = <Type extends ViewType>(type: Type): ((row: Views[Type]) => KeptRow) => {
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const folded = foldedFields(type).map((field) => {
    const fold = isKey(type, field) ? foldedKey : foldCase
    const read = filterableText(fields, field)
    return (row: Views[Type]) => fold(read(row))
  })
  return (row) => {
    const { details } = row
    return {
      // JSON leaves out what is undefined; a copy without the field would take longer.
      shown: JSON.stringify({ ...row, details: undefined }),
      sequence: details.sequence,
      creationDate: details.creationDate.getTime(),
      folded: folded.map((foldedOf) => foldedOf(row)),
    }
  }
}

/** An object of `scope` as it is read, from what its row holds. */
export const decodeRow = <Type extends ViewType>(
  scope: string,
  { shown, sequence, creationDate }: Omit<KeptRow, 'folded'>,
): Views[Type] => ({
  ...JSON.parse(shown),
  details: {
    sequence,
    creationDate: new Date(creationDate),
    changeDate: timeOf(sequence),
    resourceOwner: ownerOf(scope),
  },
})

/** The columns that {@link decodeEntry} reads. */
export const ENTRY_COLUMNS = 'position, stream, type, actor, actor_org_id, correlation_id, changes'

/** An entry of the history, in the order of {@link ENTRY_COLUMNS}. */
export type EntryRow<Integer> = readonly [
  position: Integer,
  stream: StreamId,
  type: string,
  actor: string,
  actorOrgId: string,
  correlationId: string | null,
  /** As JSON. */
  changes: string,
]

/** What `event` did, as it is kept. */
export const encodeEntry = (event: KnownEvent, change: Change): EntryRow<Position> => {
  const { position, stream, type, metadata } = event
  const { actor, correlationId = null } = metadata
  const changes = JSON.stringify(fieldChanges(event, change))
  return [position, stream, type, actor.userId, actor.orgId, correlationId, changes]
}

/** The entry that is kept as `row`. */
export const decodeEntry = (row: EntryRow<number | string>): HistoryEntry => {
  const [position, stream, type, userId, orgId, correlationId, json] = row
  const sequence = BigInt(position)
  const changes: readonly FieldChange[] = JSON.parse(json)
  return {
    sequence,
    time: timeOf(sequence),
    actor: { userId, orgId },
    type,
    object: objectIn(stream),
    changes: changes.map(decodeChange),
    ...(correlationId !== null && { correlationId }),
  }
}

/** JSON leaves out what is undefined. */
const decodeChange = (change: FieldChange): FieldChange =>
  'changed' in change ? change : { field: change.field, from: change.from, to: change.to }

import { type Position, timeOf } from '../ports/event-store.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../ports/read-model.js'
import { filterableText } from '../projections/condition.js'
import { foldCase } from '../projections/fold-case.js'
import { type Change, type HistoryRecord, historyRecord } from '../projections/history-view.js'
import type { KnownEvent } from '../projections/known-event.js'
import { ownerOf } from '../projections/place.js'
import { type ViewFields, viewFields } from '../projections/view-fields.js'
import { foldedFields } from './read-tables.js'

/** The columns that {@link decodeRow} reads. */
export const SHOWN_COLUMNS = 'shown, sequence, creation_date'

/** What a row holds besides its place, in columns that follow those of {@link SHOWN_COLUMNS}. */
export interface KeptRow {
  /** All fields but the details, as JSON. */
  readonly shown: string
  readonly sequence: Position
  /** In milliseconds. */
  readonly creationDate: number
  /** The folded texts of `foldedFields`. */
  readonly folded: readonly string[]
}

/** How the objects of a type are kept. */
export const rowEncoder = <Type extends ViewType>(type: Type): ((row: Views[Type]) => KeptRow) => {
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const texts = foldedFields(type).map((field) => filterableText(fields, field))
  return (row) => {
    const { details } = row
    return {
      // JSON leaves out what is undefined; a copy without the field would take longer.
      shown: JSON.stringify({ ...row, details: undefined }),
      sequence: details.sequence,
      creationDate: details.creationDate.getTime(),
      folded: texts.map((read) => foldCase(read(row))),
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

/** An entry of the history as JSON; its position says the rest. */
export const encodeEntry = (event: KnownEvent, change: Change): string =>
  JSON.stringify(historyRecord(event, change))

/** The entry that was kept as `json`. */
export const decodeEntry = (sequence: Position, json: string): HistoryEntry => {
  const entry: HistoryRecord = JSON.parse(json)
  return { sequence, time: timeOf(sequence), ...entry, changes: entry.changes.map(decodeChange) }
}

/** JSON leaves out what is undefined. */
const decodeChange = (change: FieldChange): FieldChange =>
  'changed' in change ? change : { field: change.field, from: change.from, to: change.to }

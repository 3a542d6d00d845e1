import { type Position, timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../ports/read-model.js'
import { filterableText } from '../projections/condition.js'
import { foldCase } from '../projections/fold-case.js'
import { type Change, fieldChanges, shownChanges } from '../projections/history-view.js'
import { objectOf } from '../projections/object-of.js'
import { objectAt, ownerOf, placeOf } from '../projections/place.js'
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

/** What the rows and entries of one batch of events share. */
export interface Shared {
  /** The number of a name. */
  readonly numberOf: (name: string) => number
  /** All fields of a row but the details, as JSON. */
  readonly shownIn: (row: Views[ViewType]) => string
}

/** Makes the text of a row once: an object that is new has it in its first entry as well. */
export const shownOnce = (): Shared['shownIn'] => {
  const made = new Map<Views[ViewType], string>()
  return (row) => {
    // JSON leaves out what is undefined; a copy without the field would take longer.
    const shown = made.get(row) ?? JSON.stringify({ ...row, details: undefined })
    made.set(row, shown)
    return shown
  }
}

/** How the objects of a type are kept. */
export const rowEncoder = <Type extends ViewType>(
  type: Type,
): ((row: Views[Type], shared: Shared) => KeptRow) => {
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const folded = foldedFields(type).map((field) => {
    const fold = isKey(type, field) ? foldedKey : foldCase
    const read = filterableText(fields, field)
    return (row: Views[Type]) => fold(read(row))
  })
  return (row, { shownIn }) => {
    const { details } = row
    return {
      shown: shownIn(row),
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

/** The columns of an entry of the history that hold numbers of names: an entry's names repeat. */
const NAME_COLUMNS = ['org', 'scope', 'type']

const OTHER_COLUMNS = ['key', 'position', 'actor', 'actor_org_id', 'correlation_id', 'changes']

/** The columns of an entry. */
export const ENTRY_COLUMNS = [...NAME_COLUMNS, ...OTHER_COLUMNS]

/** What an entry holds besides names. */
type Others<Integer> = readonly [
  /** Of the object, in its scope. */
  key: string,
  position: Integer,
  actor: string,
  actorOrgId: string,
  correlationId: string | null,
  /** As JSON: the list of changes, or all that is shown of an object that came to be. */
  changes: string,
]

/** In the order of {@link ENTRY_COLUMNS}. */
export type EntryRow = readonly [org: number, scope: number, type: number, ...Others<Position>]

/**
 * The names that the entry of `event` holds, in the order of its columns. All are bounded, as an index of them
 * demands; the ids of who acted are not, in events that others wrote.
 */
export const namesOf = (event: KnownEvent): readonly [string, string, string] => {
  const { resourceOwner } = event.metadata
  const { scope } = placeOf(resourceOwner, objectOf(event))
  return [resourceOwner, scope, event.type]
}

/** What `event` did, as it is kept. */
export const encodeEntry = (event: KnownEvent, change: Change, shared: Shared): EntryRow => {
  const { numberOf } = shared
  const [org, scope, type] = namesOf(event)
  const { actor, correlationId = null } = event.metadata
  return [
    numberOf(org),
    numberOf(scope),
    numberOf(type),
    placeOf(org, objectOf(event)).key,
    event.position,
    actor.userId,
    actor.orgId,
    correlationId,
    changesIn(event, change, shared),
  ]
}

const changesIn = (event: KnownEvent, change: Change, { shownIn }: Shared): string => {
  const { before, after } = change
  const isShown = before === undefined && after !== undefined && !('clientSecret' in event.data)
  return isShown ? shownIn(after) : JSON.stringify(fieldChanges(event, change))
}

/** What follows `SELECT` when entries are read, with names out of the table `names`. */
export const readColumns = (names: string): string => {
  const read = NAME_COLUMNS.slice(1).map(
    (column) => `(SELECT name FROM ${names} WHERE number = ${column})`,
  )
  return [...read, ...OTHER_COLUMNS].join(', ')
}

/** What is found by {@link readColumns}. */
export type FoundEntry<Integer> = readonly [scope: string, type: string, ...Others<Integer>]

/** The entry that was found as `row`. */
export const decodeEntry = (row: FoundEntry<number | string>): HistoryEntry => {
  const [scope, type, key, position, userId, orgId, correlationId, json] = row
  const sequence = BigInt(position)
  const object = objectAt(type, { scope, key })
  const changes: readonly FieldChange[] | Views[ViewType] = JSON.parse(json)
  return {
    sequence,
    time: timeOf(sequence),
    actor: { userId, orgId },
    type,
    object,
    changes:
      'state' in changes
        ? shownChanges(object.type, { before: undefined, after: changes })
        : changes.map(decodeChange),
    ...(correlationId !== null && { correlationId }),
  }
}

/** JSON leaves out what is undefined. */
const decodeChange = (change: FieldChange): FieldChange =>
  'changed' in change ? change : { field: change.field, from: change.from, to: change.to }

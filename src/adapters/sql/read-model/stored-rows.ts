import { aggregates } from '../../../domain/aggregates.js'
import { timeOf } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../../../ports/read-model.js'
import { type Change, withHeld } from '../../../projections/assignments.js'
import { fieldChanges, shownChanges } from '../../../projections/history-entries.js'
import { aggregateOf } from '../../../projections/read-events.js'
import { filterableText, foldCase } from '../../../projections/row-order.js'
import { objectAt, ownerOf, type RowKey, roleScope } from '../../../projections/rows.js'
import { identityField, viewFields } from '../../../projections/view-fields.js'
import type { Column, Row } from '../dialect.js'

/** The columns that {@link decodeRow} reads of what is recorded. */
export const READ_COLUMNS = ['body', 'sequence', 'creation_date'] as const

/** The values of {@link READ_COLUMNS}, and perhaps the roles that are shown. */
export type StoredRow<Integer = number | string> = readonly [
  /** All fields but `details`, as JSON. */
  body: string,
  sequence: Integer,
  /** In milliseconds. */
  creationDate: Integer,
  /** The keys of the roles that are assigned, as JSON, each in a list of its own; all that are recorded if absent. */
  ...assigned: readonly string[],
]

/** What the rows and entries of one batch of events share. */
export interface Shared {
  /** The number of a name. */
  readonly numberOf: (name: string) => number
  /** Bodies that were read or made: the first entry of an object holds the same text as its row. */
  readonly bodies: Map<Views[ViewType], string>
}

/** The body of `row`. */
export const bodyOf = ({ bodies }: Shared, row: Views[ViewType]): string => {
  const known = bodies.get(row)
  if (known !== undefined) return known
  // JSON leaves out what is undefined; a copy without the field would take longer.
  const body = JSON.stringify({ ...row, details: undefined })
  bodies.set(row, body)
  return body
}

/** Whether the rows of that type lie in another organization than their project, with which they are removed. */
export const rowsNameProject = (type: ViewType): boolean =>
  aggregates[type].container === undefined &&
  aggregates[type].assignments?.removedWith !== undefined

/** The column with the number of the scope of the project, if {@link rowsNameProject}. */
export const PROJECT_SCOPE = 'project_scope'

/** The project, and the user to whom its roles are assigned. */
const HOLDER: readonly Column[] = [
  { name: PROJECT_SCOPE, holds: 'integer' },
  { name: 'user_id', holds: 'text' },
]

/** The columns of an object of that type. */
export const rowColumns = (type: ViewType): readonly Column[] => [
  { name: 'scope', holds: 'integer' },
  { name: 'key', holds: 'text' },
  { name: 'body', holds: 'json' },
  { name: 'sequence', holds: 'integer' },
  { name: 'creation_date', holds: 'integer' },
  ...foldedFields(type).map((field): Column => {
    const column = { name: foldedColumn(field), holds: 'text' } as const
    return isKey(type, field) ? { ...column, isNullable: true } : column
  }),
  ...(rowsNameProject(type) ? HOLDER : []),
]

/** Makes the values of {@link rowColumns}. */
export const rowEncoder = (type: ViewType) => {
  const namesProject = rowsNameProject(type)
  const folded = foldedFields(type).map((field) => {
    const fold = isKey(type, field) ? foldedKey : foldCase
    const read = filterableText(viewFields[type], field)
    return (row: Views[ViewType]) => fold(read(row))
  })
  return ({ scope, key }: RowKey, row: Views[ViewType], shared: Shared): Row => {
    const { sequence, creationDate } = row.details
    const texts = folded.map((foldedOf) => foldedOf(row))
    const body = bodyOf(shared, row)
    const shown = [shared.numberOf(scope), key, body, sequence, creationDate.getTime(), ...texts]
    const { assignments } = aggregates[type]
    if (!namesProject || !assignments) return shown
    const { projectOrgId, projectId, userId = '' } = assignments.assignmentScope(row, scope)
    return [...shown, shared.numberOf(roleScope(projectOrgId, projectId)), userId]
  }
}

/**
 * The object that is stored as a row.
 *
 * @param scope - that of the row; undefined when it is not known and the object names its owner
 */
export const decodeRow = <Type extends ViewType>(
  type: ViewType,
  scope: string | undefined,
  [body, position, creationDate, assigned]: StoredRow,
): Views[Type] => {
  const sequence = BigInt(position)
  const view = shownBody(type, body, assigned)
  return {
    ...view,
    details: {
      sequence,
      creationDate: new Date(Number(creationDate)),
      changeDate: timeOf(sequence),
      resourceOwner: scope === undefined ? view.projectOrgId : ownerOf(scope),
    },
  }
}

const shownBody = (
  type: ViewType,
  body: string,
  assigned: string | undefined,
): ReturnType<typeof JSON.parse> => {
  const assigns = aggregates[type].assignments?.assigns
  if (assigns === undefined) return JSON.parse(body)
  // Ends of roles are text.
  const recorded = JSON.parse(body)
  if (assigned === undefined) return recorded
  const found: readonly (readonly [roleKey: string])[] = JSON.parse(assigned)
  return withHeld(assigns, recorded, new Set(found.map(([roleKey]) => roleKey)))
}

/**
 * Columns of an entry that hold the numbers of names, which repeat and are of limited length. The ids of actors
 * are not: others may have recorded long ones.
 */
export const NAME_COLUMNS = ['org', 'scope', 'type']

/** The columns of an entry of the history. */
export const ENTRY_COLUMNS: readonly Column[] = [
  ...NAME_COLUMNS.map((name): Column => ({ name, holds: 'integer' })),
  { name: 'key', holds: 'text' },
  { name: 'position', holds: 'integer' },
  { name: 'actor', holds: 'text' },
  { name: 'actor_org_id', holds: 'text' },
  { name: 'correlation_id', holds: 'text', isNullable: true },
  { name: 'changes', holds: 'json' },
]

/** An event, and the key of the row that it changes. */
export interface KeyedEvent {
  readonly event: KnownEvent
  readonly rowKey: RowKey
}

/** The values of {@link ENTRY_COLUMNS} for an event and what it changed. */
export const encodeEntry = ({ event, rowKey }: KeyedEvent, change: Change, shared: Shared): Row => {
  const { numberOf } = shared
  const { actor, resourceOwner, correlationId = null } = event.metadata
  return [
    numberOf(resourceOwner),
    numberOf(rowKey.scope),
    numberOf(event.type),
    rowKey.key,
    event.position,
    actor.userId,
    actor.orgId,
    correlationId,
    changesIn(event, change, shared),
  ]
}

/** A new object without a secret is stored as its body, which its row holds as well. */
const changesIn = (event: KnownEvent, change: Change, shared: Shared): string => {
  const { before, after } = change
  const isNew = before === undefined && after !== undefined
  return isNew && aggregateOf(event.type).secretsChanged(event).length === 0
    ? bodyOf(shared, after)
    : JSON.stringify(fieldChanges(event, change))
}

/** The values of {@link ENTRY_COLUMNS} but the first, with names in place of their numbers. */
export type StoredEntry = readonly [
  scope: string,
  type: string,
  key: string,
  position: number | string,
  actor: string,
  actorOrgId: string,
  correlationId: string | null,
  /** As JSON: the list of changes, or the body of a new object. */
  changes: string,
]

/** The entry that is stored as `row`. */
export const decodeEntry = (row: StoredEntry): HistoryEntry => {
  const [scope, type, key, position, userId, orgId, correlationId, json] = row
  const sequence = BigInt(position)
  const changes: readonly FieldChange[] | Views[ViewType] = JSON.parse(json)
  const object = objectAt(type, { scope, key })
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

/** Fields that lists are filtered by: their text, folded, has a column of its own. */
export const foldedFields = (type: ViewType): readonly string[] =>
  Object.entries(viewFields[type])
    .filter(([, { filterable }]) => filterable)
    .map(([field]) => field)

/** {@link foldedFields} that are worth an index: not one that has the same value in all rows. */
export const indexedFields = (type: ViewType): readonly string[] =>
  foldedFields(type).filter((field) => field !== 'state' || aggregates[type].states.length > 1)

/** The column of the folded text of `field`; for a key, of {@link foldedKey}. */
export const foldedColumn = (field: string): string => `folded_${field}`

/** Whether `field` is the id or key of an object, which is the column `key`. */
export const isKey = (type: ViewType, field: string): boolean => field === identityField[type]

/**
 * The folded text of an id or key; null for a plain one, which is ASCII without capitals: its folded text follows
 * from the column `key`. Most are plain, so the index of this column has few rows.
 */
export const foldedKey = (key: string): string | null => (isPlain(key) ? null : foldCase(key))

/** The plain id or key that has the folded text `folded`, or undefined when there is none. */
export const plainKey = (folded: string): string | undefined => {
  const key = folded.toLowerCase()
  return isPlain(key) && foldCase(key) === folded ? key : undefined
}

const isPlain = (key: string): boolean => !/[^ -@[-~]/.test(key)

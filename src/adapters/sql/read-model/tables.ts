import { aggregates, byType } from '../../../domain/aggregates.js'
import type { ViewType } from '../../../ports/read-model.js'
import type { Column, Dialect, Table } from '../dialect.js'
import { EVENTS } from '../stored-events.js'
import {
  ENTRY_COLUMNS,
  foldedColumn,
  indexedFields,
  PROJECT_SCOPE,
  rowColumns,
  rowsNameProject,
} from './stored-rows.js'

/** The columns of a role that was assigned. */
export const ASSIGNMENT_COLUMNS: readonly Column[] = [
  /** Number of the scope of the project. */
  { name: 'scope', holds: 'integer' },
  { name: 'org', holds: 'text' },
  /** Empty when the role was assigned to the organization itself. */
  { name: 'user_id', holds: 'text' },
  { name: 'role', holds: 'text' },
  { name: 'folded_role', holds: 'text' },
  /** In milliseconds; null for a role without an end. */
  { name: 'expires_at', holds: 'integer', isNullable: true },
  /** Position of the event that assigned the role. */
  { name: 'given', holds: 'integer' },
  /** Position from which on the row holds. */
  { name: 'begin_at', holds: 'integer' },
  /** Position from which on it no longer holds; null while it does. */
  { name: 'end_at', holds: 'integer', isNullable: true },
  /** Type of the object whose event ended it. */
  { name: 'ended_with', holds: 'text', isNullable: true },
]

/** The columns of a spell in which a project, a grant of it or a grant of its roles was inactive. */
export const SPELL_COLUMNS: readonly Column[] = [
  /** Name of the scope of the project, which may have no number. */
  { name: 'scope', holds: 'text' },
  /** Empty for the project itself. */
  { name: 'org', holds: 'text' },
  /** Empty for the project and for the grant of it. */
  { name: 'user_id', holds: 'text' },
  { name: 'begin_at', holds: 'integer' },
  /** Null while it lasts. */
  { name: 'end_at', holds: 'integer', isNullable: true },
]

/** Raise it when what the tables hold changes and neither their columns nor the fields of views do. */
const REVISION = 5

/** FNV-1a with 32 bits, in digits and small letters. */
const hashOf = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(36)
}

/** What the tables of one aggregate hold. */
interface RowShape {
  readonly columns: readonly Column[]
  readonly fields: readonly string[]
}

const ACCESS_SHAPE = [ASSIGNMENT_COLUMNS, SPELL_COLUMNS]

/** The name of the shape that was the first to have one; by its hash it would have another. */
const FIRST_NAME = { hash: 'smf19n', name: 'read_1cjoi8j' }

/** The name of tables with rows of these shapes, by type. The order of types, columns and fields does not matter. */
export const readModelName = (rows: Readonly<Record<string, RowShape>>): string => {
  const shapes = Object.entries(rows).map(([type, { columns, fields }]) => [
    type,
    columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    fields.toSorted(),
  ])
  shapes.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
  const hash = hashOf(JSON.stringify([REVISION, ENTRY_COLUMNS, shapes, ACCESS_SHAPE]))
  return hash === FIRST_NAME.hash ? FIRST_NAME.name : `read_${hash}`
}

/**
 * Name of the read model and beginning of the names of its tables. Another shape has another name: its tables are
 * missing and therefore created, and old and new processes of a rolling upgrade keep their own side by side.
 */
export const READ_MODEL = readModelName(
  byType(({ type, fields }) => ({ columns: rowColumns(type), fields: Object.keys(fields) })),
)

/** Holds the checkpoint. */
export const CHECKPOINT: Table = {
  name: `${READ_MODEL}_checkpoint`,
  columns: [{ name: 'position', holds: 'integer' }],
  key: [],
  indexes: [],
}

/** Holds a number for every name that rows and indexes repeat: they hold the number. */
export const NAMES: Table = {
  name: `${READ_MODEL}_name`,
  columns: [
    { name: 'name', holds: 'text' },
    { name: 'number', holds: 'integer' },
  ],
  key: ['number'],
  indexes: [{ name: 'name', columns: ['name'], isUnique: true }],
}

/** Holds one row for every event. */
export const HISTORY: Table = {
  name: `${READ_MODEL}_history`,
  columns: ENTRY_COLUMNS,
  key: ['org', 'position'],
  rowId: 'position',
  indexes: [{ name: 'object', columns: ['scope', 'key', 'position'] }],
}

/** Whether objects of that type lie in a project and are listed by the organization that they name, too. */
const isReceived = (type: ViewType): boolean =>
  aggregates[type].container !== undefined && aggregates[type].assignments?.assigns !== undefined

/** Each holds one row for every object of its type that exists. */
export const OBJECTS = byType(
  ({ type }): Table => ({
    name: `${READ_MODEL}_${type}`,
    columns: rowColumns(type),
    key: ['scope', 'key'],
    indexes: [
      ...indexedFields(type).map((field) => ({
        name: field,
        columns: ['scope', foldedColumn(field)],
      })),
      ...(rowsNameProject(type) ? [{ name: PROJECT_SCOPE, columns: [PROJECT_SCOPE] }] : []),
      ...(isReceived(type) ? [{ name: 'received', columns: ['key'] }] : []),
      ...(type === 'domain' ? [{ name: 'route', columns: ['key', foldedColumn('state')] }] : []),
    ],
  }),
)

/** Holds one row for every role that was assigned, from one event to another. */
export const ASSIGNMENTS: Table = {
  name: `${READ_MODEL}_assignment`,
  columns: ASSIGNMENT_COLUMNS,
  // In the order in which the holders of roles are listed.
  key: ['scope', 'role', 'org', 'user_id', 'begin_at'],
  indexes: [{ name: 'holder', columns: ['org', 'user_id', 'scope', 'role'] }],
}

/** Holds one row for every spell in which a project, a grant of it or a grant of its roles was inactive. */
export const SPELLS: Table = {
  name: `${READ_MODEL}_inactive`,
  columns: SPELL_COLUMNS,
  key: ['scope', 'org', 'user_id', 'begin_at'],
  indexes: [],
}

/** All that a reset empties, besides the checkpoint. */
export const FILLED: readonly Table[] = [
  NAMES,
  HISTORY,
  ...Object.values(OBJECTS),
  ASSIGNMENTS,
  SPELLS,
]

/** The checkpoint. A backup that is restored into new tables leaves a second row beside theirs. */
export const checkpointIn = ({ table }: Dialect): string =>
  `(SELECT max(position) FROM ${table(CHECKPOINT)})`

/** Positions of the last event and of the checkpoint; null where there is none. */
export const positionColumns = (dialect: Dialect): string =>
  `(SELECT max(position) FROM ${dialect.table({ name: EVENTS })}) AS head, ${checkpointIn(dialect)} AS reached`

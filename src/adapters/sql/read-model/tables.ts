import { aggregates, byType } from '../../../domain/aggregates.js'
import type { FoundAtHead, ViewType } from '../../../ports/read-model.js'
import { filterableFields, identityField } from '../../../projections/view-fields.js'
import {
  type Column,
  type Dialect,
  type Index,
  type Integer,
  type Row,
  rowsOf,
  type Statement,
  sql,
  type Table,
} from '../dialect.js'
import { EVENTS } from '../stored-events.js'

/** The columns of a row that are read: all fields but `details` as JSON, and the rest of `details`. */
export const READ_COLUMNS = ['body', 'sequence', 'creation_date'] as const

/** The column with the number of the scope of the project, if {@link rowsNameProject}. */
export const PROJECT_SCOPE = 'project_scope'

/** The project whose roles are assigned. */
const PROJECT: Column = { name: PROJECT_SCOPE, holds: 'integer' }

/** The user to whom they are assigned. */
const USER: Column = { name: 'user_id', holds: 'text' }

/** The provider and the group to whose members they are assigned. */
const SOURCE: readonly Column[] = [
  { name: 'idp', holds: 'text' },
  { name: 'grp', holds: 'text' },
]

/** The columns of an object of that type. */
const rowColumns = (type: ViewType): readonly Column[] => [
  { name: 'scope', holds: 'integer' },
  { name: 'key', holds: 'text' },
  { name: 'body', holds: 'json' },
  { name: 'sequence', holds: 'integer' },
  { name: 'creation_date', holds: 'integer' },
  ...filterableFields(type).map((field): Column => {
    const column = { name: foldedColumn(field), holds: 'text' } as const
    return isKey(type, field) ? { ...column, isNullable: true } : column
  }),
  ...(rowsNameProject(type) ? [PROJECT, ...(isMapping(type) ? SOURCE : [USER])] : []),
]

/** Whether a project contains objects of that type. */
export const isOfProject = (type: ViewType): boolean => aggregates[type].container !== undefined

/** Whether rows of that type belong to another organization than their project, with which they are removed. */
export const rowsNameProject = (type: ViewType): boolean =>
  !isOfProject(type) && aggregates[type].assignments?.removedWith !== undefined

/** Whether objects of that type assign roles to the members of groups. */
export const isMapping = (type: ViewType): boolean =>
  rowsNameProject(type) && aggregates[type].partOf !== undefined

/** The column of the folded text of `field`, which lists are filtered by; null for a key that is plain. */
export const foldedColumn = (field: string): string => `folded_${field}`

/** Whether `field` is the id or key of an object, which is the column `key`. */
export const isKey = (type: ViewType, field: string): boolean => field === identityField[type]

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
  { name: 'reason', holds: 'text', isNullable: true },
  { name: 'changes', holds: 'json' },
]

/** The tables of roles, by the ends of their names. */
const ROLE_TABLES = {
  /** Holds one row for every role that was assigned, from one event to another. */
  assignment: {
    columns: [
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
    ],
    // In the order in which the holders of roles are listed.
    key: ['scope', 'role', 'org', 'user_id', 'begin_at'],
    // Queries for a user may have the organization or not.
    indexes: [{ name: 'holder', columns: ['user_id', 'org', 'scope', 'role'] }],
  },
  /** Holds one row for every role that the members of a group were assigned, from one event to another. */
  mapped: {
    columns: [
      /** Number of the scope of the project. */
      { name: 'scope', holds: 'integer' },
      { name: 'org', holds: 'text' },
      ...SOURCE,
      { name: 'role', holds: 'text' },
      { name: 'folded_role', holds: 'text' },
      /** How long a report counts, in milliseconds; null where it counts until the next one. */
      { name: 'valid_for', holds: 'integer', isNullable: true },
      /** Position of the event that added the mapping: reports above it count. */
      { name: 'since', holds: 'integer' },
      /** Position of the event that assigned the role. */
      { name: 'given', holds: 'integer' },
      { name: 'begin_at', holds: 'integer' },
      /** Null while the row holds. */
      { name: 'end_at', holds: 'integer', isNullable: true },
      /** Type of the object whose event ended it. */
      { name: 'ended_with', holds: 'text', isNullable: true },
    ],
    // In the order in which the holders of roles are listed.
    key: ['scope', 'role', 'org', 'idp', 'grp', 'begin_at'],
    indexes: [{ name: 'source', columns: ['org', 'idp', 'grp', 'scope', 'role'] }],
  },
  /** Holds one row for every group of every recorded report of a user, until the next report. */
  member: {
    columns: [
      { name: 'org', holds: 'text' },
      ...SOURCE,
      USER,
      /** Position of the first of the reports without a break that have the user in the group. */
      { name: 'given', holds: 'integer' },
      /** Position of the report. */
      { name: 'begin_at', holds: 'integer' },
      /** Null until the next report. */
      { name: 'end_at', holds: 'integer', isNullable: true },
    ],
    key: ['org', 'idp', 'grp', 'user_id', 'begin_at'],
    indexes: [{ name: 'user', columns: ['user_id', 'org'] }],
  },
  /** Holds one row for every suspension in which a project, a grant of it, a grant of its roles or a provider was inactive. */
  inactive: {
    columns: [
      /** Name of the scope of the project, which may have no number; the organization of a provider. */
      { name: 'scope', holds: 'text' },
      /** Empty for the project itself, and for a provider. */
      { name: 'org', holds: 'text' },
      /** Empty for the project and for the grant of it; the id of a provider. */
      { name: 'user_id', holds: 'text' },
      { name: 'begin_at', holds: 'integer' },
      /** Null while it lasts. */
      { name: 'end_at', holds: 'integer', isNullable: true },
    ],
    key: ['scope', 'org', 'user_id', 'begin_at'],
    indexes: [],
  },
  /** Holds one row for every permission that a role had, from one event to another. */
  permission: {
    columns: [
      /** Number of the scope of the project. */
      { name: 'scope', holds: 'integer' },
      { name: 'permission', holds: 'text' },
      { name: 'role', holds: 'text' },
      { name: 'begin_at', holds: 'integer' },
      /** Null while the role has it. */
      { name: 'end_at', holds: 'integer', isNullable: true },
    ],
    key: ['scope', 'permission', 'role', 'begin_at'],
    indexes: [],
  },
} satisfies Record<string, Omit<Table, 'name'>>

/** Raise it when the contents of the tables change but neither their columns nor the fields of views. */
const REVISION = 6

/** FNV-1a with 32 bits, in digits and small letters. */
export const hashOf = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(36)
}

/** The contents of the tables of one aggregate. */
interface RowShape {
  readonly columns: readonly Column[]
  readonly fields: readonly string[]
}

/** The name of tables with rows of these shapes, by type. The order of types, columns and fields does not matter. */
export const readModelName = (rows: Readonly<Record<string, RowShape>>): string => {
  const shapes = Object.entries(rows).map(([type, { columns, fields }]) => [
    type,
    columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    fields.toSorted(),
  ])
  const roles = Object.values(ROLE_TABLES).map(({ columns }) => columns)
  shapes.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
  return `read_${hashOf(JSON.stringify([REVISION, ENTRY_COLUMNS, shapes, roles]))}`
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

/** Whether objects of that type are in a project and are also listed by the organization that they name. */
const isReceived = (type: ViewType): boolean =>
  isOfProject(type) && aggregates[type].assignments?.assigns !== undefined

/** {@link filterableFields} that are worth an index: not one that has the same value in all rows. */
const indexedFields = (type: ViewType): readonly string[] =>
  filterableFields(type).filter((field) => field !== 'state' || aggregates[type].states.length > 1)

/** Each holds one row for every object of its type that exists. */
export const OBJECTS = byType(
  ({ type }): Table => ({
    name: `${READ_MODEL}_${type}`,
    columns: rowColumns(type),
    key: ['scope', 'key'],
    indexes: [
      ...indexedFields(type).map((field) => ({
        name: field,
        // With the key, a page of all that are equal in the field is read in the order of the keys.
        columns: ['scope', foldedColumn(field), ...(isKey(type, field) ? [] : ['key'])],
      })),
      ...(rowsNameProject(type) ? [{ name: PROJECT_SCOPE, columns: [PROJECT_SCOPE] }] : []),
      ...(isReceived(type) ? [{ name: 'received', columns: ['key'] }] : []),
      ...(type === 'domain' ? [{ name: 'route', columns: ['key', foldedColumn('state')] }] : []),
    ],
  }),
)

const roleTable = (name: keyof typeof ROLE_TABLES): Table => ({
  name: `${READ_MODEL}_${name}`,
  ...ROLE_TABLES[name],
})

export const ASSIGNMENTS = roleTable('assignment')
export const MAPPED = roleTable('mapped')
export const MEMBERS = roleTable('member')
export const SUSPENSIONS = roleTable('inactive')
export const ROLE_PERMISSIONS = roleTable('permission')

/** All tables that a reset empties, besides the checkpoint. */
export const FILLED: readonly Table[] = [
  NAMES,
  HISTORY,
  ...Object.values(OBJECTS),
  ASSIGNMENTS,
  MAPPED,
  MEMBERS,
  SUSPENSIONS,
  ROLE_PERMISSIONS,
]

/** The checkpoint. A backup that is restored into new tables leaves a second row beside theirs. */
export const checkpointIn = ({ table }: Dialect): string =>
  `(SELECT max(position) FROM ${table(CHECKPOINT)})`

/** Positions of the last event and of the checkpoint; null without one. */
export const positionColumns = (dialect: Dialect): string =>
  `(SELECT max(position) FROM ${dialect.table({ name: EVENTS })}) AS head, ${checkpointIn(dialect)} AS reached`

/** Positions of the last event and of the checkpoint. */
export type Positions = readonly [head: Integer, reached: Integer]

/** The result, and how far the read model is. */
export const atHead = <Found>([head, reached]: Positions, found: Found): FoundAtHead<Found> => ({
  head: BigInt(head ?? 0),
  reached: BigInt(reached ?? 0),
  found,
})

/** The one row that a statement found. The caller vouches for its type. */
export const oneOf = <Found extends Row>(rows: readonly Row[]): Found => {
  const [row] = rowsOf<Found>(rows)
  if (row === undefined) throw new Error('The positions are found whether or not there is a row')
  return row
}

/** The columns of `page` in any order, or nulls when it has no rows, each row with the positions before it. */
export const besidePositions = (dialect: Dialect, columns: string, page: Statement): Statement =>
  sql`SELECT head, reached, ${columns} FROM (SELECT ${positionColumns(dialect)}) AS moment
    LEFT JOIN (${page}) AS page ON TRUE`

/** What a statement made with {@link besidePositions} found. The caller vouches for the type of the rows. */
export const pageOf = <Found extends Row>(rows: readonly Row[]): FoundAtHead<readonly Found[]> => {
  const [head, reached] = oneOf<Positions>(rows)
  const found = rowsOf<readonly [...Positions, ...Found]>(rows).flatMap(([, , ...row]) =>
    row[0] === null ? [] : [row],
  )
  return atHead([head, reached], found)
}

/** Whether `column` holds the number of `name`. */
export const isNamed = (dialect: Dialect, column: string, name: string): Statement => ({
  sql: holdsNumber(dialect, column),
  parameters: [name],
})

/** Whether `column` holds the number of a name, which is the parameter. */
export const holdsNumber = ({ table }: Dialect, column: string): string =>
  `${column} = (SELECT number FROM ${table(NAMES)} WHERE name = ?)`

/** Whether a row has a key, in a scope of a name; both are parameters. */
export const hasKey = (dialect: Dialect): string => `${holdsNumber(dialect, 'scope')} AND key = ?`

/** SQL that creates all tables. */
export const createTables = (dialect: Dialect): string =>
  [CHECKPOINT, ...FILLED].map((table) => createTable(dialect, table)).join('\n')

const createTable = (dialect: Dialect, declared: Table): string => {
  const { types, ifMissing, options, layout } = dialect.declarations
  const table = layout(declared)
  const columns = table.columns.map(
    ({ name, holds, isNullable }) => `${name} ${types[holds]} ${isNullable ? 'NULL' : 'NOT NULL'}`,
  )
  const key = table.key.length > 0 ? [`PRIMARY KEY (${table.key.join(', ')})`] : []
  return [
    `CREATE TABLE ${ifMissing} ${dialect.table(table)} (${[...columns, ...key].join(', ')}) ${options};`,
    ...table.indexes.map((index) => createIndex(dialect, table, index)),
  ].join('\n')
}

const createIndex = (dialect: Dialect, table: Table, index: Index): string => {
  const { ifMissing } = dialect.declarations
  const nullable = table.columns.find(
    ({ name, isNullable }) => isNullable && index.columns.includes(name),
  )
  const where = nullable ? `WHERE ${nullable.name} IS NOT NULL` : ''
  return `CREATE ${index.isUnique ? 'UNIQUE ' : ''}INDEX ${ifMissing} ${table.name}_${index.name}
    ON ${dialect.table(table)} (${index.columns.join(', ')}) ${where};`
}

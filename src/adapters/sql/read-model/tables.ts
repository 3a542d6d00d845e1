import { aggregates, byType } from '../../../domain/aggregates.js'
import type { FoundAtHead, ViewType } from '../../../ports/read-model.js'
import { filterableFields, identityField } from '../../../projections/rows.js'
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

/** The project whose roles are assigned, as `owner+id`; of objects of another organization than their project's owner. */
export const PROJECT_SCOPE = 'project_scope'

/** The role mapping's provider and group. */
const SOURCE: readonly Column[] = [
  { name: 'idp', holds: 'text' },
  { name: 'grp', holds: 'text' },
]

/** The shares that an object gives, as JSON: a list of `[number, expiry in milliseconds or null]` for each role. */
const GIVEN: Column = { name: 'shares', holds: 'json' }

/** The resource that a role is held on; empty for the whole project. */
const RESOURCE: Column = { name: 'resource', holds: 'text' }

/** A condition on {@link RESOURCE}, which statements repeat to be answered from an index of these rows. */
export const ON_RESOURCE = `resource <> ''`

/** Columns of one type alone. */
const OWN_COLUMNS: Partial<Record<ViewType, readonly Column[]>> = {
  project_grant: [GIVEN],
  role_mapping: [GIVEN, ...SOURCE, { name: PROJECT_SCOPE, holds: 'text' }],
  membership: [{ name: 'idp', holds: 'text' }],
}

/** Whether the rows of objects of that type, besides grants to users, list shares. */
export const hasShares = (type: ViewType): boolean => OWN_COLUMNS[type]?.includes(GIVEN) === true

/** The columns of an object of that type. Grants to users have a table of their own. */
const rowColumns = (type: ViewType): readonly Column[] => [
  /** The organization, or the project as `owner+id`. */
  { name: 'scope', holds: 'text' },
  { name: 'key', holds: 'text' },
  { name: 'body', holds: 'json' },
  { name: 'sequence', holds: 'integer' },
  { name: 'creation_date', holds: 'integer' },
  ...filterableFields(type).map((field): Column => {
    const column = { name: foldedColumn(field), holds: 'text' } as const
    return isKey(type, field) ? { ...column, isNullable: true } : column
  }),
  ...(OWN_COLUMNS[type] ?? []),
]

/** The column of the folded text of `field`, which lists are filtered by; null for a key that is plain. */
export const foldedColumn = (field: string): string => `folded_${field}`

/** Whether `field` is the id or key of an object, which is the column `key`. */
export const isKey = (type: ViewType, field: string): boolean => field === identityField[type]

/** From one event of its own stream to the next that replaces it; null while the row holds. */
const LASTING: readonly Column[] = [
  { name: 'begin_at', holds: 'integer' },
  { name: 'end_at', holds: 'integer', isNullable: true },
]

/** The tables of what roles rest on, by the ends of their names. No event changes rows of another stream. */
const WORLD_TABLES = {
  /** Numbers a project, or a resource of it, as one organization has it. */
  place: {
    columns: [
      { name: 'number', holds: 'integer' },
      { name: 'org', holds: 'text' },
      /** The project and the resource, as keys of grants have them: `owner+id` or `owner+id,resource`. */
      { name: 'scope', holds: 'text' },
      // The same apart, which lists are filtered by; the resource is empty for the whole project.
      { name: 'owner', holds: 'text' },
      { name: 'project', holds: 'text' },
      { name: 'resource', holds: 'text' },
      { name: 'folded_resource', holds: 'text' },
      /** The number of the whole project, which may be this one. */
      { name: 'whole', holds: 'integer' },
    ],
    key: ['number'],
    indexes: [
      { name: 'scope', columns: ['org', 'scope'], isUnique: true },
      // Unique, so that SQLite reads a list in its order.
      { name: 'resource', columns: ['resource', 'org', 'scope'], isUnique: true },
    ],
  },
  /** Numbers a generation of a role as one organization has it: once for whole projects, once for all resources. */
  share: {
    columns: [
      { name: 'number', holds: 'integer' },
      /** The place of the whole project. */
      { name: 'place', holds: 'integer' },
      /** The project, as `owner+id`. */
      { name: 'scope', holds: 'text' },
      { name: 'role', holds: 'text' },
      { name: 'folded_role', holds: 'text' },
      { name: 'org', holds: 'text' },
      /** 1 for roles on resources, 0 for those of the whole project. */
      { name: 'on_resource', holds: 'integer' },
      /** Version of the event that began the generation, in the stream of the role. */
      { name: 'role_since', holds: 'integer' },
      /** Version of the event that granted it, in the stream of the project's grant; 0 for the owner. */
      { name: 'grant_since', holds: 'integer' },
      /** Position of the event of the project's grant that took it away. */
      { name: 'end_at', holds: 'integer', isNullable: true },
      /** On resources of a granted project: the share for the whole project, whose `end_at` counts. */
      { name: 'base', holds: 'integer', isNullable: true },
    ],
    key: ['number'],
    indexes: [
      // In the order in which the holders of roles are listed.
      {
        name: 'role',
        columns: ['scope', 'role', 'org', 'on_resource', 'role_since', 'grant_since'],
        isUnique: true,
      },
      { name: 'place', columns: ['place'] },
    ],
  },
  /** Holds one row for every grant to a user; a removed one stays, for its past. */
  user_grant: {
    columns: [
      { name: 'place', holds: 'integer' },
      { name: 'user_id', holds: 'text' },
      /** `inactive` or `removed`; null while it is active. */
      { name: 'state', holds: 'text', isNullable: true },
      GIVEN,
      { name: 'sequence', holds: 'integer' },
      /** In milliseconds; null where it is the time of `sequence`. */
      { name: 'creation_date', holds: 'integer', isNullable: true },
      { name: 'protected_by', holds: 'text', isNullable: true },
      /** The folded id; null when it is plain, see `plainKey`. */
      { name: 'folded_user', holds: 'text', isNullable: true },
    ],
    key: ['place', 'user_id'],
    isRow: true,
    indexes: [
      { name: 'user', columns: ['user_id', 'place'] },
      { name: 'folded', columns: ['folded_user', 'place'] },
      { name: 'state', columns: ['state', 'place', 'user_id'] },
    ],
  },
  /** Holds one row for every role that a user was given, from one event of the grant to another. */
  held: {
    columns: [
      { name: 'share', holds: 'integer' },
      RESOURCE,
      { name: 'user_id', holds: 'text' },
      ...LASTING,
      /** In milliseconds; null for a role without an end. */
      { name: 'expires_at', holds: 'integer', isNullable: true },
      /** Position of the event that gave the role; null where it is `begin_at`. */
      { name: 'given', holds: 'integer', isNullable: true },
      /** 1 while the grant is inactive, else null. */
      { name: 'paused', holds: 'integer', isNullable: true },
    ],
    key: ['share', 'resource', 'user_id', 'begin_at'],
    isRow: true,
    // Of the roles on resources alone: those of whole projects are in this order as they are.
    indexes: [{ name: 'user', columns: ['share', 'user_id'], where: ON_RESOURCE }],
  },
  /** Holds one row for every role that the members of a group were given, from one event of the mapping to another. */
  mapped: {
    columns: [
      { name: 'share', holds: 'integer' },
      RESOURCE,
      { name: 'org', holds: 'text' },
      ...SOURCE,
      ...LASTING,
      /** Position of the event that gave the role. */
      { name: 'given', holds: 'integer' },
      /** Position of the event that added the mapping: reports above it count. */
      { name: 'since', holds: 'integer' },
      /** How long a report counts, in milliseconds; null where it counts until the next one. */
      { name: 'valid_for', holds: 'integer', isNullable: true },
    ],
    key: ['share', 'resource', 'idp', 'grp', 'begin_at'],
    indexes: [{ name: 'source', columns: ['org', 'idp', 'grp'] }],
  },
  /** Holds one row for every group of every report of a user, until the next report. */
  member: {
    columns: [
      { name: 'org', holds: 'text' },
      ...SOURCE,
      { name: 'user_id', holds: 'text' },
      ...LASTING,
      /** Position of the first of the reports without a break that have the user in the group. */
      { name: 'given', holds: 'integer' },
    ],
    key: ['org', 'idp', 'grp', 'user_id', 'begin_at'],
    indexes: [{ name: 'user', columns: ['user_id', 'org', 'idp'] }],
  },
  /** Holds one row for every time in which a project, a grant of it, a provider or a generation of a role stood. */
  standing: {
    columns: [
      { name: 'stream', holds: 'text' },
      /** The generation of a role, as in `role_since`; 0 for other objects. */
      { name: 'since', holds: 'integer' },
      ...LASTING,
      /** Whether it was active: 0 or 1. */
      { name: 'active', holds: 'integer' },
    ],
    key: ['stream', 'since', 'begin_at'],
    isRow: true,
    indexes: [],
  },
  /** Holds one row for every permission that a role had, from one event of the role to another. */
  permission: {
    columns: [
      { name: 'scope', holds: 'text' },
      { name: 'permission', holds: 'text' },
      { name: 'role', holds: 'text' },
      ...LASTING,
    ],
    key: ['scope', 'permission', 'role', 'begin_at'],
    indexes: [],
  },
  /** Holds one row for every event that is not the first of its stream: what it changed. */
  change: {
    columns: [
      { name: 'position', holds: 'integer' },
      /** The object before the event; `null` without one. */
      { name: 'body', holds: 'json' },
      /** The roles that it gave, as `shares`. */
      GIVEN,
    ],
    key: ['position'],
    indexes: [],
  },
} satisfies Record<string, Omit<Table, 'name'>>

/** Raise it when the contents of the tables change but neither their columns nor the fields of views. */
const REVISION = 8

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
  const world = Object.values(WORLD_TABLES).map(({ columns }) => columns)
  shapes.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
  return `read_${hashOf(JSON.stringify([REVISION, shapes, world]))}`
}

/**
 * Name of the read model and beginning of the names of its tables. Another shape has another name: its tables are
 * missing and therefore created, and old and new processes of a rolling upgrade keep their own side by side.
 */
export const READ_MODEL = readModelName(
  byType(({ type, fields }) => ({
    columns: type === 'user_grant' ? [] : rowColumns(type),
    fields: Object.keys(fields),
  })),
)

/** Holds the checkpoint. */
export const CHECKPOINT: Table = {
  name: `${READ_MODEL}_checkpoint`,
  columns: [{ name: 'position', holds: 'integer' }],
  key: [],
  indexes: [],
}

/** {@link filterableFields} that are worth an index: not one that has the same value in all rows. */
const indexedFields = (type: ViewType): readonly string[] =>
  filterableFields(type).filter((field) => field !== 'state' || aggregates[type].states.length > 1)

const worldTable = (name: keyof typeof WORLD_TABLES): Table => ({
  name: `${READ_MODEL}_${name}`,
  ...WORLD_TABLES[name],
})

/** Each holds one row for every object of its type that was not removed. */
export const OBJECTS = byType(
  ({ type }): Table =>
    type === 'user_grant'
      ? worldTable('user_grant')
      : {
          name: `${READ_MODEL}_${type}`,
          columns: rowColumns(type),
          key: ['scope', 'key'],
          indexes: [
            ...indexedFields(type).map((field) => ({
              name: field,
              // With the key, a page of all that are equal in the field is read in the order of the keys. The key of a
              // mapping, beside a group or a resource, may be too long for an index of PostgreSQL.
              columns: [
                'scope',
                foldedColumn(field),
                ...(isKey(type, field) || type === 'role_mapping' ? [] : ['key']),
              ],
            })),
            // By the organization that is granted projects.
            ...(type === 'project_grant' ? [{ name: 'received', columns: ['key'] }] : []),
            ...(type === 'domain'
              ? [{ name: 'route', columns: ['key', foldedColumn('state')] }]
              : []),
          ],
        },
)

export const GRANTS = OBJECTS.user_grant
export const PLACES = worldTable('place')
export const SHARES = worldTable('share')
export const HELD = worldTable('held')
export const MAPPED = worldTable('mapped')
export const MEMBERS = worldTable('member')
export const STANDING = worldTable('standing')
export const PERMISSIONS = worldTable('permission')
export const CHANGES = worldTable('change')

/** The events that a read model keeps when the log is in another database: a table of the form of the log's. */
export const KEPT_EVENTS: Table = {
  name: `${READ_MODEL}_log`,
  columns: [
    { name: 'position', holds: 'integer' },
    { name: 'stream', holds: 'text' },
    { name: 'version', holds: 'integer' },
    { name: 'type', holds: 'text' },
    { name: 'schema_version', holds: 'integer' },
    { name: 'data', holds: 'json' },
    { name: 'metadata', holds: 'json' },
    { name: 'append_id', holds: 'text' },
  ],
  key: ['position'],
  indexes: [{ name: 'stream', columns: ['stream', 'version'] }],
}

/** The table of the events that were applied, and of others. */
export const logOf = ({ table, keepsEvents }: Dialect): string =>
  table(keepsEvents ? KEPT_EVENTS : { name: EVENTS })

/** All tables that a reset empties, besides the checkpoint and {@link KEPT_EVENTS}. */
export const FILLED: readonly Table[] = [
  ...Object.values(OBJECTS),
  PLACES,
  SHARES,
  HELD,
  MAPPED,
  MEMBERS,
  STANDING,
  PERMISSIONS,
  CHANGES,
]

/** All tables that a reset empties, besides the checkpoint. */
export const filledBy = ({ keepsEvents }: Dialect): readonly Table[] =>
  keepsEvents ? [...FILLED, KEPT_EVENTS] : FILLED

/** The checkpoint. A backup that is restored into new tables leaves a second row beside theirs. */
export const checkpointIn = ({ table }: Dialect): string =>
  `(SELECT max(position) FROM ${table(CHECKPOINT)})`

/** Positions of the last event and of the checkpoint; null without one. */
export const positionColumns = (dialect: Dialect): string =>
  `(SELECT max(position) FROM ${logOf(dialect)}) AS head, ${checkpointIn(dialect)} AS reached`

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
export const withPositions = (dialect: Dialect, columns: string, page: Statement): Statement =>
  sql`SELECT head, reached, ${columns} FROM (SELECT ${positionColumns(dialect)}) AS moment
    LEFT JOIN (${page}) AS page ON TRUE`

/** What a statement made with {@link withPositions} found. The caller vouches for the type of the rows. */
export const pageOf = <Found extends Row>(rows: readonly Row[]): FoundAtHead<readonly Found[]> => {
  const [head, reached] = oneOf<Positions>(rows)
  const found = rowsOf<readonly [...Positions, ...Found]>(rows).flatMap(([, , ...row]) =>
    row[0] === null ? [] : [row],
  )
  return atHead([head, reached], found)
}

/** SQL that creates all tables, and the index of the log by organizations. */
export const createTables = (dialect: Dialect): string => {
  const { keepsEvents, organizationIn, declarations } = dialect
  const position = declarations.indexesEndWithKey ? '' : ', position'
  const index = keepsEvents ? `${KEPT_EVENTS.name}_organization` : `${EVENTS}_organization`
  return [
    ...[CHECKPOINT, ...filledBy(dialect)].map((table) => createTable(dialect, table)),
    // The log's own index may be there: it belongs to no version of the read model.
    `CREATE INDEX IF NOT EXISTS ${index} ON ${logOf(dialect)} (${organizationIn('stream')}${position});`,
  ].join('\n')
}

const createTable = (dialect: Dialect, table: Table): string => {
  const { types, ifMissing, options, rowOptions } = dialect.declarations
  const columns = table.columns.map(
    ({ name, holds, isNullable }) => `${name} ${types[holds]} ${isNullable ? 'NULL' : 'NOT NULL'}`,
  )
  const key = table.key.length > 0 ? [`PRIMARY KEY (${table.key.join(', ')})`] : []
  return [
    `CREATE TABLE ${ifMissing} ${dialect.table(table)} (${[...columns, ...key].join(', ')}) ${table.isRow ? rowOptions : options};`,
    ...table.indexes.map((index) => createIndex(dialect, table, index)),
  ].join('\n')
}

const createIndex = (dialect: Dialect, table: Table, index: Index): string => {
  const { ifMissing } = dialect.declarations
  const nullable = table.columns.find(
    ({ name, isNullable }) => isNullable && index.columns.includes(name),
  )
  const condition = nullable ? `${nullable.name} IS NOT NULL` : index.where
  const where = condition === undefined ? '' : `WHERE ${condition}`
  return `CREATE ${index.isUnique ? 'UNIQUE ' : ''}INDEX ${ifMissing} ${table.name}_${index.name}
    ON ${dialect.table(table)} (${index.columns.join(', ')}) ${where};`
}

import { aggregates } from '../../../domain/aggregates.js'
import { timeOf } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { withHeld } from '../../../projections/assignments.js'
import { filterableText, foldCase } from '../../../projections/row-order.js'
import { ownerOf, projectScope, type RowKey } from '../../../projections/rows.js'
import { filterableFields, viewFields, withOwnTimes } from '../../../projections/view-fields.js'
import type { Dialect, Row } from '../dialect.js'
import {
  ASSIGNMENTS,
  isKey,
  isMapping,
  isOfProject,
  MAPPED,
  MEMBERS,
  NAMES,
  OBJECTS,
  PROJECT_SCOPE,
  READ_COLUMNS,
  rowsNameProject,
} from './tables.js'

/** The columns of a row as {@link decodeRow} reads them. */
export const readColumns = (dialect: Dialect, type: ViewType): readonly string[] =>
  withAssigned(dialect, type, ['role'])

/** The same columns of a row that is to be changed, with the assignments that have not ended. */
export const changedColumns = (dialect: Dialect, type: ViewType): readonly string[] =>
  withAssigned(dialect, type, [
    'role',
    'CAST(given AS text)',
    isMapping(type) ? 'valid_for' : 'expires_at',
  ])
    .concat(isMapping(type) ? [sinceOf(dialect, type)] : [])
    .concat(aggregates[type].memberships?.groupsIn ? [groupsOf(dialect, type)] : [])

const withAssigned = (
  dialect: Dialect,
  type: ViewType,
  shown: readonly string[],
): readonly string[] => {
  if (aggregates[type].assignments?.assigns === undefined) return READ_COLUMNS
  const assigned = `SELECT ${dialect.jsonRows(shown)} ${assignedBy(dialect, type, ownerIn(dialect, type))}`
  return [...READ_COLUMNS, `(${assigned}) AS assigned`]
}

/** The organization of a type's rows, in SQL. */
const ownerIn = ({ table }: Dialect, type: ViewType): string =>
  `(SELECT name FROM ${table(NAMES)} WHERE number = ${table(OBJECTS[type])}.scope)`

/** Position of the event that added a mapping, whether or not roles of it still hold. */
const sinceOf = (dialect: Dialect, type: ViewType): string =>
  `(SELECT CAST(max(since) AS text) FROM ${dialect.table(MAPPED)} AS assigned
    WHERE ${heldBy(dialect, type, ownerIn(dialect, type))}) AS since`

/** The groups of a membership, each with the first of the reports without a break. */
const groupsOf = (dialect: Dialect, type: ViewType): string => {
  const { table, jsonRows, fieldInBody } = dialect
  return `(SELECT ${jsonRows(['member.grp', 'CAST(member.given AS text)'])} FROM ${table(MEMBERS)} AS member
    WHERE member.user_id = ${fieldInBody('userId')} AND member.org = ${ownerIn(dialect, type)}
      AND member.idp = ${fieldInBody('idpId')} AND member.end_at IS NULL) AS assigned`
}

/**
 * Selects from the assignments, called `assigned`, of a row of that type, those that have not ended.
 *
 * @param owner - the organization that the object belongs to, in SQL; not read where {@link isOfProject}
 */
export const assignedBy = (dialect: Dialect, type: ViewType, owner: string): string => {
  const assignments = dialect.table(isMapping(type) ? MAPPED : ASSIGNMENTS)
  return `FROM ${assignments} AS assigned WHERE ${heldBy(dialect, type, owner)} AND assigned.end_at IS NULL`
}

/** Whether an assignment, called `assigned`, belongs to a row of that type. */
const heldBy = ({ table }: Dialect, type: ViewType, owner: string): string => {
  const row = table(OBJECTS[type])
  // Objects in a project assign to the organization that they name, others to a user or group of their own
  // organization.
  if (isOfProject(type))
    return `assigned.scope = ${row}.scope AND assigned.org = ${row}.key AND assigned.user_id = ''`
  const holder = isMapping(type) ? ['idp', 'grp'] : ['user_id']
  const isHolder = holder.map((column) => `assigned.${column} = ${row}.${column}`).join(' AND ')
  return `assigned.scope = ${row}.${PROJECT_SCOPE} AND assigned.org = ${owner} AND ${isHolder}`
}

/** The values of {@link readColumns}. */
export type StoredRow<Integer = number | string> = readonly [
  /** All fields but `details`, as JSON. */
  body: string,
  sequence: Integer,
  /** In milliseconds. */
  creationDate: Integer,
  /** The keys of the roles that are assigned, as JSON, each in a list of its own; all that are recorded if absent. */
  ...assigned: readonly string[],
]

/**
 * The object that is stored as a row.
 *
 * @param scope - scope of the row; undefined if it is unknown and the object names its owner
 */
export const decodeRow = <Type extends ViewType>(
  type: ViewType,
  scope: string | undefined,
  [body, position, creationDate, assigned]: StoredRow,
): Views[Type] => {
  const sequence = BigInt(position)
  const assigns = aggregates[type].assignments?.assigns
  const recorded: ReturnType<typeof JSON.parse> = JSON.parse(body)
  const view =
    assigns && assigned
      ? withHeld(assigns, recorded, rolesIn(assigned))
      : withOwnTimes(type, recorded)
  const details = {
    sequence,
    creationDate: new Date(Number(creationDate)),
    changeDate: timeOf(sequence),
    resourceOwner: scope === undefined ? view.projectOrgId : ownerOf(scope),
  }
  return Object.assign(view, { details })
}

const rolesIn = (assigned: string): ReadonlySet<string> => {
  const found: readonly (readonly [roleKey: string])[] = JSON.parse(assigned)
  return new Set(found.map(([roleKey]) => roleKey))
}

/** Shared by the rows and entries of one batch of events. */
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
  // JSON leaves out undefined values; a copy without the field would take longer.
  const body = JSON.stringify({ ...row, details: undefined })
  bodies.set(row, body)
  return body
}

/** Makes the values of the columns of an object of that type. */
export const rowEncoder = (type: ViewType) => {
  const namesProject = rowsNameProject(type)
  const folded = filterableFields(type).map((field) => {
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
    const { projectOrgId, projectId, userId = '', source } = assignments.assignmentScope(row, scope)
    const holder = source ? [source.idpId, source.group] : [userId]
    return [...shown, shared.numberOf(projectScope(projectOrgId, projectId)), ...holder]
  }
}

/**
 * The folded text of an id or key; null for a plain one, which is ASCII without capitals: its folded text follows
 * from the column `key`. Most are plain, so the index of this column has few rows.
 */
export const foldedKey = (key: string): string | null => (isPlain(key) ? null : foldCase(key))

/** The plain id or key that has the folded text `folded`, or undefined if it does not exist. */
export const plainKey = (folded: string): string | undefined => {
  const key = folded.toLowerCase()
  return isPlain(key) && foldCase(key) === folded ? key : undefined
}

const isPlain = (key: string): boolean => !/[^ -@[-~]/.test(key)

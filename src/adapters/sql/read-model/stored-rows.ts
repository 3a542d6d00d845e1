import { kinds } from '../../../domain/kinds.js'
import { timeOf } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { withHeld } from '../../../projections/rows/assignments.js'
import { filterableText } from '../../../projections/rows/condition.js'
import { foldCase } from '../../../projections/rows/fold-case.js'
import { ownerOf, type RowKey, roleScope } from '../../../projections/rows/row-key.js'
import { viewFields } from '../../../projections/rows/view-fields.js'
import type { Column } from '../dialect.js'
import type { Row } from '../statement.js'
import { foldedColumn, foldedFields, foldedKey, isKey } from './folded-fields.js'

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
  kinds[type].container === undefined && kinds[type].removedWith !== undefined

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
    const range = namesProject && kinds[type].covers(row, scope)
    if (!range) return shown
    const { projectOrgId, projectId, userId = '' } = range
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
  const { assigns } = kinds[type]
  if (assigns === undefined) return JSON.parse(body)
  // Ends of roles are text.
  const recorded = JSON.parse(body)
  if (assigned === undefined) return recorded
  const found: readonly (readonly [roleKey: string])[] = JSON.parse(assigned)
  return withHeld(assigns, recorded, new Set(found.map(([roleKey]) => roleKey)))
}

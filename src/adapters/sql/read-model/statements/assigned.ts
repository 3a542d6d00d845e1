import { kinds } from '../../../../domain/kinds.js'
import type { ViewType } from '../../../../ports/read-model.js'
import type { Dialect } from '../../dialect.js'
import { PROJECT_SCOPE, READ_COLUMNS } from '../stored-rows.js'
import { ASSIGNMENTS, NAMES, OBJECTS } from '../tables.js'

/** The columns of a stored row, as `decodeRow` reads them. */
export const readColumns = (dialect: Dialect, type: ViewType): readonly string[] =>
  withAssigned(dialect, type, ['role'])

/** The same columns of a row that is to be changed, with the assignments that have not ended. */
export const changedColumns = (dialect: Dialect, type: ViewType): readonly string[] =>
  withAssigned(dialect, type, ['role', 'CAST(given AS text)', 'expires_at'])

const withAssigned = (
  dialect: Dialect,
  type: ViewType,
  shown: readonly string[],
): readonly string[] => {
  if (kinds[type].assigns === undefined) return READ_COLUMNS
  const owner = `(SELECT name FROM ${dialect.table(NAMES)} WHERE number = ${dialect.table(OBJECTS[type])}.scope)`
  const assigned = `SELECT ${dialect.jsonRows(shown)} ${assignedBy(dialect, type, owner)}`
  return [...READ_COLUMNS, `(${assigned}) AS assigned`]
}

/**
 * Selects from the assignments, called `assigned`, of a row of that type, those that have not ended.
 *
 * @param owner - the organization that the object belongs to, in SQL; not read where {@link isOfProject}
 */
export const assignedBy = (dialect: Dialect, type: ViewType, owner: string): string => {
  const { table } = dialect
  const row = table(OBJECTS[type])
  // What lies in a project is assigned to the organization that it names, other grants to a user of their own one.
  const holder = isOfProject(type)
    ? `assigned.scope = ${row}.scope AND assigned.org = ${row}.key AND assigned.user_id = ''`
    : `assigned.scope = ${row}.${PROJECT_SCOPE} AND assigned.org = ${owner}
      AND assigned.user_id = ${row}.user_id`
  return `FROM ${table(ASSIGNMENTS)} AS assigned WHERE ${holder} AND assigned.end_at IS NULL`
}

/** Whether objects of that type lie in a project. */
export const isOfProject = (type: ViewType): boolean => kinds[type].container !== undefined

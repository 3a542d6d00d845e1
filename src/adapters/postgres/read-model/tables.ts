import { TYPES } from '../../../domain/kinds.js'
import type { ViewType } from '../../../ports/read-model.js'
import {
  CHECKPOINT,
  foldedColumn,
  foldedFields,
  HISTORY,
  indexedFields,
  isKey,
  NAMES,
  tableOf,
} from '../../read-tables.js'

/**
 * Creates the tables of the read model.
 *
 * @param schema - quoted
 */
export const createReadTables = (schema: string): string =>
  `-- One row.
   CREATE TABLE ${schema}.${CHECKPOINT} (position bigint NOT NULL);
   INSERT INTO ${schema}.${CHECKPOINT} (position) VALUES (0);
   CREATE TABLE ${schema}.${NAMES} (
     number bigint PRIMARY KEY,
     name text COLLATE "C" NOT NULL UNIQUE
   );
   CREATE TABLE ${schema}.${HISTORY} (
     -- Numbers of names: where the object belongs, and what happened.
     org bigint NOT NULL,
     scope bigint NOT NULL,
     type bigint NOT NULL,
     key text COLLATE "C" NOT NULL,
     position bigint NOT NULL,
     -- Who acted, and the organization they belong to.
     actor text COLLATE "C" NOT NULL,
     actor_org_id text COLLATE "C" NOT NULL,
     correlation_id text COLLATE "C",
     -- JSON.
     changes text NOT NULL,
     PRIMARY KEY (org, position)
   );
   CREATE INDEX ${HISTORY}_object ON ${schema}.${HISTORY} (scope, key, position);
   ${TYPES.map((type) => objectTable(schema, type)).join('\n')}`

const objectTable = (schema: string, type: ViewType): string => {
  const columns = foldedFields(type).map(
    (field) =>
      `${foldedColumn(field)} text COLLATE "C" ${isKey(type, field) ? 'NULL' : 'NOT NULL'},`,
  )
  const indexes = indexedFields(type).map((field) => {
    const column = foldedColumn(field)
    return `CREATE INDEX ${tableOf(type)}_${field} ON ${schema}.${tableOf(type)} (scope, ${column})
         ${isKey(type, field) ? `WHERE ${column} IS NOT NULL` : ''};`
  })
  return `CREATE TABLE ${schema}.${tableOf(type)} (
     scope bigint NOT NULL,
     key text COLLATE "C" NOT NULL,
     -- All fields but the details, as JSON.
     shown text NOT NULL,
     sequence bigint NOT NULL,
     -- In milliseconds.
     creation_date bigint NOT NULL,
     ${columns.join('\n')}
     PRIMARY KEY (scope, key)
   );
   ${indexes.join('\n')}`
}

import { createTables } from '../../sql/read-model/create-tables.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import { postgresDialect } from './dialect.js'

/**
 * Creates the tables of the read model.
 *
 * @param schema - quoted
 */
export const createReadTables = (schema: string): string => {
  const dialect = postgresDialect(schema)
  return `${createTables(dialect)} INSERT INTO ${dialect.table(CHECKPOINT)} (position) VALUES (0);`
}

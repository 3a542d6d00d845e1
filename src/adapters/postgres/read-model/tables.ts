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
  const checkpoint = dialect.table(CHECKPOINT)
  // Without the replica identity, a publication of all tables would forbid updates of a table without a key.
  return `${createTables(dialect)}
    ALTER TABLE ${checkpoint} REPLICA IDENTITY FULL;
    INSERT INTO ${checkpoint} (position) VALUES (0);`
}

import { CHECKPOINT, createTables, HISTORY } from '../../sql/read-model/tables.js'
import { postgresDialect } from './dialect.js'

/**
 * Creates the tables of the read model.
 *
 * @param schema - quoted
 */
export const createReadTables = (schema: string): string =>
  `${createTables(postgresDialect(schema), historyTable(schema))}
   INSERT INTO ${schema}.${CHECKPOINT} (position) VALUES (0);`

const historyTable = (schema: string): string =>
  `CREATE TABLE ${schema}.${HISTORY} (
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
   CREATE INDEX ${HISTORY}_object ON ${schema}.${HISTORY} (scope, key, position);`

import { type View, viewsOf } from '../sql/read-model/views.js'
import type { Connection } from './connection/connection.js'
import { postgresDialect } from './read-model.js'

const viewsIn = (schema: string): readonly View[] =>
  viewsOf(postgresDialect(schema), {
    now: '(extract(epoch FROM pg_catalog.statement_timestamp()) * 1e3)::bigint',
    noText: 'NULL::text COLLATE "C"',
    // Exact: a double has too few digits for the milliseconds of a late year.
    timeOf: (milliseconds) =>
      `pg_catalog.to_timestamp((${milliseconds} / 1000)::double precision) + (${milliseconds} % 1000::bigint)::double precision * interval '1 millisecond'`,
  })

/**
 * Creates the views, or replaces them: their columns stay, and so do the rights that roles have to them.
 *
 * @param schema - quoted
 */
export const createViews = (schema: string): string =>
  viewsIn(schema)
    .map(
      ({ name, select, hash }) => `CREATE OR REPLACE VIEW ${schema}.${name} AS ${select};
        COMMENT ON VIEW ${schema}.${name} IS '${markOf(hash)}';`,
    )
    .join('\n')

/** Whether a schema has the views on the tables of the present read model. @param schema - quoted */
export const hasViews = async (connection: Connection, schema: string): Promise<boolean> => {
  const found = await connection.rows<[name: string, mark: string | null]>({
    text: `SELECT relname::text, pg_catalog.obj_description(oid, 'pg_class') FROM pg_class
      WHERE relnamespace = '${schema}'::regnamespace::oid AND relkind = 'v'`,
  })
  const marks = new Map(found)
  return viewsIn(schema).every(({ name, hash }) => marks.get(name) === markOf(hash))
}

/** The comment on a view. Another text, or none, marks a view of another version. */
const markOf = (hash: string): string => `claviger: the roles that count now (${hash})`

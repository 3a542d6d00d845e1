/**
 * Creates the table of the events, and its indexes. Never changed: databases have been made by it. `data` and
 * `metadata` are JSON, as text: jsonb keeps neither lone surrogates nor the order of fields. Only the event that
 * begins an append has its key.
 *
 * @param schema - quoted
 */
export const createEvents = (schema: string): string =>
  `CREATE TABLE ${schema}.events (
     position bigint PRIMARY KEY,
     stream text COLLATE "C" NOT NULL,
     version bigint NOT NULL,
     type text COLLATE "C" NOT NULL,
     schema_version bigint NOT NULL,
     data text NOT NULL,
     metadata text NOT NULL,
     append_id text COLLATE "C" NOT NULL,
     begins_append boolean NOT NULL,
     idempotency_key text COLLATE "C",
     UNIQUE (stream, version)
   );
   CREATE INDEX events_append_id ON ${schema}.events (append_id) WHERE begins_append;
   CREATE UNIQUE INDEX events_idempotency_key ON ${schema}.events (idempotency_key)
     WHERE idempotency_key IS NOT NULL`

/** Creates the table of the events, and its indexes. Never changed: files have been made by it. */
export const CREATE_EVENTS = `CREATE TABLE events (
     position INTEGER PRIMARY KEY,
     stream TEXT NOT NULL,
     version INTEGER NOT NULL,
     type TEXT NOT NULL,
     schema_version INTEGER NOT NULL,
     data TEXT NOT NULL,
     metadata TEXT NOT NULL,
     append_id TEXT NOT NULL,
     begins_append INTEGER NOT NULL,
     -- Of the event that begins an append, alone.
     idempotency_key TEXT,
     UNIQUE (stream, version)
   ) STRICT;
   CREATE INDEX events_append_id ON events (append_id) WHERE begins_append = 1;
   CREATE UNIQUE INDEX events_idempotency_key ON events (idempotency_key)
     WHERE idempotency_key IS NOT NULL;`

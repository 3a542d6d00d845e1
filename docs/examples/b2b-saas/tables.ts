// What claviger does not hold, and this product therefore does: its customers, their users, where their webhooks
// lead, and what is still to be sent there.
import type { Pool } from 'pg'

/** One statement after the other, in one transaction; the lock lets one instance go first. */
const TABLES = `
  SELECT pg_advisory_xact_lock(20260101);
  CREATE SCHEMA IF NOT EXISTS app;
  CREATE TABLE IF NOT EXISTS app.customers (
    id text PRIMARY KEY, -- is the id of the organization, too
    name text NOT NULL
  );
  CREATE TABLE IF NOT EXISTS app.users (
    id text PRIMARY KEY, -- drawn: it stays in the log of claviger for ever
    customer_id text NOT NULL REFERENCES app.customers,
    username text NOT NULL,
    is_admin boolean NOT NULL,
    issuer text,  -- who vouches for them, and
    subject text, -- under which id; both unknown until an invited user signs in
    UNIQUE (customer_id, username),
    UNIQUE (customer_id, issuer, subject)
  );
  CREATE TABLE IF NOT EXISTS app.webhooks (
    customer_id text PRIMARY KEY REFERENCES app.customers,
    url text NOT NULL,
    secret text NOT NULL,
    failures int NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS app.outbox (
    position numeric PRIMARY KEY,
    customer_id text NOT NULL REFERENCES app.customers,
    message text NOT NULL
  );
  CREATE INDEX IF NOT EXISTS outbox_of_customer ON app.outbox (customer_id, position)`

/** For every instance to call as it starts. */
export const createTables = async (pool: Pool): Promise<void> => {
  await pool.query(TABLES)
}

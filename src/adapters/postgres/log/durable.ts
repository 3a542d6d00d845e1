import type { Statement } from '../connection/connection.js'

/**
 * Settings of the transaction alone, as parts of the list of a query: its commit waits for the disk and
 * for the synchronous standbys, and the server reports when that wait is cut short. A stricter setting,
 * such as `remote_apply`, stays.
 */
export const DURABLE = `pg_catalog.set_config('synchronous_commit',
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, true),
  pg_catalog.set_config('client_min_messages',
    CASE WHEN current_setting('client_min_messages') = 'error' THEN 'warning'
      ELSE current_setting('client_min_messages') END, true)`

/**
 * Succeeds once all that this connection has seen is on the synchronous standbys. A commit waits for all that
 * lies before it in the server's log, but only if the transaction wrote there itself: hence the message, which
 * nothing reads.
 */
export const CONFIRM: Statement = {
  text: `SELECT ${DURABLE}, pg_catalog.pg_logical_emit_message(true, 'claviger', '')`,
}

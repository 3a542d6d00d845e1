import { fieldOf } from '../../../domain/field-of.js'
import type { StoreFault } from '../../../ports/store-fault.js'
import type { Statement } from '../connection/connection.js'
import { faultOf } from '../connection/faults.js'

/**
 * Settings of the transaction alone, as parts of the list of a query: its commit waits for the disk and
 * for the synchronous standbys, and the server says so when that wait is cut short. What waits for more,
 * as `remote_apply` does, stays.
 */
export const DURABLE = `pg_catalog.set_config('synchronous_commit',
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, true),
  pg_catalog.set_config('client_min_messages',
    CASE WHEN current_setting('client_min_messages') = 'error' THEN 'warning'
      ELSE current_setting('client_min_messages') END, true)`

/**
 * Ends well only once all that this connection could see before is on the synchronous standbys. A commit
 * waits for whatever lies before it in the server's log, but only one that has written there itself:
 * hence the message, which nobody reads.
 */
export const CONFIRM: Statement = {
  text: `SELECT ${DURABLE}, pg_catalog.pg_logical_emit_message(true, 'claviger', '')`,
}

/**
 * Whether the server tells with `notice` that it no longer waits for a synchronous standby: it answers as
 * if the commit had succeeded, but another server that takes its place may lack it. Known by the function
 * that says so, for the text is in the language of the server.
 */
export const isCutWait = (notice: unknown): boolean =>
  fieldOf(notice, 'routine') === 'SyncRepWaitForLSN'

/** The fault of a commit that the standbys may lack. */
export const cutWaitFault = (): StoreFault =>
  faultOf(new Error('The wait for the synchronous standby was cut short'), 'unknown')

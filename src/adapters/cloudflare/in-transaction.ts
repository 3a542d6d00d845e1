import type { InTransaction } from '../../ports/event-store.js'
import { inTransactionOf } from '../store/in-transaction.js'
import type { DurableObjectStorage } from './database.js'

/** The kind of transactions that a store in a Durable Object runs. */
export const TRANSACTIONS = 'a Durable Object'

/**
 * Writes rows of yours in the transaction that records the events of a write: both are committed or neither. Pass the
 * result as `inTransaction` in the context of the write.
 *
 * `work` gets `ctx.storage.sql` (a `SqlStorage`). It must write its rows before it returns; a function that returns a
 * promise is refused. `work` runs again after a lost race, so it must only write rows. If it throws, nothing is recorded
 * and the call rejects with the value thrown.
 *
 * @throws TypeError when `work` is not a function
 */
export const inTransaction = <Sql = DurableObjectStorage['sql'], Returned = unknown>(
  work: (sql: Sql) => Returned extends PromiseLike<unknown> ? never : Returned,
): InTransaction => inTransactionOf(TRANSACTIONS, work)

import { fieldOf } from '../../../domain/values.js'
import { type FaultOutcome, StoreFault } from '../../../ports/event-store.js'

/** How long to wait before another try, in milliseconds. */
const RETRY_AFTER_MS = 1_000

/** Classes of SQLSTATE that a single append can cause: data, constraints, limits of the program. */
const OWN_FAULTS = /^(22|23|54)/

/**
 * SQLSTATE of errors that all calls on one connection meet, but another connection may not: its server is a standby
 * and refuses to write, or its prepared statements are not ours.
 */
const UNUSABLE_CONNECTION = /^(25006|26000|42P05)$/

/** The classes of SQLSTATE. Codes of Node.js, such as `EPIPE`, begin with another letter. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/

/** SQLSTATE of an error that the server reported; undefined for any other error. */
export const sqlStateOf = (error: unknown): string | undefined => {
  const code = String(fieldOf(error, 'code'))
  return SQLSTATE.test(code) ? code : undefined
}

/** Whether the connection must be replaced. */
export const needsNewConnection = (error: unknown): boolean =>
  UNUSABLE_CONNECTION.test(sqlStateOf(error) ?? '')

/** The fault of a statement that failed with `error`. */
export const faultOf = (error: unknown, outcome: FaultOutcome): StoreFault => {
  if (error instanceof StoreFault) return error
  const reason = fieldOf(error, 'message') ?? error
  const fault = new StoreFault(`PostgreSQL: ${reason}`, outcome, error)
  if (mayPass(error)) fault.retryAfter = RETRY_AFTER_MS
  return fault
}

const STANDBY = new Error('The server is a standby')

/** The fault of a server that is a standby. */
export const standbyFault = (): StoreFault => faultOf(STANDBY, 'not_recorded')

export const isStandbyFault = (fault: unknown): boolean =>
  fault instanceof StoreFault && fault.cause === STANDBY

/** Whether the fault is the server's, so that the same statement may succeed later. */
const mayPass = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return (
    state === undefined || needsNewConnection(error) || /^(08|25P|40|53|55|57|58|XX)/.test(state)
  )
}

/** Whether `fault` affected a whole group of appends, so that they must not be tried one by one. */
export const isConnectionFault = (fault: unknown): boolean =>
  fault instanceof StoreFault && !OWN_FAULTS.test(sqlStateOf(fault.cause) ?? '')

/**
 * Whether a write failed because its transaction was not READ COMMITTED: a function refused it, or another transaction
 * had just changed the same row.
 */
export const isOtherIsolation = (fault: unknown): boolean =>
  fault instanceof StoreFault && /^(25001|40001)$/.test(sqlStateOf(fault.cause) ?? '')

/**
 * Whether the server itself reported `error`. An error of class 08 comes from a pooler that lost
 * the server: what was sent may have been done.
 */
export const isAnswer = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return state !== undefined && !state.startsWith('08')
}

/**
 * Whether the server refused the statement, so that nothing of its transaction is recorded. A session that the server
 * ends (class 57P) may have committed just before.
 */
export const isRefusal = (error: unknown): boolean =>
  isAnswer(error) && !sqlStateOf(error)?.startsWith('57P')

/**
 * Whether the server reports by `notice` that it no longer waits for a synchronous standby. It then answers as if
 * the commit had succeeded, but a standby that replaces it may lack the commit. Recognized by the function that
 * reports it, because the text is in the language of the server.
 */
export const isCutWait = (notice: unknown): boolean =>
  fieldOf(notice, 'routine') === 'SyncRepWaitForLSN'

/** The fault of a commit that the standbys may lack. */
export const cutWaitFault = (): StoreFault =>
  faultOf(new Error('The wait for the synchronous standby was cut short'), 'unknown')

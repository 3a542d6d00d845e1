import { fieldOf } from '../../../domain/field-of.js'
import { type FaultOutcome, StoreFault } from '../../../ports/store-fault.js'

/** How long to wait before another try when the server is away, in milliseconds. */
const RETRY_AFTER = 1_000

/** Classes of SQLSTATE that an append brings on itself: data, constraints, limits of the program. */
const OWN_FAULTS = /^(22|23|54)/

/**
 * What befalls each call on one connection, while another may be well: its server refuses to write, for
 * it is a standby or has become one; or the statements prepared there are not those that we know of.
 */
const SPOILT = /^(25006|26000|42P05)$/

/** SQLSTATE of an answer of the server; undefined for what else went wrong. */
const sqlStateOf = (error: unknown): string | undefined =>
  fieldOf(error, 'severity') === undefined ? undefined : String(fieldOf(error, 'code'))

/** Whether the connection is to be given up. */
export const isSpoilt = (error: unknown): boolean => SPOILT.test(sqlStateOf(error) ?? '')

/** The fault of a statement that failed with `error`. */
export const faultOf = (error: unknown, outcome: FaultOutcome): StoreFault => {
  if (error instanceof StoreFault) return error
  const reason = fieldOf(error, 'message') ?? error
  const fault = new StoreFault(`PostgreSQL: ${reason}`, outcome, error)
  if (mayPass(error)) fault.retryAfter = RETRY_AFTER
  return fault
}

/** The fault of a server that is a standby. */
export const standbyFault = (): StoreFault =>
  faultOf(new Error('The server is a standby'), 'not_recorded')

/** Whether the same statement may succeed later: the fault is of the server, not of what was asked. */
const mayPass = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return state === undefined || isSpoilt(error) || /^(08|25P|40|53|55|57|58|XX)/.test(state)
}

/**
 * Whether `fault` hit a group of appends as a whole, so that they must not be tried one by one:
 * everything but what an append brings on itself.
 */
export const isConnectionFault = (fault: unknown): boolean =>
  fault instanceof StoreFault && !OWN_FAULTS.test(sqlStateOf(fault.cause) ?? '')

/** Whether a function that writes refused to, because its transaction was not READ COMMITTED. */
export const isOtherIsolation = (fault: unknown): boolean =>
  fault instanceof StoreFault && sqlStateOf(fault.cause) === '25001'

/** Whether the server itself answered with `error`. */
export const isAnswer = (error: unknown): boolean => sqlStateOf(error) !== undefined

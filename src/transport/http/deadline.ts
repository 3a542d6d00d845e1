import { Code } from '@connectrpc/connect'
import { createDeadlineSignal } from '@connectrpc/connect/protocol'
import { errorInfo, statusError } from '../errors/status-error.js'
import type { HttpRequest } from './http-request.js'

/** Longest that a timer of JavaScript waits, in milliseconds: 24 days; one for longer ends at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** When a call in JSON has to end, by the header of the Connect protocol. */
interface Deadline {
  /** Aborts with the deadline too. */
  readonly signal: AbortSignal
  /** What is wrong with the header. */
  readonly error?: Error
  /** To be called once the call has ended. */
  readonly end: () => void
}

/** The deadline of a call that has just begun. */
export const deadlineOf = ({ header, signal }: HttpRequest): Deadline => {
  const value = header.get('connect-timeout-ms')
  if (value === null) return { signal, end: () => {} }
  if (!/^\d{1,10}$/.test(value)) return { signal, error: malformedDeadline(value), end: () => {} }
  if (Number(value) > LONGEST_TIMER) return { signal, end: () => {} }
  const deadline = createDeadlineSignal(Number(value))
  return { signal: AbortSignal.any([signal, deadline.signal]), end: deadline.cleanup }
}

const malformedDeadline = (value: string) =>
  statusError({
    code: Code.InvalidArgument,
    message: `protocol error: invalid connect timeout value: ${value}`,
    details: [errorInfo('INVALID_ARGUMENT')],
  })

import { createDeadlineSignal } from '@connectrpc/connect/protocol'
import type { HttpRequest } from '../http-request.js'

/** Longest that a timer of JavaScript waits, in milliseconds: 24 days; one for longer ends at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** When a call in JSON has to end. */
interface Deadline {
  /** Aborts with the deadline too. */
  readonly signal: AbortSignal
  /** To be called once the call has ended. */
  readonly end: () => void
  readonly isMalformed?: true
}

const none = (): void => {}

/** The deadline of a call that begins, by the header of the Connect protocol. */
export const deadlineOf = ({ header, signal }: HttpRequest): Deadline => {
  const value = header.get('connect-timeout-ms')
  if (value === null || Number(value) > LONGEST_TIMER) return { signal, end: none }
  if (!/^\d{1,10}$/.test(value)) return { signal, end: none, isMalformed: true }
  const deadline = createDeadlineSignal(Number(value))
  return { signal: AbortSignal.any([signal, deadline.signal]), end: deadline.cleanup }
}

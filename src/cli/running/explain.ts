import { type AnyError, toJson, toStatus } from 'claviger'
import { Failed } from './command.js'

/** What an error of the library says to an operator. */
export const explain = (error: AnyError): string => {
  const { message } = toStatus(error)
  if (error.kind === 'InvalidArgument')
    return error.violations.map(({ field, description }) => `${field} ${description}`).join('; ')
  if (error.kind === 'Unavailable') return `${message}: ${reasonOf(error.cause)}`
  if (error.kind === 'Cancelled') return 'Interrupted'
  const { kind, ...values } = error
  const shown = Object.entries(toJson(values) as object)
    .filter(([name]) => name !== 'cause')
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `${message} (${[kind, ...shown].join(', ')})`
}

/** What an exception says, down to its cause. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  const nested = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause
  const message = thrown.message || thrown.name
  if (nested === undefined || thrown instanceof Failed) return message
  const reason = reasonOf(nested)
  return message.includes(reason) ? message : `${message}: ${reason}`
}

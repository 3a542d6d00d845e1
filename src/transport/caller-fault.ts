import type { Caller, IamError } from '../index.js'

/** @throws TypeError when the permissions that `authenticate` answered with are no list */
export const refuseMalformedCaller = ({ permissions }: Caller): void => {
  if (permissions !== undefined && !Array.isArray(permissions))
    throw callerFault('caller.permissions must be a list')
}

/**
 * What the library found wrong with the caller, if it is that. It is a fault of the host: a client has no part
 * in what `authenticate` answers.
 */
export const callerFaultOf = (error: IamError): TypeError | undefined => {
  if (error.kind !== 'InvalidArgument') return undefined
  const wrong = error.violations.filter(({ field }) => field.startsWith('caller.'))
  if (wrong.length === 0) return undefined
  return callerFault(wrong.map(({ field, description }) => `${field} ${description}`).join('; '))
}

const callerFault = (what: string): TypeError =>
  new TypeError(`authenticate must answer with a well-formed caller: ${what}`)

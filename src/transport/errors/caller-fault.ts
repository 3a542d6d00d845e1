import { type Caller, checkCaller } from '../../index.js'

/**
 * A malformed caller is a fault of the host, found before anything of the request is looked at: the client has no
 * part in what `authenticate` answers.
 *
 * @throws TypeError for a malformed caller
 */
export const refuseMalformedCaller = (caller: Caller): void => {
  const faults = faultsOf(caller)
  if (faults.length > 0)
    throw new TypeError(`authenticate must answer with a well-formed caller: ${faults.join('; ')}`)
}

const faultsOf = (caller: Caller): readonly string[] => {
  try {
    const { permissions = [], permissionsIn = {} } = caller
    const faults = checkCaller(caller).map(({ field, description }) => `${field} ${description}`)
    if (!isList(permissions)) faults.push('caller.permissions must be a list of text')
    if (!Object.values(permissionsIn).every(isList) || typeof permissionsIn !== 'object')
      faults.push('caller.permissionsIn must hold lists of text')
    return faults
  } catch {
    return ['its properties must be readable']
  }
}

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

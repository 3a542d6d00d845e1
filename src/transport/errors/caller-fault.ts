import { type Caller, checkCaller } from '../../index.js'

/**
 * Holds that the caller is well-formed before anything of the request is looked at. That it is not is a fault of
 * the host: a client has no part in what `authenticate` answers.
 *
 * @throws TypeError when it is not
 */
export const refuseMalformedCaller = (caller: Caller): void => {
  const faults = faultsOf(caller)
  if (faults.length > 0)
    throw new TypeError(`authenticate must answer with a well-formed caller: ${faults.join('; ')}`)
}

const faultsOf = (caller: Caller): readonly string[] => {
  try {
    const { permissions, permissionsIn } = caller
    return [
      ...checkCaller(caller).map(({ field, description }) => `${field} ${description}`),
      ...(permissions === undefined || isList(permissions)
        ? []
        : ['caller.permissions must be a list of text']),
      ...(permissionsIn === undefined || isListed(permissionsIn)
        ? []
        : ['caller.permissionsIn must hold lists of text']),
    ]
  } catch {
    return ['its properties must be readable']
  }
}

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isListed = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isList)

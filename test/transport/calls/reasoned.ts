import type { Call, Details } from '../call.js'
import { segment } from './call-of.js'

/** A call that says why it is made. Empty stands for absent. */
export const reasoned = (
  reason: string,
  make: (details: Details) => Call,
  details: Details = {},
): Call => {
  const call = make({ ...details, context: { ...details.context, reason: reason || undefined } })
  const [verb, path, body] = call.http
  const query = `${path.includes('?') ? '&' : '?'}reason=${segment(reason)}`
  return {
    ...call,
    request: { ...call.request, reason },
    http: body ? [verb, path, { ...body, reason }] : [verb, `${path}${query}`],
  }
}

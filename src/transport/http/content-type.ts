import type { HeaderReader } from '../errors/call.js'

/** JSON with any parameters (RFC 9110, section 5.6.6), but in no other charset. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)(?!.*charset=(?!"?utf-?8"?[ \t]*(;|$)))/i

/** Whether the body of a request is JSON, by its content type. */
export const isJson = (header: HeaderReader): boolean => {
  const type = header.get('content-type') ?? ''
  return type === 'application/json' || JSON_TYPE.test(type)
}

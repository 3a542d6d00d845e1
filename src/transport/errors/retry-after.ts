import type { Status } from '../../index.js'
import { TYPE_PREFIX } from './status-error.js'

/** `Retry-After` of an answer (RFC 9110, section 10.2.3), in whole seconds; undefined without a RetryInfo. */
export const retryAfterOf = ({ details }: Status): string | undefined => {
  const info = details.find((detail) => detail['@type'] === `${TYPE_PREFIX}google.rpc.RetryInfo`)
  return info && String(Math.ceil(Number.parseFloat(String(info['retryDelay']))))
}

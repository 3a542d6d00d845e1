import type { Operation } from '../operations/operation.js'
import type { ResolvedOptions } from '../options.js'
import { methodNotAllowed } from './http-answer.js'
import type { HttpService } from './http-request.js'
import { jsonCall } from './rest/json-call.js'
import { queryFields } from './rest/url-fields.js'

/** Health for what probes by HTTP, and goes by the status: 200, or 503 with the error body. */
export const healthService = (options: ResolvedOptions, ready: Operation): HttpService => {
  const answer = jsonCall(options, {
    operation: ready,
    isBodyOptional: true,
    urlFields: (_, query) => queryFields([], query),
  })
  return (method, path) => {
    if (path !== '/v1/health') return undefined
    return method === 'GET'
      ? (request) => answer(request, [])
      : async () => methodNotAllowed(['GET'])
  }
}

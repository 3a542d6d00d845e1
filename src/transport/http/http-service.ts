import type { Iam } from '../../index.js'
import { openApi } from '../openapi/openapi.js'
import { operationsOf } from '../operations/operations.js'
import { type ResolvedOptions, resolveOptions, type TransportOptions } from '../options.js'
import { jsonAnswer, methodNotAllowed } from './http-answer.js'
import type { HttpService } from './http-request.js'
import { restService } from './rest-service.js'
import { rpcService } from './rpc-service.js'

/** The transport as a function from HTTP requests to their answers. */
export const httpService = (iam: Iam, given: TransportOptions): HttpService => {
  const operations = operationsOf(iam)
  const options = resolveOptions(given)
  const services = [
    documentService(options),
    rpcService(options, operations),
    restService(options, operations),
  ]
  const find: HttpService = (method, path) => {
    for (const service of services) {
      const answer = service(method, path)
      if (answer) return answer
    }
    return undefined
  }
  return (method, path) => {
    if (method !== 'HEAD') return find(method, path)
    const answer = find('GET', path)
    return answer && (async (request) => ({ ...(await answer(request)), body: '' }))
  }
}

/** The document of the interface. */
const documentService = ({ organizationHeader }: ResolvedOptions): HttpService => {
  const text = JSON.stringify(openApi(organizationHeader))
  return (method, path) => {
    if (path !== '/openapi.json') return undefined
    return async () => (method === 'GET' ? jsonAnswer(200, text) : methodNotAllowed(['GET']))
  }
}

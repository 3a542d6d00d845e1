import type { Iam } from '../../index.js'
import { openApi } from '../openapi/openapi.js'
import type { Operation } from '../operations/operation.js'
import { operationsOf } from '../operations/operations.js'
import { healthOperations } from '../operations/services/health.js'
import { type ResolvedOptions, resolveOptions, type TransportOptions } from '../options.js'
import { standardStreams } from '../rpc/standard-streams.js'
import { healthService } from './health-service.js'
import { jsonAnswer, methodNotAllowed } from './http-answer.js'
import type { HttpService } from './http-request.js'
import { missingService } from './missing-service.js'
import { restService } from './rest/rest-service.js'
import { rpcService } from './rpc-service.js'

/** The transport as functions from HTTP requests to their answers. */
export const httpService = (iam: Iam, given: TransportOptions) => {
  const operations = operationsOf(iam, given)
  const options = resolveOptions(given)
  const services = [...new Set(operations.map(({ rpc }) => rpc.parent))]
  const { check, ready } = healthOperations(iam, services)
  const document = documentService(options, operations)
  const health = healthService(options, ready)
  const rpcs = rpcService(options, [...operations, check], standardStreams(services))
  const rest = restService(options, operations)
  const find: HttpService = (method, path) =>
    document(method, path) ?? health(method, path) ?? rpcs(method, path) ?? rest(method, path)
  const { basePath } = options
  return {
    find: answeringHead((method, path) =>
      path.startsWith(basePath) ? find(method, path.slice(basePath.length)) : undefined,
    ),
    missing: missingService(options, operations, find),
  }
}

/** HEAD is answered as GET is, without the body. */
const answeringHead =
  (find: HttpService): HttpService =>
  (method, path) => {
    if (method !== 'HEAD') return find(method, path)
    const answer = find('GET', path)
    if (!answer) return undefined
    return async (request) => {
      const { status, header } = await answer(request)
      return { status, header, body: '' }
    }
  }

/** The document of the interface. */
const documentService = (
  options: ResolvedOptions,
  operations: readonly Operation[],
): HttpService => {
  // Made when it is first asked for, since that takes longer than all else at a start.
  let made: string | undefined
  const text = () => {
    made ??= JSON.stringify(openApi(operations, options))
    return made
  }
  return (method, path) => {
    if (path !== '/openapi.json') return undefined
    return async () => (method === 'GET' ? jsonAnswer(200, text()) : methodNotAllowed(['GET']))
  }
}

import { Code } from '@connectrpc/connect'
import { statusError, transportStatus } from '../errors/status-error.js'
import type { Operation } from '../operations/operation.js'
import type { ResolvedOptions } from '../options.js'
import { errorAnswer } from './http-answer.js'
import type { Answer, HttpService } from './http-request.js'
import { rpcService } from './rpc-service.js'

const notFound = (message: string) => transportStatus(Code.NotFound, message, 'PATH_NOT_FOUND')

const NOTHING_HERE = notFound('There is nothing at this path')
const NO_PREFIX = notFound('The path does not begin with basePath')
const OTHER_PREFIX = notFound('The path begins with a prefix that basePath does not name')

/** Segments that are taken for a prefix at most: a path may have thousands. */
const LONGEST_PREFIX = 8

/**
 * What answers a path that is not of the transport, when no other handler follows. A path that would be one under
 * another prefix is told so, in the protocol of the request.
 */
export const missingService = (
  options: ResolvedOptions,
  operations: readonly Operation[],
  find: HttpService,
): ((method: string, path: string) => Answer) => {
  return (method, path) => {
    const below = pathsBelow(path).find((known) => find(method, known))
    if (below === undefined) return async () => errorAnswer(NOTHING_HERE)
    const status = below === path ? NO_PREFIX : OTHER_PREFIX
    const authenticate = () => {
      throw statusError(status)
    }
    const called = operations.filter(
      ({ rpc }) => method === 'POST' && below === `/${rpc.parent.typeName}/${rpc.name}`,
    )
    const refuse = rpcService({ ...options, authenticate }, called, [])(method, below)
    return refuse ?? (async () => errorAnswer(status))
  }
}

/** The path, and what is left of it below its first segments. */
const pathsBelow = (path: string): readonly string[] => {
  const paths = [path]
  for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
    if (paths.length > LONGEST_PREFIX) break
    paths.push(path.slice(at))
  }
  return paths
}

import {
  universalServerRequestFromFetch,
  universalServerResponseToFetch,
} from '@connectrpc/connect/protocol'
import type { Iam } from '../index.js'
import { httpService, notFound } from './http-service.js'
import type { TransportOptions } from './options.js'

/**
 * The transport for servers in the style of `fetch` (workers, Bun, Deno, Hono): JSON on REST paths
 * and gRPC-web. gRPC itself is answered with 415: it needs trailers, which a `Response` has not.
 *
 * @throws TypeError when an option is missing
 */
export const fetchHandler = (
  iam: Iam,
  options: TransportOptions,
): ((request: Request) => Promise<Response>) => {
  const service = httpService(iam, options)
  return async (request) => {
    const { body, ...head } = universalServerRequestFromFetch(request, {})
    const answer = isBytes(body) ? await service({ ...head, body }) : undefined
    return universalServerResponseToFetch(answer ?? notFound())
  }
}

const isBytes = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

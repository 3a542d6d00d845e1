import {
  universalServerRequestFromFetch,
  universalServerResponseToFetch,
} from '@connectrpc/connect/protocol'
import type { Iam } from '../../index.js'
import type { TransportOptions } from '../options.js'
import { httpService, notFound } from './http-service.js'

/**
 * The transport for servers in the style of `fetch` (workers, Bun, Deno, Hono): JSON on REST paths
 * and gRPC-web. gRPC itself is answered with 415: it needs trailers, which a `Response` has not.
 *
 * @throws TypeError when an option is missing, or `iam` is not what `createIam` returns; the handler rejects with one
 *   when it is given a request of Node.js
 */
export const fetchHandler = (
  iam: Iam,
  options: TransportOptions,
): ((request: Request) => Promise<Response>) => {
  const service = httpService(iam, options)
  return async (request) => {
    refuseNodeRequest(request)
    const { method, url, headers: header, signal } = request
    const head = { httpVersion: '', method, url, header, signal }
    const answer = await service({ ...head, body: bytesOf(request) })
    return universalServerResponseToFetch(answer ?? notFound())
  }
}

/** @throws TypeError for a request of Node.js, whose headers are no `Headers` */
const refuseNodeRequest = ({ headers }: Request): void => {
  if (typeof headers?.get !== 'function')
    throw new TypeError('fetchHandler takes a Request of fetch; for node:http, use nodeHandler')
}

/** Takes hold of the body once it is read: it may be in use where a path is not of the transport. */
async function* bytesOf(request: Request): AsyncIterable<Uint8Array> {
  const { body } = universalServerRequestFromFetch(request, {})
  if (isBytes(body)) yield* body
}

const isBytes = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

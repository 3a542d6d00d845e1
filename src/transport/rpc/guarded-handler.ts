import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol'
import { isEncoded } from '../http/wire-headers.js'
import type { MessageFields } from '../messages/message-fields.js'
import { frameOf, messageOf } from './request-message.js'
import { shortMessage } from './short-message.js'

/** The handler of an rpc, with requests that are bounded before they are decoded, and answers that no cache stores. */
export const guardedHandler = (
  handler: UniversalHandler,
  fields: MessageFields,
): UniversalHandler => {
  const guarded = async (request: UniversalServerRequest) => {
    const answer = await handler(bounded(fields, request))
    const { header = new Headers() } = answer
    header.set('cache-control', 'no-store')
    return { ...answer, header }
  }
  return Object.assign(guarded, handler)
}

const GRPC = /^application\/grpc(-web)?(\+|;|$)/i
const CONNECT_BINARY = /^application\/proto$/i

/** JSON is bounded where it is read. */
const bounded = (
  fields: MessageFields,
  request: UniversalServerRequest,
): UniversalServerRequest => {
  const { body, header: received } = request
  if (!isBytes(body)) return request
  const type = received.get('content-type') ?? ''
  const isJson = /\+json/i.test(type)
  const shortened = (bytes: Uint8Array) => (isJson ? bytes : shortMessage(fields, bytes))
  if (GRPC.test(type)) return { ...request, body: frameOf(body, shortened) }
  if (!CONNECT_BINARY.test(type) || isEncoded(received)) return request
  const header = new Headers(received)
  header.delete('content-length')
  return { ...request, header, body: messageOf(body, shortened) }
}

const isBytes = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

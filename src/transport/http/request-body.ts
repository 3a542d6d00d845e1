import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { failed } from '../errors/unexpected.js'
import type { HttpRequest } from '../json/transcode.js'
import type { Edge } from '../options.js'

/** The request, with a body that tells the host why it cannot be read, as calls do of what fails in them. */
export const withBody = (
  edge: Edge,
  { service, method }: UniversalHandler,
  request: HttpRequest,
): HttpRequest => {
  const { header, signal, body } = request
  const call = { service, method, signal, requestHeader: header, responseHeader: new Headers() }
  return { ...request, body: bytesOf(body, (cause) => failed(edge, call, cause)) }
}

async function* bytesOf(
  body: AsyncIterable<Uint8Array>,
  failure: (cause: unknown) => Error,
): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of body) {
      // A stream that a host makes may hold anything.
      if (!ArrayBuffer.isView(piece)) throw new TypeError('A body must consist of bytes')
      yield piece
    }
  } catch (cause) {
    throw failure(cause)
  }
}

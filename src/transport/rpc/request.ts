import { Code, ConnectError } from '@connectrpc/connect'
import {
  compressedFlag,
  encodeEnvelope,
  readAllBytes,
  type UniversalServerRequest,
} from '@connectrpc/connect/protocol'
import { isEncoded, MAX_REQUEST_BYTES } from '../http.js'

/** Reads a message, and returns the bytes that ConnectRPC decodes in its place. */
type ReadBytes = (message: Uint8Array, isJson: boolean) => Uint8Array

const GRPC = /^application\/grpc(-web)?(\+|;|$)/i
const CONNECT = /^application\/(proto|json)[ \t]*(;|$)/i

/** The request, with a body that is read by `read` before ConnectRPC decodes it. */
export const withReader = (
  request: UniversalServerRequest,
  read: ReadBytes,
): UniversalServerRequest => {
  const { body, header: received } = request
  if (!isBytes(body)) return request
  const type = received.get('content-type') ?? ''
  if (GRPC.test(type)) {
    const isJson = /\+json/i.test(type)
    return { ...request, body: frameOf(body, (message) => read(message, isJson)) }
  }
  const [, form] = CONNECT.exec(type) ?? []
  if (form === undefined || isEncoded(received)) return request
  const header = new Headers(received)
  header.delete('content-length')
  const isJson = form.toLowerCase() === 'json'
  return { ...request, header, body: messageOf(body, (message) => read(message, isJson)) }
}

export const isBytes = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** A body that is one message. */
async function* messageOf(
  body: AsyncIterable<Uint8Array>,
  read: (message: Uint8Array) => Uint8Array,
): AsyncIterable<Uint8Array> {
  yield read(await readAllBytes(body, MAX_REQUEST_BYTES))
}

/** Flags and length, in front of a message of gRPC. */
export const FRAME_BYTES = 5

/**
 * A body that is a message in a frame of gRPC, and nothing else. ConnectRPC itself refuses a frame that ends early or
 * is compressed, and a second frame, which comes to it empty.
 */
async function* frameOf(
  body: AsyncIterable<Uint8Array>,
  read: (message: Uint8Array) => Uint8Array,
): AsyncIterable<Uint8Array> {
  const bytes = await readAllBytes(body, FRAME_BYTES + MAX_REQUEST_BYTES)
  const flags = bytes[0] ?? 0
  if ((flags | compressedFlag) !== compressedFlag)
    throw new ConnectError('The frame of the request has reserved flags', Code.Internal)
  const end = endOfFrame(bytes)
  if (end === undefined) return yield bytes
  const message = bytes.subarray(FRAME_BYTES, end)
  yield encodeEnvelope(flags, flags === compressedFlag ? message : read(message))
  if (bytes.length > end) yield encodeEnvelope(0, new Uint8Array())
}

/** Undefined if the frame ends early. */
const endOfFrame = ({ buffer, byteOffset, length }: Uint8Array): number | undefined => {
  if (length < FRAME_BYTES) return undefined
  const end = FRAME_BYTES + new DataView(buffer, byteOffset).getUint32(1)
  return end <= length ? end : undefined
}

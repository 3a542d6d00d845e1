import { Code, ConnectError } from '@connectrpc/connect'
import { compressedFlag, encodeEnvelope, readAllBytes } from '@connectrpc/connect/protocol'
import { MAX_REQUEST_BYTES } from '../http/read-body.js'

/** What is decoded instead of a message. */
type Read = (message: Uint8Array) => Uint8Array

/** Flags and length, in front of a message. */
const HEAD_BYTES = 5

/** A body that is one message. */
export async function* messageOf(
  body: AsyncIterable<Uint8Array>,
  read: Read,
): AsyncIterable<Uint8Array> {
  yield read(await readAllBytes(body, MAX_REQUEST_BYTES))
}

/**
 * A body that is a message in a frame of gRPC, and nothing else. What ConnectRPC answers by itself is left to it:
 * a frame that ends early, one that is compressed, and a second one, which is not decoded for that.
 */
export async function* frameOf(
  body: AsyncIterable<Uint8Array>,
  read: Read,
): AsyncIterable<Uint8Array> {
  const bytes = await readAllBytes(body, HEAD_BYTES + MAX_REQUEST_BYTES)
  const flags = bytes[0] ?? 0
  if ((flags | compressedFlag) !== compressedFlag)
    throw new ConnectError('The frame of the request has reserved flags', Code.Internal)
  const end = endOfFrame(bytes)
  if (end === undefined) return yield bytes
  const message = bytes.subarray(HEAD_BYTES, end)
  yield encodeEnvelope(flags, flags === compressedFlag ? message : read(message))
  if (bytes.length > end) yield encodeEnvelope(0, new Uint8Array())
}

/** Undefined when the frame ends early. */
const endOfFrame = ({ buffer, byteOffset, length }: Uint8Array): number | undefined => {
  if (length < HEAD_BYTES) return undefined
  const end = HEAD_BYTES + new DataView(buffer, byteOffset).getUint32(1)
  return end <= length ? end : undefined
}

import type { DescMessage } from '@bufbuild/protobuf'
import { readAllBytes } from '@connectrpc/connect/protocol'
import { malformed } from '../errors/status-error.js'
import { MAX_REQUEST_BYTES } from '../http/max-request-bytes.js'
import { jsonMembers, type Parameter } from './url-parameters.js'

const OPEN = 0x7b
const CLOSE = 0x7d

/** A JSON object, of which a part may stand in the URL. */
export interface JsonSource {
  readonly desc: DescMessage
  /** Called only once the body is wanted: what it throws is answered as what a parser throws. */
  readonly parameters: () => readonly Parameter[]
  readonly body: AsyncIterable<Uint8Array>
  /** Whether the body may be left out. */
  readonly isOptional: boolean
}

/**
 * The body with what the URL says put in front; nothing else of it is looked at. A member that it
 * has already stands there twice then, and whoever parses it objects.
 */
export async function* jsonBody(source: JsonSource): AsyncIterable<Uint8Array> {
  const members = jsonMembers(source.desc, source.parameters())
  const bytes = await readAllBytes(source.body, MAX_REQUEST_BYTES)
  const isAbsent = bytes.length === 0 && source.isOptional
  yield spliced(isAbsent ? new Uint8Array([OPEN, CLOSE]) : bytes, members)
}

/** @throws ConnectError where there is no object to put `members` into, for none of them may get lost */
const spliced = (bytes: Uint8Array, members: string): Uint8Array => {
  const start = notWhite(bytes, 0)
  if (bytes[start] !== OPEN) throw malformed({ field: '', description: 'must be a JSON object' })
  if (members === '') return bytes
  const isEmpty = bytes[notWhite(bytes, start + 1)] === CLOSE
  const head = new TextEncoder().encode(`{${members}${isEmpty ? '' : ','}`)
  const joined = new Uint8Array(head.length + bytes.length - start - 1)
  joined.set(head)
  joined.set(bytes.subarray(start + 1), head.length)
  return joined
}

const notWhite = (bytes: Uint8Array, from: number): number => {
  let index = from
  while (isWhite(bytes[index])) index++
  return index
}

const isWhite = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Code, ConnectError } from '@connectrpc/connect'
import type { MessageField, MessageFields } from '../messages/message-fields.js'

/** Unknown fields that are kept: more than an answer has room for. */
const MOST_UNKNOWN = 500

/**
 * A message of protobuf without what its answer does not depend on, so that decoding it takes little: of a list,
 * the items behind the first that is too many; unknown fields that no answer has room for; of a field that is
 * given several times, all but the last. @throws ConnectError where it is no protobuf
 */
export const shortMessage = (fields: MessageFields, bytes: Uint8Array): Uint8Array => {
  try {
    return shortened(fields, bytes, { unknown: 0 })
  } catch {
    throw new ConnectError('The message is no protobuf', Code.Internal)
  }
}

/** How many unknown fields there were, at any depth. */
interface Seen {
  unknown: number
}

/** Where a value stands in the bytes of the message. */
interface Place {
  readonly start: number
  readonly end: number
}

/** What is kept of a message. */
interface Kept {
  /** Items of lists, and the one value of other fields. */
  readonly values: Map<MessageField, Place[]>
  /** Of a message that is given several times, protobuf takes all together. */
  readonly messages: Map<MessageField, Kept>
  readonly unknown: BinaryWriter
}

const nothing = (): Kept => ({
  values: new Map(),
  messages: new Map(),
  unknown: new BinaryWriter(),
})

const shortened = (fields: MessageFields, bytes: Uint8Array, seen: Seen): Uint8Array => {
  const kept = nothing()
  read(fields, { reader: new BinaryReader(bytes), end: bytes.length }, { kept, seen })
  return written(kept, bytes, seen)
}

interface Source {
  readonly reader: BinaryReader
  readonly end: number
}

interface Into {
  readonly kept: Kept
  readonly seen: Seen
}

/** Makes no array of bytes for a value: there may be half a million. */
const read = (fields: MessageFields, { reader, end }: Source, { kept, seen }: Into): void => {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    const field = fields.byNumber.get(number)
    if (!field) {
      const value = reader.skip(wireType, number)
      if (seen.unknown++ < MOST_UNKNOWN) kept.unknown.tag(number, wireType).raw(value)
      continue
    }
    if (wireType !== wireTypeOf(field)) throw new Error('another wire type')
    const message = field.isList ? undefined : nestedIn(field)
    if (message) {
      const whole = kept.messages.get(field) ?? nothing()
      kept.messages.set(field, whole)
      const length = reader.uint32()
      read(message, { reader, end: reader.pos + length }, { kept: whole, seen })
    } else keep(kept, field, placeOf(reader, wireType))
  }
  if (reader.pos > end) throw new Error('longer than what it is in')
}

const nestedIn = (field: MessageField): MessageFields | undefined =>
  'message' in field ? field.message : undefined

const wireTypeOf = ({ kind }: MessageField): WireType =>
  kind === 'flag' || kind === 'number' || kind === 'enum' || kind === 'sequence'
    ? WireType.Varint
    : WireType.LengthDelimited

/** Where the value is that comes next; the reader is behind it afterwards. */
const placeOf = (reader: BinaryReader, wireType: WireType): Place => {
  const before = reader.pos
  const number = reader.uint32()
  if (wireType === WireType.Varint) return { start: before, end: reader.pos }
  const start = reader.pos
  reader.pos += number
  return { start, end: reader.pos }
}

const keep = ({ values }: Kept, field: MessageField, place: Place): void => {
  const places = values.get(field)
  if (!places) values.set(field, [place])
  else if (!field.isList) places[0] = place
  else if (places.length <= field.most) places.push(place)
}

const written = (
  { values, messages, unknown }: Kept,
  bytes: Uint8Array,
  seen: Seen,
): Uint8Array => {
  const writer = new BinaryWriter()
  for (const [field, places] of values)
    for (const { start, end } of places) {
      const value = bytes.subarray(start, end)
      writer.tag(field.number, wireTypeOf(field))
      const nested = nestedIn(field)
      if (nested) writer.bytes(shortened(nested, value, seen))
      else if (field.kind === 'text') writer.bytes(value)
      else writer.raw(value)
    }
  for (const [{ number }, message] of messages)
    writer.tag(number, WireType.LengthDelimited).bytes(written(message, bytes, seen))
  return writer.raw(unknown.finish()).finish()
}

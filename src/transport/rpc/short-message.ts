import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Code, ConnectError } from '@connectrpc/connect'
import type { MessageField, MessageFields } from '../messages/message-fields.js'
import { countObjects } from '../messages/place.js'

/** Unknown fields that are kept: more than an answer has room for. */
const MOST_UNKNOWN = 500

/**
 * A message of protobuf without what its answer does not depend on, so that decoding it takes little: of a list,
 * the items behind the first that is too many; unknown fields that no answer has room for; of a field that is
 * given several times, all but the last. @throws ConnectError where it is no protobuf, or has too many objects
 */
export const shortMessage = (fields: MessageFields, bytes: Uint8Array): Uint8Array => {
  try {
    return shortened(bytes, nothingOf(fields, { unknown: 0, objects: 0 }))
  } catch (thrown) {
    if (thrown instanceof ConnectError) throw thrown
    throw new ConnectError('The message is no protobuf', Code.Internal)
  }
}

/** Where a value stands in the bytes of a message. */
interface Place {
  readonly start: number
  readonly end: number
}

/** What is kept of a message. */
interface Kept {
  readonly fields: MessageFields
  /** Items of lists, and the one value of other fields. */
  readonly values: Map<MessageField, Place[]>
  /** Of a message that is given several times, protobuf takes all together. */
  readonly messages: Map<MessageField, Kept>
  readonly unknown: BinaryWriter
  /** How many unknown fields, and messages in lists, the request has had so far, at any depth. */
  readonly seen: { unknown: number; objects: number }
}

const nothingOf = (fields: MessageFields, seen: Kept['seen']): Kept => ({
  fields,
  values: new Map(),
  messages: new Map(),
  unknown: new BinaryWriter(),
  seen,
})

const shortened = (bytes: Uint8Array, kept: Kept): Uint8Array => {
  read(new BinaryReader(bytes), bytes.length, kept)
  return written(bytes, kept)
}

/** Makes no array of bytes for a value: there may be half a million. */
const read = (reader: BinaryReader, end: number, kept: Kept): void => {
  const { fields, messages, unknown, seen } = kept
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    const field = fields.byNumber.get(number)
    if (!field) {
      const value = reader.skip(wireType, number)
      if (seen.unknown++ < MOST_UNKNOWN) unknown.tag(number, wireType).raw(value)
      continue
    }
    if (wireType !== wireTypeOf(field)) throw new Error('another wire type')
    const nested = field.isList ? undefined : nestedIn(field)
    if (nested) {
      const whole = messages.get(field) ?? nothingOf(nested, seen)
      messages.set(field, whole)
      const length = reader.uint32()
      read(reader, reader.pos + length, whole)
    } else keep(kept, field, placeOf(reader, wireType))
  }
  if (reader.pos > end) throw new Error('longer than what it is in')
}

const nestedIn = (field: MessageField): MessageFields | undefined =>
  'message' in field ? field.message : undefined

const wireTypeOf = (field: MessageField): WireType =>
  nestedIn(field) || field.kind === 'text' ? WireType.LengthDelimited : WireType.Varint

/** Where the value is that comes next; the reader is behind it afterwards. */
const placeOf = (reader: BinaryReader, wireType: WireType): Place => {
  const before = reader.pos
  const number = reader.uint32()
  if (wireType === WireType.Varint) return { start: before, end: reader.pos }
  const start = reader.pos
  reader.pos += number
  return { start, end: reader.pos }
}

const keep = ({ values, seen }: Kept, field: MessageField, place: Place): void => {
  const places = values.get(field) ?? []
  if (places.length === 0) values.set(field, places)
  if (!field.isList) places[0] = place
  else if (places.length <= field.most) {
    if (nestedIn(field)) countObjects(seen, 1)
    places.push(place)
  }
}

const written = (bytes: Uint8Array, { values, messages, unknown, seen }: Kept): Uint8Array => {
  const writer = new BinaryWriter()
  for (const [field, places] of values)
    for (const { start, end } of places) {
      const value = bytes.subarray(start, end)
      const nested = nestedIn(field)
      writer.tag(field.number, wireTypeOf(field))
      if (nested) writer.bytes(shortened(value, nothingOf(nested, seen)))
      else if (field.kind === 'text') writer.bytes(value)
      else writer.raw(value)
    }
  for (const [{ number }, message] of messages)
    writer.tag(number, WireType.LengthDelimited).bytes(written(bytes, message))
  return writer.raw(unknown.finish()).finish()
}

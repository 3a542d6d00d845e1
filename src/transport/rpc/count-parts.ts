import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { Code, ConnectError } from '@connectrpc/connect'
import { malformed, Refusal } from '../json/refusal.js'
import { countObjects, fieldsOf } from '../operations/message.js'
import type { WireField, WireMessage } from '../wire.js'

/** Most fields and items of a request, at any depth. 30,000 roles with all of their fields have fewer. */
const MAX_PARTS = 150_000

/** Most unknown fields that are decoded, to be named in the refusal. No refusal has room for more. */
const MAX_UNKNOWN = 500

/**
 * Counts the parts of a message before it is decoded. @throws Refusal if it has too many, and ConnectError if it is not
 * protobuf
 */
export const countParts = (message: WireMessage, bytes: Uint8Array): void => {
  try {
    count(new BinaryReader(bytes), bytes.length, {
      message,
      seen: { parts: 0, objects: 0, unknown: 0 },
    })
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown
    throw new ConnectError('The message is not valid protobuf', Code.Internal)
  }
}

interface Counted {
  readonly message: WireMessage
  /** How many parts, messages in lists, and unknown fields were seen so far. */
  readonly seen: { parts: number; objects: number; unknown: number }
}

const count = (reader: BinaryReader, end: number, { message, seen }: Counted): void => {
  const { byNumber } = fieldsOf(message)
  while (reader.pos < end) {
    if (++seen.parts > MAX_PARTS)
      throw malformed({ field: '', description: `must have at most ${MAX_PARTS} fields and items` })
    const [number, wireType] = reader.tag()
    const field = byNumber.get(number)
    if (!field) {
      if (++seen.unknown > MAX_UNKNOWN) throw malformed(unknownField(number))
      reader.skip(wireType, number)
      continue
    }
    const isNumber = VARINTS.includes(field.kind)
    if (wireType !== (isNumber ? WireType.Varint : WireType.LengthDelimited))
      throw new Error('another wire type')
    const length = reader.uint32()
    if (isNumber) continue
    const nested = messageIn(field)
    if (nested && field.isList) countObjects(seen, 1)
    if (nested) count(reader, reader.pos + length, { message: nested, seen })
    else reader.pos += length
  }
  if (reader.pos > end) throw new Error('longer than the message that holds it')
}

const unknownField = (number: number) => ({
  field: '',
  description: `must not have a field numbered ${number}`,
})

const VARINTS: readonly WireField['kind'][] = ['flag', 'number', 'sequence', 'enum']

const messageIn = (field: WireField): WireMessage | undefined => {
  if (field.kind === 'message') return field.message
  return field.kind === 'time' ? TIMESTAMP : field.kind === 'mask' ? FIELD_MASK : undefined
}

const unnamed = { name: '', protoName: '' }

const TIMESTAMP: WireMessage = {
  name: 'Timestamp',
  fields: [
    { ...unnamed, number: 1, kind: 'sequence' },
    { ...unnamed, number: 2, kind: 'number' },
  ],
}

const FIELD_MASK: WireMessage = {
  name: 'FieldMask',
  fields: [{ ...unnamed, number: 1, kind: 'text', isList: true }],
}

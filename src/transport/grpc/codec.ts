import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import {
  A_TIME,
  boundedItems,
  countObjects,
  type FieldPath,
  fieldsOf,
  pathTo,
  readEnum,
  refuse,
  textOf,
  timeInRange,
  type Values,
  wholeRequest,
  zeroOf,
} from '../operations/message.js'
import { malformed, Refusal, refuseMalformed, transportStatus } from '../operations/refusal.js'
import { maskedFields } from '../operations/update-mask.js'
import type { WireField, WireMessage } from '../wire.js'

/** Reads a request. @throws Refusal if it is not protobuf, too large, or has unknown fields or values */
export const readMessage = (message: WireMessage, bytes: Uint8Array): Values => {
  const request = wholeRequest()
  const values = valuesOf(message, decode(message, bytes), request)
  refuseMalformed(request.read.violations)
  return values
}

/** Writes a response, without zero values, which readers put in. */
export const writeMessage = (message: WireMessage, values: object): Uint8Array =>
  writeFields(new BinaryWriter(), message, values).finish()

/** Most fields and items of a request, at any depth. 30,000 roles with all of their fields have fewer. */
const MAX_PARTS = 150_000

/** Most unknown fields that a message keeps, to be named in the refusal. No refusal has room for more. */
const MAX_UNKNOWN = 250

const NO_PROTOBUF = new Refusal(transportStatus('internal', 'The message is not valid protobuf'))

/** A message as it was sent: absent fields are absent. */
class Decoded {
  /** By the names of the fields. */
  readonly entries: Record<string, unknown> = {}
  readonly unknown = new Set<number>()
}

/** How many parts, and messages in lists, were read so far. */
interface Counted {
  parts: number
  objects: number
}

const decode = (message: WireMessage, bytes: Uint8Array): Decoded => {
  try {
    const reader = new BinaryReader(bytes)
    return decodeFields(reader, message, bytes.length, { parts: 0, objects: 0 }, new Decoded())
  } catch (thrown) {
    throw thrown instanceof Refusal ? thrown : NO_PROTOBUF
  }
}

/** Decodes the fields up to `end` into a message that may have some already. */
const decodeFields = (
  reader: BinaryReader,
  message: WireMessage,
  end: number,
  counted: Counted,
  decoded: Decoded,
): Decoded => {
  const { entries, unknown } = decoded
  const { byNumber } = fieldsOf(message)
  while (reader.pos < end) {
    if (++counted.parts > MAX_PARTS)
      throw malformed({ field: '', description: `must have at most ${MAX_PARTS} fields and items` })
    const [number, wireType] = reader.tag()
    const field = byNumber.get(number)
    if (!field) {
      if (unknown.size < MAX_UNKNOWN) unknown.add(number)
      reader.skip(wireType, number)
      continue
    }
    if (wireType !== wireTypeOf(field)) throw new Error('another wire type')
    const there = entries[field.name]
    if (!field.isList) {
      entries[field.name] = decodeValue(reader, field, counted, there)
      continue
    }
    if (field.kind === 'message') countObjects(counted, 1)
    const item = decodeValue(reader, field, counted)
    if (Array.isArray(there)) there.push(item)
    else entries[field.name] = [item]
  }
  if (reader.pos > end) throw new Error('longer than the message that holds it')
  return decoded
}

const VARINTS: readonly WireField['kind'][] = ['flag', 'number', 'sequence', 'enum']

const wireTypeOf = ({ kind }: WireField): WireType =>
  VARINTS.includes(kind) ? WireType.Varint : WireType.LengthDelimited

/** A message that comes in several parts is merged with the part before. */
const decodeValue = (
  reader: BinaryReader,
  field: WireField,
  counted: Counted,
  before?: unknown,
): unknown => {
  switch (field.kind) {
    case 'text':
      return reader.string(true)
    case 'flag':
      return reader.bool()
    case 'number':
    case 'enum':
      return reader.int32()
    case 'sequence':
      return BigInt(reader.uint64())
    case 'message':
    case 'time':
    case 'mask': {
      const length = reader.uint32()
      const into = before instanceof Decoded ? before : new Decoded()
      return decodeFields(reader, messageOf(field), reader.pos + length, counted, into)
    }
    case 'value':
      throw new Error('in responses only')
  }
}

const messageOf = (field: WireField): WireMessage => {
  if (field.kind === 'message') return field.message
  return field.kind === 'time' ? TIMESTAMP : FIELD_MASK
}

const SECONDS: WireField = { name: 'seconds', protoName: 'seconds', number: 1, kind: 'sequence' }
const NANOS: WireField = { name: 'nanos', protoName: 'nanos', number: 2, kind: 'number' }
const TIMESTAMP: WireMessage = { name: 'Timestamp', fields: [SECONDS, NANOS] }
const PATHS = { name: 'paths', protoName: 'paths', number: 1, kind: 'text', isList: true } as const
const FIELD_MASK: WireMessage = { name: 'FieldMask', fields: [PATHS] }

/** The values of a message, as the library takes them. */
const valuesOf = (message: WireMessage, { entries, unknown }: Decoded, path: FieldPath): Values => {
  refuseUnknown(unknown, path)
  const fields = fieldsOf(message)
  const isPatch = fields.patchable !== undefined
  const values: Record<string, unknown> = { ...fields.empty }
  for (const field of isPatch
    ? maskedFields(fields, entries, namesIn(entries), textOf(path))
    : fields.all) {
    const value = entries[field.name]
    if (value !== undefined) values[field.name] = fieldOf(field, value, pathTo(path, field.name))
    // A patch empties a field that its mask names and the message does not have.
    else if (isPatch) values[field.name] = zeroOf(field)
  }
  return values
}

const namesIn = ({ updateMask }: Values): readonly string[] => {
  const paths = updateMask instanceof Decoded ? updateMask.entries['paths'] : []
  return Array.isArray(paths) ? paths : []
}

const refuseUnknown = (unknown: ReadonlySet<number>, path: FieldPath): void => {
  for (const number of unknown) refuse(path, `must not have a field numbered ${number}`)
}

const fieldOf = (field: WireField, value: unknown, path: FieldPath): unknown =>
  field.isList && Array.isArray(value)
    ? boundedItems(field, value).map((item, index) => itemOf(field, item, pathTo(path, index)))
    : itemOf(field, value, path)

/** Enumerations of protobuf are open: any number may come in, and an unknown one must not pass for the default. */
const itemOf = (field: WireField, value: unknown, path: FieldPath): unknown => {
  if (field.kind === 'enum') return readEnum(field.values, value, path)
  if (!(value instanceof Decoded)) return value
  return field.kind === 'message' ? valuesOf(field.message, value, path) : timeOf(value, path)
}

/** The time of a `google.protobuf.Timestamp`, to the millisecond. */
const timeOf = ({ entries, unknown }: Decoded, path: FieldPath): Date | undefined => {
  refuseUnknown(unknown, path)
  const { seconds = 0n, nanos = 0 } = entries
  if (typeof seconds !== 'bigint' || typeof nanos !== 'number') return refuse(path, A_TIME)
  const isFraction = nanos >= 0 && nanos <= 999_999_999
  const milliseconds = Number(BigInt.asIntN(64, seconds)) * 1000 + Math.floor(nanos / 1_000_000)
  return (isFraction ? timeInRange(milliseconds) : undefined) ?? refuse(path, A_TIME)
}

const writeFields = (
  writer: BinaryWriter,
  { fields }: WireMessage,
  values: object,
): BinaryWriter => {
  for (const field of fields) {
    const value: unknown = Reflect.get(values, field.name) ?? undefined
    const isZero = value === zeroOf(field) || value === 0n
    if (field.isList && Array.isArray(value))
      for (const item of value) writeValue(writer, field, item)
    else if (value !== undefined && (field.isOptional || !isZero)) writeValue(writer, field, value)
  }
  return writer
}

const writeValue = (writer: BinaryWriter, field: WireField, value: unknown): void => {
  const tag = () => writer.tag(field.number, wireTypeOf(field))
  switch (field.kind) {
    case 'text':
      return void tag().string(String(value))
    case 'flag':
      return void tag().bool(value === true)
    case 'number':
      return void tag().int32(Number(value))
    case 'sequence':
      return void tag().uint64(BigInt(String(value)))
    case 'enum':
      return void tag().int32(field.values.find((known) => known.value === value)?.number ?? 0)
    case 'message':
      return void writeFields(tag().fork(), field.message, Object(value)).join()
    case 'time':
      return void writeTime(tag().fork(), value instanceof Date ? value.getTime() : 0).join()
    case 'value':
      return void writeAny(tag().fork(), value).join()
    case 'mask':
      throw new Error('in requests only')
  }
}

const writeTime = (writer: BinaryWriter, time: number): BinaryWriter => {
  const seconds = Math.floor(time / 1000)
  const nanos = (time - seconds * 1000) * 1_000_000
  if (seconds !== 0) writer.tag(1, WireType.Varint).int64(seconds)
  return nanos === 0 ? writer : writer.tag(2, WireType.Varint).int32(nanos)
}

/** A `google.protobuf.Value` of text, a number, a flag, or a list or an object of these. */
const writeAny = (writer: BinaryWriter, value: unknown): BinaryWriter => {
  if (typeof value === 'number') return writer.tag(2, WireType.Bit64).double(value)
  if (typeof value === 'boolean') return writer.tag(4, WireType.Varint).bool(value)
  if (typeof value !== 'object' || value === null)
    return writer.tag(3, WireType.LengthDelimited).string(String(value))
  if (!Array.isArray(value)) {
    const struct = writer.tag(5, WireType.LengthDelimited).fork()
    for (const [name, member] of Object.entries(value)) {
      const entry = struct.tag(1, WireType.LengthDelimited).fork()
      entry.tag(1, WireType.LengthDelimited).string(name)
      writeAny(entry.tag(2, WireType.LengthDelimited).fork(), member).join()
      entry.join()
    }
    return struct.join()
  }
  const list = writer.tag(6, WireType.LengthDelimited).fork()
  for (const item of value) writeAny(list.tag(1, WireType.LengthDelimited).fork(), item).join()
  return list.join()
}

import { BinaryWriter, base64Encode, WireType } from '@bufbuild/protobuf/wire'
import type { Status, StatusDetail } from '../../index.js'
import type { ResponseHeaders } from '../http.js'
import { TYPE_PREFIX } from '../operations/refusal.js'

/** The trailers of a call that has succeeded. */
export const OK: ResponseHeaders = { 'grpc-status': '0' }

/** The trailers of a call that has failed. */
export const trailersOf = (status: Status): ResponseHeaders => ({
  'grpc-status': String(status.code),
  'grpc-message': encodeURIComponent(status.message.toWellFormed()),
  'grpc-status-details-bin': base64Encode(encodeStatus(status), 'std_raw'),
})

/** Most bytes of a status. Clients accept 8 KiB of trailers, and base64 adds a third. */
const MAX_BYTES = 5_600

/** A `google.rpc.Status`, with as many of its first details as clients accept. */
const encodeStatus = ({ code, message, details }: Status): Uint8Array => {
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(code)
  text(writer, 2, message)
  let left = MAX_BYTES
  for (const { type, value } of details.map(encodeDetail)) {
    left -= type.length + value.length
    if (left < 0) break
    const any = writer.tag(3, WireType.LengthDelimited).fork()
    text(any, 1, `${TYPE_PREFIX}${type}`)
    any.tag(2, WireType.LengthDelimited).bytes(value).join()
  }
  return writer.finish()
}

/** The name of the message of a detail, and its fields in protobuf. */
export const encodeDetail = ({ '@type': type, ...fields }: StatusDetail) => ({
  type: type.slice(TYPE_PREFIX.length),
  value: writeFields(new BinaryWriter(), fields).finish(),
})

const text = (writer: BinaryWriter, number: number, value: string): BinaryWriter =>
  writer.tag(number, WireType.LengthDelimited).string(value)

/** Details of ours list their fields in the order of their numbers, from 1 and without gaps. */
const writeFields = (writer: BinaryWriter, fields: object): BinaryWriter => {
  for (const [index, [name, value]] of Object.entries(fields).entries())
    writeField(writer, index + 1, name, value)
  return writer
}

const writeField = (writer: BinaryWriter, number: number, name: string, value: unknown): void => {
  const nested = () => writer.tag(number, WireType.LengthDelimited).fork()
  if (name === 'retryDelay') writeDuration(nested(), String(value)).join()
  else if (typeof value === 'string') {
    if (value !== '') text(writer, number, value)
  } else if (Array.isArray(value)) for (const item of value) writeFields(nested(), item).join()
  // A map has an entry for each key.
  else
    for (const [key, item] of Object.entries(Object(value)))
      text(text(nested(), 1, key), 2, String(item)).join()
}

/** A duration of JSON, such as `1.500s`, as seconds and nanoseconds. */
const writeDuration = (writer: BinaryWriter, duration: string): BinaryWriter => {
  const [seconds = '0', fraction = ''] = duration.replace('s', '').split('.')
  const nanos = Number(fraction.padEnd(9, '0'))
  if (Number(seconds) > 0) writer.tag(1, WireType.Varint).int64(Number(seconds))
  return nanos > 0 ? writer.tag(2, WireType.Varint).int32(nanos) : writer
}

import type { Status, StatusDetail } from '../../index.js'
import { type HttpResponse, jsonResponse, type ResponseHeaders } from '../http.js'
import { CODE_NAMES, TYPE_PREFIX } from './refusal.js'

/** HTTP statuses of the Connect protocol, by the number of the code. */
const HTTP_STATUSES = [
  200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
]

/** An error as clients of the Connect protocol read it (https://connectrpc.com/docs/protocol#error-end-stream). */
export const connectError = (
  { code, message, details }: Status,
  headers: ResponseHeaders,
): HttpResponse =>
  jsonResponse(
    HTTP_STATUSES[code] ?? 500,
    JSON.stringify({
      code: CODE_NAMES[code],
      message,
      details: details.map((detail) => {
        const { type, value, debug } = encodeDetail(detail)
        return { type, value: btoa(String.fromCharCode(...value)).replaceAll('=', ''), debug }
      }),
    }),
    headers,
  )

/** A detail with its fields in protobuf, as gRPC and Connect carry it; `debug` has them in JSON. */
export const encodeDetail = ({ '@type': type, ...debug }: StatusDetail) => ({
  type: type.slice(TYPE_PREFIX.length),
  value: new Uint8Array(encodeMessage(debug)),
  debug,
})

/** Details of ours list their fields in the order of their numbers, from 1 and without gaps. */
const encodeMessage = (fields: object): readonly number[] =>
  Object.entries(fields).flatMap(([name, value], index) => encodeField(name, value, index + 1))

const encodeField = (name: string, value: unknown, number: number): readonly number[] => {
  if (name === 'retryDelay') return delimited(number, encodeDuration(String(value)))
  if (typeof value === 'string')
    return value === '' ? [] : delimited(number, [...utf8.encode(value)])
  if (Array.isArray(value)) return value.flatMap((item) => delimited(number, encodeMessage(item)))
  return Object.entries(Object(value)).flatMap(([key, text]) =>
    delimited(number, [
      ...delimited(1, [...utf8.encode(key)]),
      ...delimited(2, [...utf8.encode(String(text))]),
    ]),
  )
}

const utf8 = new TextEncoder()

const delimited = (number: number, bytes: readonly number[]): readonly number[] => [
  (number << 3) | 2,
  ...varint(bytes.length),
  ...bytes,
]

/** A duration of JSON, such as `1.500s`, as seconds and nanoseconds. */
const encodeDuration = (text: string): readonly number[] => {
  const [seconds = '0', fraction = ''] = text.replace('s', '').split('.')
  const nanos = Number(fraction.padEnd(9, '0'))
  return [
    ...(Number(seconds) > 0 ? [0x08, ...varint(Number(seconds))] : []),
    ...(nanos > 0 ? [0x10, ...varint(nanos)] : []),
  ]
}

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

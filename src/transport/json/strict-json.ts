import type { DescField, DescMessage, JsonReadOptions, JsonWriteOptions } from '@bufbuild/protobuf'
import { malformed, refuseMalformed } from '../errors/status-error.js'
import { type BoundedFields, boundedFields } from '../http/request-bounds.js'
import { maskOf, withMask } from '../rpc/update-mask.js'
import { doubledName, twice } from './duplicate-field.js'
import { jsonViolations } from './json-violations.js'
import { shortJson } from './short-json.js'

/** Options of ConnectRPC; the decoder is what it reads the bytes of a body with. */
interface StrictJson extends Partial<JsonReadOptions & JsonWriteOptions> {
  readonly textDecoder: { readonly decode: (bytes: Uint8Array) => string }
}

/**
 * How JSON is read and written: nothing that a request says is dropped, no field of a response is
 * left out. By itself ConnectRPC ignores unknown fields and unknown names of enum values, and shows
 * the value that it stumbles over, which may be a secret.
 */
export const strictJson = (desc: DescMessage): StrictJson => {
  const request = { desc, fields: boundedFields(desc), mask: maskOf(desc) }
  return {
    ignoreUnknownFields: false,
    alwaysEmitImplicit: true,
    textDecoder: { decode: (bytes) => checkedText(request, bytes) },
  }
}

/** A byte order mark is no JSON: left out in silence, it would hide from others that look at the body. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What the JSON of a request is read by. */
interface RequestJson {
  readonly desc: DescMessage
  readonly fields: BoundedFields
  /** Of a patch. */
  readonly mask: DescField | undefined
}

/**
 * The text of a body that is sure to be read without objection, and without what is too much of it in any case.
 * @throws ConnectError
 */
const checkedText = ({ desc, fields, mask }: RequestJson, bytes: Uint8Array): string => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw malformed({ field: '', description: 'must be text in UTF-8' })
  }
  const json = parsed(text)
  // The parser takes more than JSON of protobuf has, such as hexadecimal digits.
  refuseMalformed(jsonViolations(fields, json))
  const doubled = doubledName(text)
  if (doubled !== undefined) throw malformed(twice(doubled))
  if (!isObject(json)) return text
  const given = mask ? withMask(desc, mask, json) : json
  if (text.length > LARGE) return shortJson(fields, given)
  return mask ? JSON.stringify(given) : text
}

/** Length from which on it takes less to write a text anew than to have it read twice. */
const LARGE = 16 * 1024

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed({ field: '', description: 'must be JSON' })
  }
}

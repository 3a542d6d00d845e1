import {
  type DescMessage,
  fromJsonString,
  type JsonReadOptions,
  type JsonWriteOptions,
} from '@bufbuild/protobuf'
import { doubledName, twice } from './doubled-name.js'
import { jsonViolations } from './json-violations.js'
import { malformed, refuseMalformed } from './status-error.js'

/** Options of ConnectRPC; the decoder is what it reads the bytes of a body with. */
interface StrictJson extends Partial<JsonReadOptions & JsonWriteOptions> {
  readonly textDecoder: { readonly decode: (bytes: Uint8Array) => string }
}

/**
 * How JSON is read and written: nothing that a request says is dropped, no field of a response is
 * left out. By itself ConnectRPC ignores unknown fields and unknown names of enum values, and shows
 * the value that it stumbles over, which may be a secret.
 */
export const strictJson = (desc: DescMessage): StrictJson => ({
  ignoreUnknownFields: false,
  alwaysEmitImplicit: true,
  textDecoder: { decode: (bytes) => checkedText(desc, bytes) },
})

/** A byte order mark is no JSON: left out in silence, it would hide from others that look at the body. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a body that is sure to be read without objection. @throws ConnectError */
const checkedText = (desc: DescMessage, bytes: Uint8Array): string => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw malformed({ field: '', description: 'must be text in UTF-8' })
  }
  // The parser takes more than JSON of protobuf has, such as hexadecimal digits.
  refuseMalformed(jsonViolations(desc, parsed(text)))
  try {
    fromJsonString(desc, text)
  } catch {
    // What is left to object to once every value is right, is a name that stands there twice.
    throw malformed(twice(doubledName(text) ?? ''))
  }
  return text
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed({ field: '', description: 'must be JSON' })
  }
}

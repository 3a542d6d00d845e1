import type { JsonReadOptions, JsonWriteOptions } from '@bufbuild/protobuf'
import type { MessageFields } from '../messages/message-fields.js'
import { readJsonBody } from '../messages/read-json.js'
import { withMasks } from '../messages/update-mask.js'
import { inJson, writeMessage } from '../messages/write-message.js'

/** Options of ConnectRPC; the decoder reads the bytes of a body. */
interface StrictJson extends Partial<JsonReadOptions & JsonWriteOptions> {
  readonly textDecoder: { readonly decode: (bytes: Uint8Array) => string }
}

/**
 * JSON of ConnectRPC, read as strictly as all other JSON. By itself ConnectRPC ignores unknown names of enumeration
 * values and fields that are given twice, and shows the value that it cannot read, which may be a secret.
 */
export const strictJson = (message: MessageFields): StrictJson => ({
  alwaysEmitImplicit: true,
  textDecoder: {
    decode: (bytes) => {
      const values = readJsonBody(message, bytes, {})
      return JSON.stringify(writeMessage(message, withMasks(message, values), inJson))
    },
  },
})

import { readAllBytes, type UniversalServerResponse } from '@connectrpc/connect/protocol'
import { errorResponse, statusOf } from '../errors/error-body.js'
import { jsonAnswer, once } from './json-answer.js'

/** ConnectRPC writes no fraction where it is zero; within a text, these quotation marks cannot be. */
const WHOLE_SECONDS = /"(creationDate|changeDate)":"([-\dT:]+)Z"/g

/** Most bytes of an answer: more than any has. */
export const MAX_RESPONSE_BYTES = 0xffff_ffff

/** The answer of ConnectRPC in JSON, with the errors and the timestamps of the specification. */
export const jsonResponse = async ({
  status,
  header,
  body = once(new Uint8Array()),
}: UniversalServerResponse): Promise<UniversalServerResponse> => {
  const text = new TextDecoder().decode(await readAllBytes(body, MAX_RESPONSE_BYTES))
  if (status >= 400) return errorResponse(statusOf(text), header)
  return jsonAnswer(status, text.replaceAll(WHOLE_SECONDS, '"$1":"$2.000Z"'), header)
}

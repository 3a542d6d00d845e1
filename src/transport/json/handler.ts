import {
  type HttpRequest,
  type HttpResponse,
  isEncoded,
  jsonResponse,
  MAX_REQUEST_BYTES,
  type ResponseHeaders,
} from '../http.js'
import { answerCall, ENCODED, headersOf } from '../operations/context.js'
import type { Operation } from '../operations/operation.js'
import { Refusal, statusResponse, transportStatus } from '../operations/refusal.js'
import type { ResolvedOptions } from '../options.js'
import { type JsonObject, readJson, readJsonBody } from './read.js'
import { writerOf } from './write.js'

/** An operation in JSON, and where the fields of its request are. */
export interface JsonCall {
  readonly operation: Operation
  /** The fields that the parameters of a path and a query give. @throws Refusal */
  readonly urlFields: (params: readonly string[], query: string) => JsonObject
  /** Whether the request may have no body. */
  readonly isBodyOptional: boolean
  readonly headers?: ResponseHeaders
}

/** Answers a request to a path with these parameters. */
export type JsonHandler = (request: HttpRequest, params: readonly string[]) => Promise<HttpResponse>

/** The handler of an operation in JSON: authenticate, read, run, write. */
export const jsonHandler = (
  options: ResolvedOptions,
  { operation, urlFields, isBodyOptional, headers }: JsonCall,
): JsonHandler => {
  const { method } = operation
  const writeResponse = writerOf(method.response)
  const common = { ...headers, ...headersOf(operation) }
  return (request, params) => {
    const { header, query } = request
    return answerCall(options, {
      operation,
      request,
      timeout: timeoutOf(header.get('connect-timeout-ms')),
      most: MAX_REQUEST_BYTES,
      headers: common,
      begin: () => {
        if (isEncoded(header)) throw new Refusal(ENCODED)
        const fromUrl = urlFields(params, query)
        return (bytes) =>
          isBodyOptional && bytes.length === 0
            ? readJson(method.request, fromUrl)
            : readJsonBody(method.request, bytes, fromUrl)
      },
      respond: (response, headers) =>
        jsonResponse(200, JSON.stringify(writeResponse(response)), headers),
      refuse: statusResponse,
    })
  }
}

const MALFORMED_TIMEOUT = new Refusal(
  transportStatus('invalid_argument', 'Connect-Timeout-Ms is malformed'),
)

const timeoutOf = (text: string | null): number | Refusal | undefined => {
  if (text === null) return undefined
  return /^\d{1,20}$/.test(text) ? Number(text) : MALFORMED_TIMEOUT
}

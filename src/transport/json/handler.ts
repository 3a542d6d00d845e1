import type { Caller } from '../../index.js'
import {
  type HttpRequest,
  type HttpResponse,
  isEncoded,
  jsonResponse,
  MAX_REQUEST_BYTES,
  type ResponseHeaders,
} from '../http.js'
import {
  authenticate,
  deadlineAfter,
  ENCODED,
  headersOf,
  perform,
  readBody,
} from '../operations/context.js'
import type { Operation } from '../operations/operation.js'
import {
  type CallContext,
  Refusal,
  refusalOf,
  statusResponse,
  transportStatus,
} from '../operations/refusal.js'
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
  /** Headers of every response. */
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
  const common = { ...headers, ...headersOf(operation) }
  const writeResponse = writerOf(method.response)
  return async (request, params) => {
    const { header, body } = request
    const timeout = timeoutOf(header.get('connect-timeout-ms'))
    const { signal, isLate, end } = deadlineAfter(timeout, request.signal)
    const call: CallContext = { method, header, signal, isLate }
    let caller: Caller | undefined
    try {
      const asked = authenticate(options, call, { operation, headers: request.headers })
      caller = asked instanceof Promise ? await asked : asked
      if (isEncoded(header)) throw new Refusal(ENCODED)
      if (timeout === 'malformed') throw new Refusal(MALFORMED_DEADLINE)
      const fromUrl = urlFields(params, request.query)
      const bytes = body ? await readBody(body, signal, MAX_REQUEST_BYTES) : NO_BYTES
      const values =
        isBodyOptional && bytes.length === 0
          ? readJson(method.request, fromUrl)
          : readJsonBody(method.request, bytes, fromUrl)
      const { response, etag } = await perform(options, call, { operation, values, caller })
      const json = JSON.stringify(writeResponse(response))
      return jsonResponse(200, json, etag === undefined ? common : { ...common, etag })
    } catch (thrown) {
      const refusal = refusalOf(options, call, { thrown, caller })
      return statusResponse(refusal.status, { ...common, ...refusal.headers })
    } finally {
      end()
    }
  }
}

const NO_BYTES = new Uint8Array()

const MALFORMED_DEADLINE = transportStatus('invalid_argument', 'Connect-Timeout-Ms is malformed')

/** The time that a call may take, in milliseconds; undefined without a limit. */
const timeoutOf = (text: string | null): number | 'malformed' | undefined => {
  if (text === null) return undefined
  return /^\d{1,20}$/.test(text) ? Number(text) : 'malformed'
}

import type { Caller } from '../../index.js'
import {
  type HeaderReader,
  type HttpRequest,
  type HttpResponse,
  isEncoded,
  jsonResponse,
  MAX_REQUEST_BYTES,
  type ResponseHeaders,
  type StreamResponse,
} from '../http.js'
import { authenticate, headersOf, perform } from '../operations/context.js'
import type { Operation } from '../operations/operation.js'
import type { ResolvedOptions } from '../options.js'
import { connectError } from './connect-error.js'
import { type JsonObject, readJson, readJsonBody } from './read.js'
import { type CallContext, Refusal, refusalOf, statusResponse, transportStatus } from './refusal.js'
import { JSON_FORM, messageWriters } from './write.js'

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
export type JsonHandler = (
  request: HttpRequest,
  params: readonly string[],
) => Promise<HttpResponse | StreamResponse>

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
      const all = { ...common, ...refusal.headers }
      return isConnect(header)
        ? connectError(refusal.status, all)
        : statusResponse(refusal.status, all)
    } finally {
      end()
    }
  }
}

const writerOf = messageWriters(JSON_FORM)

const NO_BYTES = new Uint8Array()

/** For a request whose body is compressed. */
export const ENCODED = transportStatus('unimplemented', 'Compressed requests are not supported')

const MALFORMED_DEADLINE = transportStatus('invalid_argument', 'Connect-Timeout-Ms is malformed')

/** Clients of the Connect protocol send this header; they read errors in another form. */
export const isConnect = (header: HeaderReader): boolean =>
  header.get('connect-protocol-version') !== null

/** All bytes of a body, at most `most`. @throws Refusal if there are more, and any exception of reading */
export const readBody = async (
  body: (most: number) => Promise<Uint8Array>,
  signal: AbortSignal,
  most: number,
): Promise<Uint8Array> => {
  const bytes = await body(most)
  if (bytes.length > most) throw TOO_LARGE
  // Over HTTP/2, a request that was cut off looks like one that has ended.
  signal.throwIfAborted()
  return bytes
}

/** For a request that is larger than {@link MAX_REQUEST_BYTES}. */
export const TOO_LARGE = new Refusal(
  transportStatus('resource_exhausted', 'The request is larger than 1 MiB'),
)

/** The time that a call may take, in milliseconds; undefined without a limit. */
const timeoutOf = (text: string | null): number | 'malformed' | undefined => {
  if (text === null) return undefined
  return /^\d{1,20}$/.test(text) ? Number(text) : 'malformed'
}

/** Longest wait of a timer of JavaScript, in milliseconds: 24 days. A longer one ends at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** Ends a call after a time in milliseconds. `end` is called once the call has ended. */
export const deadlineAfter = (timeout: number | 'malformed' | undefined, signal: AbortSignal) => {
  if (typeof timeout !== 'number' || timeout > LONGEST_TIMER)
    return { signal, isLate: () => false, end: () => {} }
  // Not `AbortSignal.timeout`: with a listener, it is kept until its time has come.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  return {
    signal: AbortSignal.any([signal, late.signal]),
    isLate: () => late.signal.aborted && !signal.aborted,
    end: () => clearTimeout(timer),
  }
}

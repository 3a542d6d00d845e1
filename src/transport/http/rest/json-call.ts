import { Code } from '@connectrpc/connect'
import type { Call } from '../../errors/call.js'
import { statusError, transportStatus } from '../../errors/status-error.js'
import { statusOfThrown } from '../../errors/unexpected.js'
import { type JsonObject, readJson, readJsonBody } from '../../messages/read-json.js'
import { inJson, writeMessage } from '../../messages/write-message.js'
import { authenticateCall } from '../../operations/authenticate-call.js'
import type { Operation } from '../../operations/operation.js'
import { perform } from '../../operations/perform.js'
import type { ResolvedOptions } from '../../options.js'
import { type AnswerHeader, errorAnswer, type HttpAnswer, jsonAnswer } from '../http-answer.js'
import type { HttpRequest } from '../http-request.js'
import { MAX_REQUEST_BYTES, readBody } from '../read-body.js'
import { isEncoded } from '../wire-headers.js'
import { deadlineOf } from './deadline.js'

/** What a call in JSON does, and where its request stands. */
export interface JsonCall {
  readonly operation: Operation
  /** The fields that the texts of a path and a query give. @throws ConnectError */
  readonly urlFields: (texts: readonly string[], query: string) => JsonObject
  /** Whether there may be no body. */
  readonly isBodyOptional: boolean
  /** Headers of every answer. */
  readonly header?: AnswerHeader
}

/** Answers a request to a path with variables of these texts. */
export type JsonAnswer = (request: HttpRequest, texts: readonly string[]) => Promise<HttpAnswer>

/** Answers calls of an operation in JSON. */
export const jsonCall =
  (
    options: ResolvedOptions,
    { operation, urlFields, isBodyOptional, header }: JsonCall,
  ): JsonAnswer =>
  async (request, texts) => {
    const { signal, isMalformed, end } = deadlineOf(request)
    const answered: Record<string, string> = { ...header }
    const responseHeader = {
      set: (name: string, value: string) => {
        answered[name] = value
      },
    }
    const { header: requestHeader } = request
    const call: Call = { method: operation.rpc, requestHeader, responseHeader, signal }
    try {
      const admitted = authenticateCall(options, call, request.headers())
      const caller = admitted instanceof Promise ? await admitted : admitted
      if (isEncoded(requestHeader)) throw statusError(ENCODED)
      if (isMalformed) throw statusError(MALFORMED)
      const fromUrl = urlFields(texts, request.query)
      const { body } = request
      const bytes = body ? await readBody(options, { call, body }, MAX_REQUEST_BYTES) : NO_BYTES
      const values =
        isBodyOptional && bytes.length === 0
          ? readJson(operation.request, fromUrl)
          : readJsonBody(operation.request, bytes, fromUrl)
      const response = await perform(options, call, { operation, values, caller })
      const json = writeMessage(operation.response, response, inJson)
      return jsonAnswer(200, JSON.stringify(json), answered)
    } catch (thrown) {
      return errorAnswer(statusOfThrown(options, call, thrown), answered)
    } finally {
      end()
    }
  }

const NO_BYTES = new Uint8Array()

const MALFORMED = transportStatus(Code.InvalidArgument, 'Connect-Timeout-Ms is malformed')
const ENCODED = transportStatus(Code.Unimplemented, 'A compressed request is not served')

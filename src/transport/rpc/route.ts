import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect'
import type { ResultAsync } from 'neverthrow'
import type { Context, IamError } from '../../index.js'
import { refuseMalformed } from '../errors/status-error.js'
import { refused, unexpected } from '../errors/unexpected.js'
import { gateOf } from '../http/authenticate-call.js'
import { MAX_REQUEST_BYTES } from '../http/max-request-bytes.js'
import { strictJson } from '../json/strict-json.js'
import { unknownFields } from '../json/unknown-fields.js'
import type { Edge } from '../options.js'
import { contextOf, etagOf } from './call-context.js'
import { guardedHandler } from './guarded-handler.js'

/** Adds one rpc to a router. */
export type Route = (router: ConnectRouter, edge: Edge) => void

/** What an rpc does: a method of the library, from message to message. */
type Run<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageShape<Input>,
  context: Context,
) => ResultAsync<MessageInitShape<Output>, IamError>

/** Makes a route of an rpc and what it does. */
export const route =
  <Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    run: Run<Input, Output>,
  ): Route =>
  (router, edge) => {
    const perform = async (request: MessageShape<Input>, call: HandlerContext) => {
      try {
        refuseMalformed(unknownFields(request))
        const answer = await run(request, contextOf(edge, call))
        if (answer.isErr()) throw refused(edge, call, answer.error)
        tagWithSequence(call, answer.value)
        return answer.value
      } catch (thrown) {
        throw unexpected(edge, call, thrown)
      }
    }
    router.rpc(method, perform, {
      jsonOptions: strictJson(method.input),
      readMaxBytes: MAX_REQUEST_BYTES,
      requestGate: gateOf(edge),
    })
    const handler = router.handlers.pop()
    if (handler) router.handlers.push(guardedHandler(handler))
  }

/** Of what was written, or of the one object that was read. */
const tagWithSequence = ({ responseHeader }: HandlerContext, answer: object): void => {
  for (const part of [answer, ...Object.values(answer)]) {
    const sequence = fieldOf(fieldOf(part, 'details'), 'sequence')
    if (typeof sequence === 'bigint') responseHeader.set('etag', etagOf(sequence))
  }
}

/** A field of a value that may be anything; undefined when it has none. */
const fieldOf = (value: unknown, field: string): unknown => Reflect.get(Object(value), field)

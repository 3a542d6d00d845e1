import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { type ConnectRouter, createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller } from '../../index.js'
import { unexpected } from '../errors/unexpected.js'
import { MAX_REQUEST_BYTES } from '../http/read-body.js'
import { readMessage } from '../messages/read-message.js'
import { inProtobuf, writeMessage } from '../messages/write-message.js'
import { authenticateCall } from '../operations/authenticate-call.js'
import type { Operation } from '../operations/operation.js'
import { perform } from '../operations/perform.js'
import type { ResolvedOptions } from '../options.js'
import { guardedHandler } from './guarded-handler.js'
import { strictJson } from './strict-json.js'

/** Who calls, as `authenticate` answered. */
const callerKey = createContextKey<Caller | undefined>(undefined)

/** Adds the rpc of an operation to a router. */
export const addRpc = (
  router: ConnectRouter,
  options: ResolvedOptions,
  operation: Operation,
): void => {
  const { rpc, request, response } = operation
  const answer = async (
    message: MessageShape<DescMessage>,
    call: HandlerContext,
  ): Promise<MessageInitShape<DescMessage>> => {
    try {
      const values = readMessage(request, message)
      const caller = call.values.get(callerKey)
      const answered = await perform(options, call, { operation, values, caller })
      return writeMessage(response, answered, inProtobuf)
    } catch (thrown) {
      throw unexpected(options, call, thrown)
    }
  }
  router.rpc(rpc, answer, {
    jsonOptions: strictJson(request),
    readMaxBytes: MAX_REQUEST_BYTES,
    requestGate: async (call) => {
      call.values.set(callerKey, await authenticateCall(options, call, call.requestHeader))
    },
  })
  const handler = router.handlers.pop()
  if (handler) router.handlers.push(guardedHandler(handler, request))
}

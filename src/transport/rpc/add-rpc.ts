import type {
  DescMessage,
  DescMethodUnary,
  DescService,
  JsonObject,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol'
import type { Caller, Iam } from '../../index.js'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import services from '../gen/services.js'
import { MAX_REQUEST_BYTES, type ResponseHeaders } from '../http.js'
import { encodeDetail } from '../json/connect-error.js'
import { readJsonBody } from '../json/read.js'
import { type CallContext, type Refusal, refusalOf } from '../json/refusal.js'
import { messageWriters } from '../json/write.js'
import { authenticate, headersOf, perform } from '../operations/context.js'
import type { Values } from '../operations/message.js'
import type { Operation } from '../operations/operation.js'
import { operationsOf } from '../operations/services.js'
import { type ResolvedOptions, resolveOptions, type TransportOptions } from '../options.js'
import type { WireMethod } from '../wire.js'
import { countParts } from './count-parts.js'
import { PROTOBUF_FORM, readMessage } from './messages.js'
import { isBytes, withReader } from './request.js'

/**
 * The services of `claviger.v1` for a ConnectRPC router of the host's own: gRPC, gRPC-web and the
 * Connect protocol. JSON on REST paths comes with `nodeHandler` and `fetchHandler`.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, for `basePath`, and unless `iam` was made by
 *   `createIam`
 */
export const connectRoutes = (
  iam: Iam,
  options: TransportOptions,
): ((router: ConnectRouter) => void) => {
  const operations = operationsOf(iam, options)
  const resolved = resolveOptions(options, 'connectRoutes')
  if (resolved.basePath !== '')
    throw new TypeError('basePath is not for connectRoutes: give your adapter a requestPathPrefix')
  return (router) => {
    for (const operation of operations) addRpc(router, resolved, { operation })
  }
}

/** The descriptors of our services. */
export const SERVICES: readonly DescService[] = services

/** The descriptor of a method. @throws TypeError if the generated code does not have it */
const descriptorOf = ({ service, name }: WireMethod): DescMethodUnary => {
  const found = [...SERVICES, Health]
    .find(({ typeName }) => typeName === service)
    ?.methods.find((method): method is DescMethodUnary => method.name === name)
  if (!found) throw new TypeError(`${service}/${name} has no descriptor`)
  return found
}

/** The answer of `authenticate`. */
const callerKey = createContextKey<Caller | undefined>(undefined)

/** The values of a request in JSON, which is read before ConnectRPC gets an empty message in its place. */
const valuesKey = createContextKey<Values | undefined>(undefined)

/** Adds the rpc of an operation to a router. With a refusal, every call is refused by it. */
export const addRpc = (
  router: ConnectRouter,
  options: ResolvedOptions,
  { operation, refusal }: { readonly operation: Operation; readonly refusal?: Refusal | undefined },
): void => {
  const { method } = operation
  const descriptor = descriptorOf(method)

  /** Runs a step of a call. Anything that it throws refuses the call. */
  const refusing = async <Value>(
    call: HandlerContext,
    step: (context: CallContext) => Promise<Value>,
  ): Promise<Value> => {
    const context = contextOf(operation, call)
    try {
      return await step(context)
    } catch (thrown) {
      const caller = call.values.get(callerKey)
      const refused = refusalOf(options, context, { thrown, caller })
      setAll(call.responseHeader, refused.headers)
      throw connectErrorOf(refused)
    }
  }

  const requestGate = (call: HandlerContext): Promise<void> =>
    refusing(call, async (context) => {
      if (refusal) throw refusal
      setAll(call.responseHeader, headersOf(operation))
      const headers = () => call.requestHeader
      call.values.set(callerKey, await authenticate(options, context, { operation, headers }))
    })

  const answer = (
    message: MessageShape<DescMessage>,
    call: HandlerContext,
  ): Promise<MessageInitShape<DescMessage>> =>
    refusing(call, async (context) => {
      const values = call.values.get(valuesKey) ?? readMessage(method.request, message)
      const caller = call.values.get(callerKey)
      const { response, etag } = await perform(options, context, { operation, values, caller })
      if (etag !== undefined) call.responseHeader.set('etag', etag)
      return writerOf(method.response)(response)
    })

  const jsonOptions = { alwaysEmitImplicit: true }
  router.rpc(descriptor, answer, { jsonOptions, readMaxBytes: MAX_REQUEST_BYTES, requestGate })
  const handler = router.handlers.pop()
  if (handler) router.handlers.push(guarded(handler, { options, operation }))
}

interface Guarded {
  readonly options: ResolvedOptions
  readonly operation: Operation
}

/** The handler, with JSON that is read strictly, protobuf that is counted first, and responses that no cache stores. */
const guarded = (handler: UniversalHandler, { options, operation }: Guarded): UniversalHandler => {
  const { method } = operation
  const handle = async (request: UniversalServerRequest) => {
    const { header, signal, contextValues = createContextValues() } = request
    const errorOf = (thrown: unknown): ConnectError => {
      const context = { method, header, signal, isLate: () => false }
      const caller = contextValues.get(callerKey)
      return connectErrorOf(refusalOf(options, context, { thrown, caller }))
    }
    const read = (bytes: Uint8Array, isJson: boolean): Uint8Array => {
      try {
        if (!isJson) {
          countParts(method.request, bytes)
          return bytes
        }
        contextValues.set(valuesKey, readJsonBody(method.request, bytes, {}))
        return EMPTY_JSON
      } catch (thrown) {
        throw thrown instanceof ConnectError ? thrown : errorOf(thrown)
      }
    }
    const body = isBytes(request.body) ? failingWith(errorOf, request.body) : request.body
    const answer = await handler({ ...withReader({ ...request, body }, read), contextValues })
    const { header: answered = new Headers() } = answer
    answered.set('cache-control', 'no-store')
    return { ...answer, header: answered }
  }
  return Object.assign(handle, handler)
}

/** A body that cannot be read is an unexpected error, even if it fails with an error of ConnectRPC. */
async function* failingWith(
  errorOf: (thrown: unknown) => ConnectError,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

const writerOf = messageWriters(PROTOBUF_FORM)

const EMPTY_JSON = new TextEncoder().encode('{}')

const contextOf = (
  { method }: Operation,
  { requestHeader, signal }: HandlerContext,
): CallContext => ({
  method,
  header: requestHeader,
  signal,
  isLate: () =>
    signal.reason instanceof ConnectError && signal.reason.code === Code.DeadlineExceeded,
})

const setAll = (target: Headers, headers: ResponseHeaders): void => {
  for (const [name, value] of Object.entries(headers)) target.set(name, value)
}

/** The refusal as ConnectRPC sends it in each of its protocols. */
const connectErrorOf = ({ status }: Pick<Refusal, 'status'>): ConnectError => {
  const error = new ConnectError(status.message, status.code)
  // Cast: details are made to be written as JSON.
  for (const { type, value, debug } of status.details.map(encodeDetail))
    error.details.push({ type, value, debug: debug as JsonObject })
  return error
}

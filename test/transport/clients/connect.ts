import { createRegistry, fromJson, toJson } from '@bufbuild/protobuf'
import { type Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import {
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from '@connectrpc/connect-node'
import type { Call } from '../call.js'
import { services } from '../services.js'
import type { Client, OpenClient } from './client.js'
import { headersOfAnswer } from './client.js'
import { withMillisecondsOf } from './milliseconds.js'
import { detailOf } from './rpc-status.js'

const registry = createRegistry(...services)

/** Makes `call` with the client of Connect for Node.js. */
const callOver = async (
  transport: Transport,
  { rpc, request, headers }: Call,
): ReturnType<Client['call']> => {
  const [typeName = '', name = ''] = rpc.split('/')
  const service = registry.getService(typeName)!
  const method = service.methods.find((found) => found.name === name)!
  const client = createClient(service, transport) as never as Record<
    string,
    (request: object, options: object) => Promise<never>
  >
  let received = new Headers()
  const onHeader = (header: Headers) => {
    received = header
  }
  try {
    const message = fromJson(method.input, request as never)
    const response = await client[method.localName]!(message, { headers, onHeader })
    return {
      response: withMillisecondsOf(toJson(method.output, response, { alwaysEmitImplicit: true })),
      ...headersOfAnswer((header) => received.get(header)),
    }
  } catch (thrown) {
    const error = ConnectError.from(thrown)
    const details = error.details.map((detail) =>
      'type' in detail
        ? detailOf(`type.googleapis.com/${detail.type}`, detail.value)
        : { '@type': '' },
    )
    return {
      error: { code: error.code satisfies Code, message: error.rawMessage, details },
      ...headersOfAnswer((header) => error.metadata.get(header)),
    }
  }
}

/** gRPC over HTTP/2, by the client of Connect. */
export const connectGrpcClient: OpenClient = async ({ http2 }) => {
  const sessionManager = new Http2SessionManager(http2)
  const transport = createGrpcTransport({ baseUrl: http2, sessionManager })
  return {
    call: (call) => callOver(transport, call),
    close: async () => sessionManager.abort(),
  }
}

/** gRPC-web over HTTP/1.1, by the client of Connect. */
export const grpcWebClient: OpenClient = async ({ http }) => {
  const transport = createGrpcWebTransport({ baseUrl: http, httpVersion: '1.1' })
  return { call: (call) => callOver(transport, call), close: async () => {} }
}

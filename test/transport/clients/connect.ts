import { createServer } from 'node:http'
import { createRegistry, fromJson, toJson } from '@bufbuild/protobuf'
import { type Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node'
import { connectRoutes } from 'claviger/transport'
import type { Call } from '../call.js'
import { closed, listening } from '../servers.js'
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

/** The services on a router of the host's own, by the client that belongs to it. */
export const connectClient: OpenClient = async () => ({
  call: async (call, { iam, options }) => {
    const server = createServer(connectNodeAdapter({ routes: connectRoutes(iam, options) }))
    const baseUrl = await listening(server)
    try {
      return await callOver(createConnectTransport({ baseUrl, httpVersion: '1.1' }), call)
    } finally {
      server.closeAllConnections()
      await closed(server)
    }
  },
  close: async () => {},
})

/** gRPC-web over HTTP/1.1, by the client of Connect. */
export const grpcWebClient: OpenClient = async ({ http }) => {
  const transport = createGrpcWebTransport({ baseUrl: http, httpVersion: '1.1' })
  return { call: (call) => callOver(transport, call), close: async () => {} }
}

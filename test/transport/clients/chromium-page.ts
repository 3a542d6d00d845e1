// Runs in the browser.
import { createRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf'
import { ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcWebTransport } from '@connectrpc/connect-web'
import { file_google_rpc_error_details } from 'claviger/client'
import { services } from '../services.js'
import { headersOfAnswer } from './client.js'
import { withMillisecondsOf } from './milliseconds.js'

const registry = createRegistry(...services, file_google_rpc_error_details)
const transport = createGrpcWebTransport({ baseUrl: location.origin })

const detailOf = ({ type, value }: { type: string; value: Uint8Array }) => {
  const desc = registry.getMessage(type)!
  const json = toJson(desc, fromBinary(desc, value), { alwaysEmitImplicit: true })
  return { '@type': `type.googleapis.com/${type}`, ...(json as object) }
}

const call = async (text: string): Promise<string> => {
  const { rpc, request, headers } = JSON.parse(text)
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
    const message = fromJson(method.input, request)
    const response = await client[method.localName]!(message, { headers, onHeader })
    return JSON.stringify({
      response: withMillisecondsOf(toJson(method.output, response, { alwaysEmitImplicit: true })),
      ...headersOfAnswer((header) => received.get(header)),
    })
  } catch (thrown) {
    const error = ConnectError.from(thrown)
    return JSON.stringify({
      error: {
        code: error.code,
        message: error.rawMessage,
        details: error.details.map((detail) => ('type' in detail ? detailOf(detail) : detail)),
      },
      ...headersOfAnswer((header) => error.metadata.get(header)),
    })
  }
}

Object.assign(globalThis, { call })

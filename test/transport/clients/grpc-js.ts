import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import type { JsonObject } from '../call.js'
import { type Client, headersOfAnswer, type OpenClient } from './client.js'
import { protobufJson } from './protobuf-json.js'
import { protoFolder, statusOf } from './rpc-status.js'

const files = [
  ...['identity_provider', 'project', 'project_role', 'project_grant', 'user_grant'],
  ...['domain', 'role_mapping', 'membership', 'setup_link', 'history', 'access'],
]

const packages = grpc.loadPackageDefinition(
  loadSync(
    files.map((name) => `claviger/v1/${name}_service.proto`),
    { includeDirs: [protoFolder], longs: String, enums: String, defaults: true },
  ),
)

const TIME = /^\d{4}-\d\d-\d\dT/
/** Times that are texts in the .proto files too: settings are recorded as they were sent. */
const TEXTS = ['secretExpiresAt']

/** A request in JSON with times and masks as protobufjs has them. */
const asMessage = (request: JsonObject): object =>
  JSON.parse(JSON.stringify(request), (name, value) => {
    if (name === 'updateMask') return { paths: value.split(',') }
    if (typeof value !== 'string' || !TIME.test(value) || TEXTS.includes(name)) return value
    const milliseconds = Date.parse(value)
    const seconds = Math.floor(milliseconds / 1000)
    return { seconds, nanos: (milliseconds - seconds * 1000) * 1e6 }
  })

/** What a client class of grpc-js is, for us who call by name. */
type Stub = grpc.Client & {
  readonly [method: string]: (
    request: object,
    metadata: grpc.Metadata,
    done: (error: grpc.ServiceError | null, response: object) => void,
  ) => grpc.ClientUnaryCall
}

/** gRPC over HTTP/2 by a client that shares no code with the server. */
export const grpcJsClient: OpenClient = async ({ http2 }): Promise<Client> => {
  const address = http2.slice('http://'.length)
  const stubs = new Map<string, Stub>()

  const stubOf = (service: string): Stub => {
    const there = stubs.get(service)
    if (there) return there
    const found = service
      .split('.')
      .reduce<unknown>((part, name) => (part as never)[name], packages)
    const Constructor = found as new (address: string, credentials: unknown) => Stub
    const stub = new Constructor(address, grpc.credentials.createInsecure())
    stubs.set(service, stub)
    return stub
  }

  return {
    call: ({ rpc, request, headers }) =>
      new Promise((resolve) => {
        const [service = '', method = ''] = rpc.split('/')
        const metadata = new grpc.Metadata()
        for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
        let initial = new grpc.Metadata()
        const call = stubOf(service)[method]!.call(
          stubOf(service),
          asMessage(request),
          metadata,
          (error, response) => {
            const answered = headersOfAnswer((name) => initial.get(name)[0]?.toString())
            if (!error) return resolve({ response: protobufJson(response), ...answered })
            const [bytes] = error.metadata.get('grpc-status-details-bin')
            const status = statusOf(Buffer.from(bytes ?? ''))
            resolve({ error: { ...status, message: error.details }, ...answered })
          },
        )
        call.on('metadata', (received) => {
          initial = received
        })
      }),
    close: async () => {
      for (const stub of stubs.values()) stub.close()
    },
  }
}

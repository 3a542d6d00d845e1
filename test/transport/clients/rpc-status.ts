import { fileURLToPath } from 'node:url'
import type { Status } from 'claviger'
import protobuf from 'protobufjs'
import { protobufJson } from './protobuf-json.js'

const protoFolder = fileURLToPath(new URL('../../../src/transport/proto', import.meta.url))

/** Where the .proto files are that the package ships. */
export { protoFolder }

const details = protobuf.loadSync(`${protoFolder}/google/rpc/error_details.proto`)

const { root } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
`)

/** What `grpc-status-details-bin` holds, read by protobufjs: nothing of ours took part in it. */
export const statusOf = (bytes: Uint8Array): Status => {
  const status = root.lookupType('google.rpc.Status').decode(bytes).toJSON()
  return {
    code: status['code'],
    message: status['message'],
    details: status['details'].map((detail: { typeUrl: string; value: string }) =>
      detailOf(detail.typeUrl, Buffer.from(detail.value, 'base64')),
    ),
  }
}

/** A detail by its type and its bytes. */
export const detailOf = (typeUrl: string, value: Uint8Array) => {
  const type = details.lookupType(typeUrl.slice('type.googleapis.com/'.length))
  const decoded = type.toObject(type.decode(value), { defaults: true, longs: String })
  return { '@type': typeUrl, ...(protobufJson(decoded) as object) }
}

import { create, toBinary } from '@bufbuild/protobuf'
import { AccessService } from 'claviger/client'
import { fetchHandler } from 'claviger/transport'
import { expect, it } from 'vitest'
import { openIam, transportOptions } from '../host.js'

const { input } = AccessService.method.applyAccess

const frameOf = (message: Uint8Array) => {
  const head = new DataView(new ArrayBuffer(5))
  head.setUint32(1, message.length)
  return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), message]))
}

/** A request with three projects, and as many objects in its lists altogether. */
const requestWith = (objects: number) => ({
  projects: [10_000, 10_000, objects - 20_003].map((length) => ({
    roles: Array.from({ length }, () => ({})),
  })),
})

const asProtobuf = (objects: number) => toBinary(input, create(input, requestWith(objects)))

const inJson = (objects: number) => new TextEncoder().encode(JSON.stringify(requestWith(objects)))

const REFUSAL = 'must have at most 30000 objects in its lists'
const FORBIDDEN = 'The caller lacks the permission'

const types = [
  ['application/json', inJson],
  ['application/grpc-web+proto', (objects: number) => frameOf(asProtobuf(objects))],
] as const

it.each(types)('A request in %s has at most 30,000 objects', async (type, bodyWith) => {
  const handler = fetchHandler(await openIam(), transportOptions().options)
  const tell = async (objects: number) => {
    const answer = await handler(
      new Request('http://localhost/claviger.v1.AccessService/ApplyAccess', {
        method: 'POST',
        headers: { authorization: 'Bearer guest', 'content-type': type },
        body: bodyWith(objects),
      }),
    )
    const text = decodeURIComponent(await answer.text())
    // Details of gRPC are in base64.
    return text.replace(/[\w+/]{40,}/g, (base64) => Buffer.from(base64, 'base64').toString())
  }
  expect(await tell(30_000)).toContain(FORBIDDEN)
  expect(await tell(30_001)).toContain(REFUSAL)
})

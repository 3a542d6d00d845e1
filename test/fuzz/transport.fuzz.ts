import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aesGcmCipher, createIam, memoryEventStore } from '../../src/index.js'
import { fetchHandler } from '../../src/transport/index.js'
import { services } from '../transport/services.js'
import { inputs, numRuns } from './inputs.js'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const unexpected: unknown[] = []
const handler = fetchHandler(iam, {
  authenticate: () => ({ userId: 'u1', orgId: 'acme' }),
  onError: (cause) => void unexpected.push(cause),
})

const paths = services.flatMap(({ typeName, methods }) =>
  methods.map(({ name }) => `/${typeName}/${name}`),
)

const json = inputs.map((input) => {
  try {
    return JSON.stringify(input) ?? ''
  } catch {
    return '{'
  }
})

/** A gRPC-web frame: flags, length, and bytes that may be neither as long nor a message. */
const frame = fc
  .tuple(fc.nat(255), fc.option(fc.nat(2 ** 31)), fc.uint8Array({ maxLength: 200 }))
  .map(([flags, claimed, bytes]) => {
    const head = new DataView(new ArrayBuffer(5))
    head.setUint8(0, flags % 5 === 0 ? flags : 0)
    head.setUint32(1, claimed ?? bytes.length)
    return new Uint8Array([...new Uint8Array(head.buffer), ...bytes])
  })

const ask = async (path: string, type: string, body: BodyInit) => {
  const method = 'POST'
  const headers = { 'content-type': type }
  const response = await handler(
    new Request(`https://iam.example.com${path}`, { method, headers, body }),
  )
  return { status: response.status, body: await response.text() }
}

describe('Any request', () => {
  it.each(paths)('%s answers bytes as gRPC-web', async (path) => {
    const property = fc.asyncProperty(frame, async (bytes) => {
      const { status } = await ask(path, 'application/grpc-web+proto', bytes)
      expect(status).toBeLessThan(500)
      expect(unexpected).toEqual([])
    })
    await fc.assert(property, { numRuns: Math.ceil(numRuns / 10) })
  })

  it.each(paths)('%s answers text as JSON', async (path) => {
    const property = fc.asyncProperty(json, async (text) => {
      const { status } = await ask(path, 'application/json', text)
      expect(status).toBeLessThan(500)
      expect(unexpected).toEqual([])
    })
    await fc.assert(property, { numRuns: Math.ceil(numRuns / 10) })
  })

  it('paths of REST answer too', async () => {
    const path = fc.constantFrom('/v1/projects', '/v1/projects/portal', '/v1/%E0%A4%A', '//', '/v1')
    const property = fc.asyncProperty(path, json, async (at, text) => {
      expect((await ask(at, 'application/json', text)).status).toBeLessThan(500)
      expect(unexpected).toEqual([])
    })
    await fc.assert(property, { numRuns })
  })
})

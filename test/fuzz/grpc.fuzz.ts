import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { aesGcmCipher, createIam, memoryEventStore, verify } from '../../src/index.js'
import { nodeHandler } from '../../src/transport/index.js'
import { closed, listening } from '../transport/servers.js'
import { services } from '../transport/services.js'
import { exchange } from './exchange.js'
import { callsOf, type Sent } from './frames.js'
import { numRuns } from './inputs.js'

const SECRET = 'the secret of secrets'
const store = memoryEventStore()
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ store, secrets, authorize: () => true })
const caller = { userId: 'u1', orgId: 'acme' }
for (const id of ['portal', 'steady']) await iam.projects.add({ id, name: 'Portal' }, { caller })
await iam.identityProviders.addOidc(
  { idpId: 'google', name: 'G', clientId: 'c', clientSecret: SECRET, issuer: 'https://i.example' },
  { caller },
)

/** What the host was told, and what ended a session. */
const unexpected: unknown[] = []
const server = createServer(
  nodeHandler(iam, {
    authenticate: (headers) =>
      headers.get('authorization') === 'Bearer admin' ? caller : undefined,
    onError: (cause) => void unexpected.push(cause),
  }),
)
/** Streams that the server keeps. */
const streams = new Set<object>()
server.on('stream', (stream) => {
  streams.add(stream)
  stream.once('close', () => streams.delete(stream))
})
const origin = await listening(server)

let session: ClientHttp2Session | undefined
/** Another one where the server gave up the last. */
const open = (): ClientHttp2Session => {
  if (session && !session.closed && !session.destroyed) return session
  // What Node.js counts of streams that it reset itself, stays counted.
  session = connect(origin, { maxSessionMemory: 10_000 })
  session.on('error', (e) => unexpected.push(e))
  session.on('goaway', (code) => unexpected.push({ code }))
  return session
}
afterAll(async () => {
  session?.destroy()
  await closed(server)
})

let drawn = 0
/** Calls are told apart by what they are recorded under. */
const nextTrace = (): string => (++drawn).toString(16).padStart(32, '0')
const refused = new Set<string>()

/** A call that there is nothing wrong with, of a method of projects: `text` in a field with the given number. */
const good = (type: string, method = 'GetProject', field = 1, text = 'steady'): Sent => ({
  headers: {
    ':method': 'POST',
    ':path': `/claviger.v1.ProjectService/${method}`,
    authorization: 'Bearer admin',
    'content-type': type,
    te: 'trailers',
  },
  pieces: [
    new Uint8Array([0, 0, 0, 0, 2 + text.length, 8 * field + 2, text.length, ...Buffer.from(text)]),
  ],
  zeros: 0,
  ending: 'end',
})

const LEAKED =
  /the secret of secrets|aes1\.|Error:|node_modules|node:|\bat [^ ]+ \(|call stack|undefined|Cannot read|not a function/

const methods: readonly DescMethodUnary[] = services.flatMap(({ method }) => Object.values(method))

const calls = (type: string) =>
  fc.constantFrom(...methods).chain((method) => callsOf(method, `${type}+proto`))

describe.each(['application/grpc', 'application/grpc-web'])('Any input as %s', (type) => {
  it('is answered with a status, tells nothing of the inside, and the next call is served', async () => {
    let accepted = 0
    const property = fc.asyncProperty(calls(type), async (sent) => {
      const trace = nextTrace()
      const traceparent = `00-${trace}-00000000000000ff-01`
      const { httpStatus, grpcStatus, text, isReset } = await exchange(open(), {
        ...sent,
        headers: { ...sent.headers, traceparent },
      })
      expect(text).not.toMatch(LEAKED)
      expect(unexpected.splice(0)).toEqual([])
      if (httpStatus === 200 && !isReset) {
        expect(grpcStatus).toMatch(/^([0-9]|1[0-6])$/)
        if (grpcStatus === '0') accepted++
        else refused.add(trace)
      } else if (!isReset) {
        expect([400, 401, 404, 405, 413, 415], text).toContain(httpStatus)
        refused.add(trace)
      }
      const next = await exchange(open(), good(type))
      expect([next.httpStatus, next.grpcStatus]).toEqual([200, '0'])
    })
    // Few runs may draw nothing that is recorded.
    await fc.assert(property, { numRuns, examples: [[good(type, 'AddProject', 2, 'Shop')]] })
    expect(accepted).toBeGreaterThan(0)
    await expect.poll(() => streams.size).toBe(0)
  })
})

it('What was refused left nothing behind, and what was recorded is whole', async () => {
  const events = await store.readAll(0n, Number.MAX_SAFE_INTEGER)
  const appends = new Map<string, Set<string>>()
  for (const { appendId, metadata } of events) {
    const trace = metadata.correlationId ?? ''
    expect(refused).not.toContain(trace)
    appends.set(trace, (appends.get(trace) ?? new Set()).add(appendId))
  }
  appends.delete('')
  expect([...appends.values()].filter(({ size }) => size !== 1)).toEqual([])
  expect(appends.size).toBeGreaterThan(0)
  expect((await verify(store, { secrets })).isOk()).toBe(true)
})

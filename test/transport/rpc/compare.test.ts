import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openGrpc } from '../../../src/transport/grpc/handler.js'
import { createRoutes, type OpenRpc } from '../../../src/transport/json/routes.js'
import { openRpc } from '../../../src/transport/rpc/rpc-handlers.js'
import { serveNode } from '../../../src/transport/servers/node.js'
import { callsOf, type Sent } from '../../fuzz/frames.js'
import { statusOf } from '../clients/rpc-status.js'
import { openIam, transportOptions } from '../host.js'
import { listening } from '../servers.js'
import { services } from '../services.js'

/** Sends calls to a host with one of the two doors. */
const open = async (door: OpenRpc) => {
  const { options } = transportOptions()
  const routes = createRoutes(await openIam(), options, { name: 'nodeHandler', openRpc: door })
  const server = createServer(serveNode(routes))
  const session = connect(await listening(server))
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  return async ({ headers, pieces }: Sent) => {
    const stream = session.request(headers)
    const received: Record<string, unknown> = {}
    const body: Buffer[] = []
    stream.on('response', (found) => Object.assign(received, found))
    stream.on('trailers', (found) => Object.assign(received, found))
    stream.on('data', (piece) => body.push(piece))
    stream.end(Buffer.concat(pieces))
    await once(stream, 'close')
    return comparable(received, Buffer.concat(body))
  }
}

/** The text of the trailers in a body of gRPC-web, and what stands in front of them. */
const splitOf = (body: Buffer) => {
  let at = 0
  while (at < body.length && body[at] !== 0x80) at += 5 + body.readUInt32BE(at + 1)
  return { data: body.subarray(0, at).toString('hex'), text: body.subarray(at + 5).toString() }
}

/** Of a fault in the frame only the code: its words are those of ConnectRPC. */
const comparable = (received: Record<string, unknown>, body: Buffer) => {
  const { data, text } = splitOf(body)
  const inBody = [...text.matchAll(/^([\w-]+): (.*)\r$/gm)].map(([, name, value]) => [name, value])
  const all: Record<string, unknown> = { ...received, ...Object.fromEntries(inBody), data }
  const { 'grpc-message': message, 'grpc-status-details-bin': details, ...others } = all
  const { date: _date, 'grpc-accept-encoding': _encodings, ...same } = others
  const status = details ? statusOf(Buffer.from(String(details), 'base64')) : undefined
  // Which of two faults is named first does not matter: frames.test.ts has each of them alone.
  const isOfFrame =
    /^(8|12|13)$/.test(String(all['grpc-status'])) ||
    (all['grpc-status'] === '3' && (!status || status.details.length === 1))
  if (isOfFrame) return { ...same, 'grpc-status': 'of the frame' }
  return { ...same, message, status: onceEach(status) }
}

/** The first violation: one door names an unknown field as often as it comes, until the trailers are full. */
const onceEach = (status: unknown) =>
  JSON.parse(JSON.stringify(status ?? null), (name, value) =>
    name === 'fieldViolations'
      ? [...new Set(value.map((each: object) => JSON.stringify(each)))].slice(0, 1)
      : value,
  )

/** Without what only one door does: `+json`, and giving up after 500 unknown fields, before bytes that are broken. */
const isOfBoth = ({ headers, zeros, pieces }: Sent): boolean =>
  zeros === 0 &&
  Buffer.concat(pieces).length < 1_000 &&
  headers[':method'] === 'POST' &&
  !/^[01][Smn]$/.test(String(headers['grpc-timeout'])) &&
  !/json/.test(String(headers['content-type']))

const methods: readonly DescMethodUnary[] = services.flatMap(({ method }) => Object.values(method))

describe.each(['application/grpc', 'application/grpc-web'])('Any call as %s', (type) => {
  it('is answered by both doors in the same way', async () => {
    const [before, after] = [await open(openRpc), await open(openGrpc)]
    const calls = fc.constantFrom(...methods).chain((method) => callsOf(method, `${type}+proto`))
    const property = fc.asyncProperty(calls.filter(isOfBoth), async (sent) => {
      expect(await after(sent)).toEqual(await before(sent))
    })
    await fc.assert(property, { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500) })
  })
})

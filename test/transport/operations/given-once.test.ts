import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { ProjectService } from 'claviger/client'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inProcess } from '../clients/in-process.js'
import { openIam, transportOptions } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'
import { listening } from '../servers.js'

/** A header with two values, of which each by itself is well-formed, and the field that it fills. */
const doubled = [
  ['idempotency-key', ['k1', 'k2'], 'idempotencyKey'],
  ['idempotency-key', ['k1', 'k1'], 'idempotencyKey'],
  ['if-match', ['"1"', '"2"'], 'expectedSequence'],
  ['if-match', ['*', '*'], 'expectedSequence'],
  ['x-service-orgid', ['acme', 'globex'], 'orgId'],
  ['x-service-orgid', ['acme', 'acme'], 'orgId'],
] as const

const UPDATE = '/claviger.v1.ProjectService/UpdateProject'
const message = new Uint8Array([0x0a, 6, ...Buffer.from('portal'), 0x12, 1, 0x58])
const frame = new Uint8Array([0, 0, 0, 0, message.length, ...message])

const openFetch = async () => fetchHandler(await openIam(), transportOptions().options)

/** A body that is gRPC-web says in its trailers, in base64, which field is wrong. */
const fieldsInTrailers = (text: string): string =>
  Buffer.from(/grpc-status-details-bin: ([\w+/=]+)/.exec(text)?.[1] ?? '', 'base64').toString()

/** The headers of a request by which it is let in, with the doubled one. */
const headersWith = (type: string, name: string, values: readonly string[]) =>
  new Headers([
    ['authorization', 'Bearer admin'],
    ['content-type', type],
    ...values.map((value): [string, string] => [name, value]),
  ])

describe.each(doubled)('%s given twice (%j) is refused', (name, values, field) => {
  it('in JSON, by fetchHandler', async () => {
    const handler = await openFetch()
    const answer = await handler(
      new Request('http://localhost/v1/projects/portal', {
        method: 'PUT',
        headers: headersWith('application/json', name, values),
        body: '{"name":"X"}',
      }),
    )
    expect(answer.status).toBe(400)
    expect(Object.keys(violationsIn(await answer.json()))).toEqual([field])
  })

  it('in gRPC-web, by fetchHandler', async () => {
    const handler = await openFetch()
    const headers = headersWith('application/grpc-web+proto', name, values)
    const answer = await handler(
      new Request(`http://localhost${UPDATE}`, { method: 'POST', headers, body: frame }),
    )
    const text = await answer.text()
    expect(text).toContain('grpc-status: 3')
    expect(fieldsInTrailers(text)).toContain(field)
  })

  it('over HTTP/1.1, by nodeHandler', async () => {
    const { server } = await openHost()
    const request = requestHttp({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      method: 'PUT',
      path: '/v1/projects/portal',
      headers: {
        authorization: 'Bearer admin',
        'content-type': 'application/json',
        [name]: [...values],
      },
    })
    request.end('{"name":"X"}')
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(400)
    const text = (await response.toArray()).join('')
    expect(Object.keys(violationsIn(JSON.parse(text)))).toEqual([field])
  })

  it('in gRPC, by nodeHandler', async () => {
    const server = createServer(nodeHandler(await openIam(), transportOptions().options))
    // Without it the client itself refuses to send such a header.
    const lenient = { strictSingleValueFields: false } as object
    const session = connect(await listening(server), lenient)
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const head = [':method', 'POST', ':path', UPDATE, 'te', 'trailers']
    const entitled = ['authorization', 'Bearer admin', 'content-type', 'application/grpc']
    const stream = session.request([...head, ...entitled, ...values.flatMap((one) => [name, one])])
    const received: Record<string, unknown> = {}
    stream.on('response', (found) => Object.assign(received, found))
    stream.on('trailers', (found) => Object.assign(received, found))
    stream.resume().end(frame)
    await once(stream, 'close')
    expect(received['grpc-status']).toBe('3')
    const details = Buffer.from(String(received['grpc-status-details-bin']), 'base64').toString()
    expect(details).toContain(field)
  })

  it('in gRPC-web, in a host with the interface of fetch', async () => {
    const handler = fetchHandler(await openIam(), transportOptions().options)
    const client = createClient(ProjectService, inProcess(handler))
    const headers = headersWith('', name, values)
    headers.delete('content-type')
    const thrown = await client
      .updateProject({ id: 'portal', name: 'X' }, { headers })
      .catch((error: unknown) => ConnectError.from(error))
    expect(thrown).toMatchObject({ code: Code.InvalidArgument })
  })
})

it('The organization header given twice is refused under the name that the host gives it', async () => {
  const { options } = transportOptions()
  const server = createServer(
    nodeHandler(await openIam(), { ...options, organizationHeader: 'From' }),
  )
  const session = connect(await listening(server), { strictSingleValueFields: false } as object)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const path = [':method', 'GET', ':path', '/v1/projects/portal']
  const from = ['from', 'acme', 'from', 'globex', 'authorization', 'Bearer admin']
  const stream = session.request([...path, ...from])
  const [headers] = await once(stream, 'response')
  expect(headers[':status']).toBe(400)
})

it('A header that a middleware puts in the place of a doubled one is taken as it is', async () => {
  const handler = nodeHandler(await openIam(), transportOptions().options)
  const server = createServer((request, response) => {
    request.headers['x-service-orgid'] = 'globex'
    handler(request, response)
  })
  const session = connect(await listening(server))
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const stream = session.request([
    ...[':method', 'GET', ':path', '/v1/projects/portal', 'authorization', 'Bearer admin'],
    ...['x-service-orgid', 'acme', 'x-service-orgid', 'initech'],
  ])
  const [headers] = await once(stream, 'response')
  expect(headers[':status']).toBe(200)
  const text = (await stream.toArray()).join('')
  expect(JSON.parse(text).project.name).toBe('Shop')
})

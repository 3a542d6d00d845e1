import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Http2ServerResponse } from 'node:http2'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { create, createFileRegistry, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { fetchHandler, nodeHandler, ProjectService } from 'claviger/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
} from '../../../src/transport/gen/grpc/reflection/v1/reflection_pb.js'
import { openIam } from '../host.js'
import { openHost } from '../http-client.js'
import { listening } from '../servers.js'

type Question = MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']

const PATH = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const buf = fileURLToPath(new URL('../../../node_modules/.bin/buf', import.meta.url))

const openHttp2 = async () => {
  const authenticate = vi.fn(() => undefined)
  const handler = nodeHandler(await openIam(), { authenticate })
  let response: Http2ServerResponse | undefined
  const server = createServer((request, answered) => {
    response = answered
    handler(request, answered)
  })
  const origin = await listening(server)
  onTestFinished(() => void server.close())
  return { authenticate, origin, response: () => response }
}

/** What is answered to questions that are sent one after the other. */
const ask = async (origin: string, ...questions: readonly Question[]) => {
  const transport = createGrpcTransport({ baseUrl: origin })
  async function* requests() {
    for (const messageRequest of questions)
      yield { host: 'here', ...(messageRequest && { messageRequest }) }
  }
  const answers = []
  for await (const answer of createClient(ServerReflection, transport).serverReflectionInfo(
    requests(),
  ))
    answers.push(answer)
  return answers
}

/** The files of an answer. */
const filesIn = (answer: Awaited<ReturnType<typeof ask>>[number] | undefined) =>
  answer?.messageResponse.case === 'fileDescriptorResponse'
    ? answer.messageResponse.value.fileDescriptorProto.map((bytes) =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      )
    : []

const dependenciesFirst = (files: readonly FileDescriptorProto[]): FileDescriptorProto[] => {
  const ordered = new Set<FileDescriptorProto>()
  const add = (file: FileDescriptorProto) => {
    for (const found of files) if (file.dependency.includes(found.name)) add(found)
    ordered.add(file)
  }
  files.forEach(add)
  return [...ordered]
}

const namesIn = (answer: Parameters<typeof filesIn>[0]) => filesIn(answer).map(({ name }) => name)

describe.each(['grpc', 'grpcweb', 'connect'])(
  'buf curl without .proto files, over %s',
  (protocol) => {
    it('finds the services, and calls one', async () => {
      const host = await openHost()
      const server = createServer(host.handler)
      const origin = await listening(server)
      onTestFinished(() => void server.close())
      const curl = async (...args: readonly string[]) =>
        (await promisify(execFile)(buf, ['curl', '--protocol', protocol, ...args])).stdout

      expect((await curl('--list-services', origin)).trim().split('\n')).toEqual([
        'claviger.v1.IdentityProviderService',
        'claviger.v1.ProjectRoleService',
        'claviger.v1.ProjectService',
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
      ])
      const http2 = '--http2-prior-knowledge'
      const url = `${origin}/claviger.v1.ProjectService/GetProject`
      const shown = await curl(
        http2,
        '-H',
        'authorization: Bearer admin',
        '-d',
        '{"id":"portal"}',
        url,
      )
      expect(JSON.parse(shown)).toMatchObject({ project: { id: 'portal', name: 'Portal' } })
    })
  },
)

describe('Reflection', () => {
  it('asks nobody who calls', async () => {
    const { origin, authenticate } = await openHttp2()
    const [answer] = await ask(origin, { case: 'listServices', value: '' })
    expect(answer).toMatchObject({ validHost: 'here', originalRequest: { host: 'here' } })
    expect(answer?.messageResponse.case).toBe('listServicesResponse')
    expect(authenticate).not.toHaveBeenCalled()
  })

  it('has whole files, from which a client learns all of a service', async () => {
    const { origin } = await openHttp2()
    const symbol = ProjectService.typeName
    const [answer] = await ask(origin, { case: 'fileContainingSymbol', value: symbol })
    const file = dependenciesFirst(filesIn(answer))
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }))
    const { methods = [] } = registry.getService(symbol) ?? {}
    expect(
      methods.map(({ name, input }) => [name, input.fields.map(({ number }) => number)]),
    ).toEqual(
      ProjectService.methods.map(({ name, input }) => [
        name,
        input.fields.map(({ number }) => number),
      ]),
    )
  })

  it.each([
    'claviger.v1.ProjectService.GetProject',
    'claviger.v1.GetProjectRequest',
    'claviger.v1.GetProjectRequest.id',
    'claviger.v1.PrivateLabelingSetting',
  ])('finds the file of the symbol %s', async (value) => {
    const { origin } = await openHttp2()
    const [answer] = await ask(origin, { case: 'fileContainingSymbol', value })
    expect(namesIn(answer)[0]).toBe('claviger/v1/project_service.proto')
  })

  it('finds files by name, and sends none a second time that was not asked for', async () => {
    const { origin } = await openHttp2()
    const byName = (name: string) => ({ case: 'fileByFilename' as const, value: name })
    const answers = await ask(
      origin,
      byName('claviger/v1/object_details.proto'),
      byName('claviger/v1/project_service.proto'),
      byName('claviger/v1/project_service.proto'),
    )
    const [first = [], second = [], third = []] = answers.map(namesIn)
    expect(first).toContain('google/protobuf/timestamp.proto')
    expect(second[0]).toBe('claviger/v1/project_service.proto')
    expect(second).toContain('google/api/annotations.proto')
    expect(second).not.toContain('google/protobuf/timestamp.proto')
    expect(third).toEqual(['claviger/v1/project_service.proto'])
  })

  it('finds extensions by the message and their number', async () => {
    const { origin } = await openHttp2()
    const extension = { containingType: 'google.protobuf.MethodOptions', extensionNumber: 72295728 }
    const [file, numbers, none] = await ask(
      origin,
      { case: 'fileContainingExtension', value: extension as never },
      { case: 'allExtensionNumbersOfType', value: 'google.protobuf.MethodOptions' },
      { case: 'allExtensionNumbersOfType', value: 'claviger.v1.Project' },
    )
    expect(namesIn(file)[0]).toBe('google/api/annotations.proto')
    expect(numbers?.messageResponse.value).toMatchObject({ extensionNumber: [72295728] })
    expect(none?.messageResponse.value).toMatchObject({ extensionNumber: [] })
  })

  it('goes on after a question about what is not there', async () => {
    const { origin } = await openHttp2()
    const extension = { containingType: 'claviger.v1.Project', extensionNumber: 1 }
    const answers = await ask(
      origin,
      { case: 'fileByFilename', value: 'other.proto' },
      { case: 'fileContainingSymbol', value: 'claviger.v1.ProjectService.Get' },
      { case: 'fileContainingExtension', value: extension as never },
      { case: 'allExtensionNumbersOfType', value: 'claviger.v1.Nothing' },
      { case: 'fileContainingSymbol', value: 'claviger.v1.Project' },
    )
    expect(answers.map(({ messageResponse }) => messageResponse.case)).toEqual([
      ...Array(4).fill('errorResponse'),
      'fileDescriptorResponse',
    ])
    expect(answers[0]?.messageResponse.value).toMatchObject({ errorCode: Code.NotFound })
  })

  it('refuses a message that asks for nothing, and one that is too long', async () => {
    const { origin } = await openHttp2()
    await expect(ask(origin, undefined)).rejects.toMatchObject({ code: Code.InvalidArgument })
    const tooLong = { case: 'fileByFilename' as const, value: 'x'.repeat(65 * 1024) }
    await expect(ask(origin, tooLong)).rejects.toMatchObject({ code: Code.ResourceExhausted })
  })

  it('needs HTTP/2 of a server of Node.js', async () => {
    const { call } = await openHost()
    const type = { 'content-type': 'application/grpc-web+proto' }
    expect(await call('POST', PATH, '', type)).toMatchObject({ status: 505 })
  })
})

/** A question for the file of a service, as a frame of the JSON of Connect. */
const frame = (json: object): Uint8Array => {
  const message = Buffer.from(JSON.stringify(json))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return new Uint8Array(Buffer.concat([head, message]))
}
const question = frame({ fileContainingSymbol: ProjectService.typeName })
const headers = { 'content-type': 'application/connect+json' }

describe('A stream of reflection', () => {
  const openStream = async () => {
    const host = await openHttp2()
    const session = connect(host.origin)
    onTestFinished(() => session.destroy())
    const stream = session.request({ ':method': 'POST', ':path': PATH, ...headers })
    stream.on('error', () => {})
    return { ...host, session, stream }
  }

  it('is answered while the client goes on sending', async () => {
    const { stream } = await openStream()
    stream.write(question)
    const [first] = await once(stream, 'data')
    stream.write(question)
    const [second] = await once(stream, 'data')
    expect([first.length, second.length]).toEqual([expect.any(Number), expect.any(Number)])
  })

  it('writes no faster than the client reads', async () => {
    const { stream, response } = await openStream()
    stream.pause()
    for (let asked = 0; asked < 2_000; asked++) stream.write(question)
    await once(stream, 'response')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(response()?.stream.writableLength).toBeLessThan(100_000)
  })

  it('ends when the client leaves', async () => {
    const { stream, session, response } = await openStream()
    stream.write(question)
    await once(stream, 'data')
    const closed = once(response()!, 'close')
    session.destroy()
    await closed
    expect(response()?.stream.destroyed).toBe(true)
  })

  it('ends with a message that is malformed, though the client goes on', async () => {
    const { stream } = await openStream()
    stream.write(frame({ unknown: true }).subarray(0, 5))
    stream.write('not JSON..........')
    let text = ''
    for await (const chunk of stream) text += chunk
    expect(text).toContain('"code":"invalid_argument"')
  })

  it('is one of a host with the interface of fetch, too', async () => {
    const { iam, options } = await openHost()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    void writer.write(question)
    const request = { method: 'POST', headers, body: readable, duplex: 'half' } as RequestInit
    const answer = await fetchHandler(
      iam,
      options,
    )(new Request(`https://iam.example.com${PATH}`, request))
    const reader = answer.body!.getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(1_000)
    void writer.write(question)
    expect((await reader.read()).value?.length).toBeGreaterThan(1_000)
    void writer.close()
    const { value } = await reader.read()
    expect(Buffer.from(value ?? []).toString()).toContain('{}')
    expect((await reader.read()).done).toBe(true)
  })

  it('is refused in a content type that has no streams', async () => {
    const { iam, options } = await openHost()
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const handler = fetchHandler(iam, options)
    const answer = await handler(new Request(`https://iam.example.com${PATH}`, request))
    expect([answer.status, answer.headers.get('accept')]).toEqual([
      415,
      'application/connect+json, application/grpc-web+proto',
    ])
  })
})

import { execFile } from 'node:child_process'
import { createServer } from 'node:http2'
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
import { nodeHandler, ProjectService } from 'claviger/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
} from '../../../src/transport/gen/grpc/reflection/v1/reflection_pb.js'
import { operationsOf } from '../../../src/transport/operations/services.js'
import { openIam } from '../host.js'
import { openHost } from '../http-client.js'
import { listening } from '../servers.js'

type Question = MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']

const PATH = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const buf = fileURLToPath(new URL('../../../node_modules/.bin/buf', import.meta.url))

const openHttp2 = async () => {
  const authenticate = vi.fn(() => undefined)
  const handler = nodeHandler(await openIam(), { authenticate })
  const server = createServer(handler)
  const origin = await listening(server)
  onTestFinished(() => void server.close())
  return { authenticate, origin }
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

      const own = operationsOf(host.iam).map(({ method }) => method.service)
      expect((await curl('--list-services', origin)).trim().split('\n')).toEqual([
        ...[...new Set(own)].sort(),
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
  it('does not authenticate callers', async () => {
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

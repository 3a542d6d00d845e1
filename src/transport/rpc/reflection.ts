import {
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from '../gen/grpc/reflection/v1/reflection_pb.js'

/** Describes the services to clients without .proto files. */
export const reflection = (
  services: readonly DescService[],
): ServiceImpl<typeof ServerReflection> => {
  const files = withDependencies(services.map(({ file }) => file))
  const all = [...files].flatMap((file) => [...nestedTypes(file)])
  const extensions = all.filter((desc) => desc.kind === 'extension')
  /** Where each full name is declared. */
  const symbols = new Map(all.flatMap((desc) => namesIn(desc).map((name) => [name, desc.file])))

  /** @throws ConnectError for an empty request */
  const answerTo = (question: Question, sent: Set<DescFile>): Answer => {
    switch (question.case) {
      case 'listServices': {
        const service = services.map(({ typeName }) => ({ name: typeName }))
        return { case: 'listServicesResponse', value: { service } }
      }
      case 'fileByFilename':
        return filesFrom(
          [...files].find(({ proto }) => proto.name === question.value),
          sent,
        )
      case 'fileContainingSymbol':
        return filesFrom(symbols.get(question.value), sent)
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = question.value
        const found = extensions.find(
          ({ extendee, number }) =>
            extendee.typeName === containingType && number === extensionNumber,
        )
        return filesFrom(found?.file, sent)
      }
      case 'allExtensionNumbersOfType': {
        if (!symbols.has(question.value)) return NOT_FOUND
        const extensionNumber = extensions
          .filter(({ extendee }) => extendee.typeName === question.value)
          .map(({ number }) => number)
        const value = { baseTypeName: question.value, extensionNumber }
        return { case: 'allExtensionNumbersResponse', value }
      }
      default:
        throw new ConnectError('The message has no request', Code.InvalidArgument)
    }
  }

  return {
    async *serverReflectionInfo(requests) {
      const sent = new Set<DescFile>()
      for await (const request of bounded(requests))
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answerTo(request.messageRequest, sent),
        }
    },
  }
}

type Question = ServerReflectionRequest['messageRequest']
type Answer = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']
>

/** Most questions in one stream. */
const MAX_QUESTIONS = 5_000

/** Longest time of one stream, in milliseconds, because anybody may open one. */
const LONGEST_STREAM_MS = 60_000

/** The questions of a stream, up to its bounds. @throws ConnectError at one of them */
async function* bounded<Question>(questions: AsyncIterable<Question>): AsyncGenerator<Question> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const fault = new ConnectError('The stream has lasted too long', Code.DeadlineExceeded)
    timer = setTimeout(() => reject(fault), LONGEST_STREAM_MS)
  })
  late.catch(() => undefined)
  try {
    const iterator = questions[Symbol.asyncIterator]()
    for (let asked = 0; ; asked++) {
      const next = await Promise.race([iterator.next(), late])
      if (next.done) return
      if (asked === MAX_QUESTIONS)
        throw new ConnectError('The stream has too many requests', Code.ResourceExhausted)
      yield next.value
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The full names of a declaration and of its fields or methods. */
const namesIn = (desc: DescMessage | DescEnum | DescExtension | DescService): readonly string[] => {
  const parts = desc.kind === 'message' ? desc.fields : desc.kind === 'service' ? desc.methods : []
  return [desc.typeName, ...parts.map(({ name }) => `${desc.typeName}.${name}`)]
}

const NOT_FOUND: Answer = {
  case: 'errorResponse',
  value: { errorCode: Code.NotFound, errorMessage: 'No such name' },
}

/** The file and its dependencies, without those that the stream has sent already. */
const filesFrom = (file: DescFile | undefined, sent: Set<DescFile>): Answer => {
  if (!file) return NOT_FOUND
  const needed = [...withDependencies([file])].filter((each) => each === file || !sent.has(each))
  for (const each of needed) sent.add(each)
  const fileDescriptorProto = needed.map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
}

/** A set that grows while it is gone through: dependencies of dependencies are in it too. */
const withDependencies = (files: readonly DescFile[]): Set<DescFile> => {
  const found = new Set(files)
  for (const file of found) for (const dependency of file.dependencies) found.add(dependency)
  return found
}

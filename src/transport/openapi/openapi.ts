import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { descriptions } from '../gen/descriptions_pb.js'
import { httpRuleOf } from '../http/rest/http-rule.js'
import type { Operation } from '../operations/operation.js'
import type { ResolvedOptions } from '../options.js'
import { ERROR_RESPONSES, STATUS_SCHEMA } from './openapi-errors.js'
import { exampleOfMessage } from './openapi-example.js'
import { type HttpOperation, parametersOf } from './openapi-parameters.js'
import {
  nestedMessages,
  referenceTo,
  requestSchema,
  responseSchema,
  type Schema,
} from './openapi-schema.js'

type Options = Pick<ResolvedOptions, 'organizationHeader' | 'openApi'>

/** The OpenAPI 3.1 document of the JSON interface, made of the same descriptors that serve it. */
export const openApi = (operations: readonly Operation[], options: Options): Schema => {
  const { organizationHeader } = options
  const { securitySchemes, security, servers } = options.openApi
  const services = [...new Set(operations.map(({ rpc }) => rpc.parent))]
  const rules = operations.flatMap(({ rpc, effect }) => {
    const rule = httpRuleOf(rpc)
    return rule ? { ...rule, effect } : []
  })
  return {
    openapi: '3.1.1',
    info: {
      title: 'claviger',
      version: 'v1',
      description:
        'Identity providers, projects, project roles, grants and who has which role. The same operations are served as gRPC and gRPC-web.',
    },
    servers,
    security,
    tags: services.map(({ name, typeName }) => ({ name, description: descriptions[typeName] })),
    paths: pathsOf(rules, organizationHeader),
    components: { schemas: schemasOf(rules), responses: ERROR_RESPONSES, securitySchemes },
  }
}

const pathsOf = (rules: readonly HttpOperation[], organizationHeader: string): Schema => {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const rule of rules) {
    const path = rule.pathFields.reduce(
      (template, { name, jsonName }) => template.replace(`{${name}}`, `{${jsonName}}`),
      rule.template,
    )
    paths[path] = {
      ...paths[path],
      [rule.verb.toLowerCase()]: operationOf(rule, organizationHeader),
    }
  }
  return paths
}

const operationOf = (rule: HttpOperation, organizationHeader: string): Schema => {
  const { rpc } = rule
  return {
    operationId: rpc.name,
    tags: [rpc.parent.name],
    description: descriptions[`${rpc.parent.typeName}.${rpc.name}`],
    ...(rpc.proto.options?.deprecated && { deprecated: true }),
    parameters: parametersOf(rule, organizationHeader),
    ...(rule.hasBody && { requestBody: requestBodyOf(rule) }),
    responses: responsesOf(rule),
  }
}

const requestBodyOf = (rule: HttpOperation): Schema => ({
  required: true,
  content: jsonContent(rule.rpc.input, exampleOfMessage(bodyFieldsOf(rule))),
})

const responsesOf = (rule: HttpOperation): Schema => {
  const { output } = rule.rpc
  return {
    200: {
      description: descriptions[output.typeName],
      headers: responseHeadersOf(rule),
      content: jsonContent(output, exampleOfMessage(output.fields)),
    },
    ...Object.fromEntries(
      statusesOf(rule).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
    ),
  }
}

/** What every operation can answer, and what only those that take a body or record something can. */
const statusesOf = (rule: HttpOperation): readonly string[] => [
  ...['400', '401', '403', '404', '500', '503', 'default'],
  ...(rule.effect !== 'none' || rule.hasBody ? ['409', '413'] : []),
  ...(rule.hasBody ? ['415'] : []),
]

const responseHeadersOf = ({ rpc }: HttpOperation): Schema => {
  const { fields } = rpc.output
  // As answers are tagged: of one object, that is, and not of the items of a list.
  const isTagged = [...fields, ...fields.flatMap(partsOf)].some(({ name }) => name === 'details')
  return {
    ...(isTagged && { ETag: headerSchema('`details.sequence`, for `If-Match`.') }),
    ...(rpc.proto.options?.deprecated && {
      Deprecation: headerSchema('Since when the operation is deprecated (RFC 9745).'),
    }),
  }
}

const partsOf = (field: DescField): readonly DescField[] =>
  field.fieldKind === 'message' ? field.message.fields : []

const headerSchema = (description: string): Schema => ({ description, schema: { type: 'string' } })

const jsonContent = (message: DescMessage, example: object): Schema => ({
  'application/json': { schema: referenceTo(message), example },
})

const bodyFieldsOf = ({ rpc, pathFields, queryFields }: HttpOperation) =>
  rpc.input.fields.filter((field) => !pathFields.includes(field) && !queryFields.includes(field))

const schemasOf = (rules: readonly HttpOperation[]): Schema => {
  const requests = rules.filter(({ hasBody }) => hasBody)
  const outputs = rules.map(({ rpc }) => rpc.output)
  return Object.fromEntries([
    ...requests.map((rule) => [
      rule.rpc.input.name,
      requestSchema(rule.rpc.input, bodyFieldsOf(rule)),
    ]),
    ...requests.flatMap(({ rpc }) =>
      nestedMessages(rpc.input).map((part) => [part.name, requestSchema(part, part.fields)]),
    ),
    ...[...outputs, ...outputs.flatMap(nestedMessages)].map((part) => [
      part.name,
      responseSchema(part),
    ]),
    ['Status', STATUS_SCHEMA],
  ])
}

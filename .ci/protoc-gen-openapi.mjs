#!/usr/bin/env node
// A plugin of `buf generate`: writes openapi.ts, the OpenAPI 3.1 document of the JSON interface, compressed. What only a host knows
// (security, servers, the name of the organization header) is put in where the document is served.
import { deflateRawSync } from 'node:zlib'
import { ScalarType } from '@bufbuild/protobuf'
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'
import {
  descriptionOf,
  effectOf,
  httpRuleOf,
  isOptional,
  rulesOf,
  servedServices,
} from './protoc-descriptors.mjs'

const documentOf = (services) => {
  const rules = services.flatMap(({ methods }) =>
    methods.flatMap((method) => httpRuleOf(method) ?? []),
  )
  return {
    openapi: '3.1.1',
    info: {
      title: 'claviger',
      version: 'v1',
      description:
        'Identity providers, projects, project roles, grants and who has which role. The same operations are served as gRPC and gRPC-web.',
    },
    tags: services.map((service) => ({ name: service.name, description: descriptionOf(service) })),
    paths: pathsOf(rules),
    components: { schemas: schemasOf(rules), responses: ERROR_RESPONSES },
  }
}

const pathsOf = (rules) => {
  const paths = {}
  for (const rule of rules) {
    const path = rule.pathFields.reduce(
      (template, { name, jsonName }) => template.replace(`{${name}}`, `{${jsonName}}`),
      rule.template,
    )
    paths[path] = { ...paths[path], [rule.verb.toLowerCase()]: operationOf(rule) }
  }
  return paths
}

const operationOf = (rule) => {
  const { method } = rule
  return {
    operationId: method.name,
    tags: [method.parent.name],
    description: descriptionOf(method),
    ...(method.proto.options?.deprecated && { deprecated: true }),
    parameters: [
      ...rule.pathFields.map((field) => parameter(field, 'path', field.jsonName)),
      ...rule.queryFields.flatMap((field) => queryParametersOf(field)),
      ...headersOf(method),
    ],
    ...(rule.hasBody && { requestBody: requestBodyOf(rule) }),
    responses: responsesOf(rule),
  }
}

const parameter = (field, place, name) => ({
  name,
  in: place,
  required: place === 'path' || rulesOf(field).required,
  description: descriptionOf(field),
  schema: valueSchema(field),
})

/** The document with parameters that several operations have among its components. */
const sharingParameters = ({ paths, components, ...document }) => {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const counts = new Map()
  for (const text of operations.flatMap(({ parameters }) => parameters.map(textOf)))
    counts.set(text, (counts.get(text) ?? 0) + 1)
  const names = new Map()
  for (const [text, count] of counts) if (count > 1) names.set(text, freeName(text, names))
  const referring = (each) =>
    names.has(textOf(each)) ? { $ref: `#/components/parameters/${names.get(textOf(each))}` } : each
  for (const operation of operations) operation.parameters = operation.parameters.map(referring)
  const parameters = Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text)]))
  return { ...document, paths, components: { parameters, ...components } }
}

const textOf = (parameter) => JSON.stringify(parameter)

/** `X-Service-Orgid` as `XServiceOrgid`; a name that is taken gets a number. */
const freeName = (text, names) => {
  const words = JSON.parse(text).name.split(/\W/)
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const taken = new Set(names.values())
  for (let number = 2; ; number++) {
    const free = number === 2 && !taken.has(name) ? name : `${name}${number}`
    if (!taken.has(free)) return free
  }
}

/** A message is taken apart into parameters whose names have dots. */
const queryParametersOf = (field, prefix = '') => {
  const name = `${prefix}${field.jsonName}`
  return field.fieldKind === 'message' && !(field.message.typeName in WELL_KNOWN)
    ? field.message.fields.flatMap((part) => queryParametersOf(part, `${name}.`))
    : [parameter(field, 'query', name)]
}

const headersOf = (method) => {
  const isCommand = effectOf(method) === 'command'
  return [
    ...(method.parent.name === 'IdentityProviderService'
      ? []
      : [header('x-service-orgid', ORGANIZATION)]),
    ...(isCommand ? [header('Idempotency-Key', IDEMPOTENCY_KEY)] : []),
    ...(isCommand && !addsAnObject(method) ? [header('If-Match', IF_MATCH)] : []),
    header('traceparent', 'W3C Trace Context; its trace id is kept with what the call records.'),
  ]
}

/** The response of a dry run that would add an object has no `details`. */
const addsAnObject = ({ output }) =>
  output.fields.some(({ name, proto }) => name === 'details' && proto.proto3Optional)

const ORGANIZATION =
  "Organization whose objects are meant; the caller's own when absent or empty. The caller needs the permission there."

const IDEMPOTENCY_KEY =
  '1 to 255 printable ASCII characters without a comma: a write is recorded at most once under a key, and repeated, answers what it recorded. What recorded nothing may be decided again.'

const IF_MATCH =
  'The ETag that the object was answered with: the write is refused with 409 when the object has changed since.'

const header = (name, description) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const requestBodyOf = (rule) => ({
  required: true,
  content: jsonContent(rule.method.input, exampleOfMessage(bodyFieldsOf(rule))),
})

const responsesOf = (rule) => {
  const { output } = rule.method
  return {
    200: {
      description: descriptionOf(output),
      headers: responseHeadersOf(rule.method),
      content: jsonContent(output, exampleOfMessage(output.fields)),
    },
    ...Object.fromEntries(
      statusesOf(rule).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
    ),
  }
}

/** What every operation can answer, and what only those that take a body or record something can. */
const statusesOf = ({ method, hasBody }) => [
  ...['400', '401', '403', '404', '500', '503', 'default'],
  ...(effectOf(method) !== 'none' || hasBody ? ['409', '413'] : []),
  ...(hasBody ? ['415'] : []),
]

const responseHeadersOf = ({ output, proto }) => {
  // Only a response with one object has an ETag, and no list.
  const parts = output.fields.flatMap((field) =>
    field.fieldKind === 'message' ? field.message.fields : [],
  )
  const isTagged = [...output.fields, ...parts].some(({ name }) => name === 'details')
  return {
    ...(isTagged && { ETag: headerSchema('`details.sequence`, for `If-Match`.') }),
    ...(proto.options?.deprecated && {
      Deprecation: headerSchema('Since when the operation is deprecated (RFC 9745).'),
    }),
  }
}

const headerSchema = (description) => ({ description, schema: { type: 'string' } })

const jsonContent = (message, example) => ({
  'application/json': { schema: referenceTo(message), example },
})

const bodyFieldsOf = ({ method, pathFields, queryFields }) =>
  method.input.fields.filter((field) => !pathFields.includes(field) && !queryFields.includes(field))

const referenceTo = ({ name }) => ({ $ref: `#/components/schemas/${name}` })

const schemasOf = (rules) => {
  const withBody = rules.filter(({ hasBody }) => hasBody)
  const outputs = rules.map(({ method }) => method.output)
  return Object.fromEntries([
    ...withBody.map((rule) => [
      rule.method.input.name,
      requestSchema(rule.method.input, bodyFieldsOf(rule)),
    ]),
    ...withBody.flatMap(({ method }) =>
      nestedMessages(method.input).map((part) => [part.name, requestSchema(part, part.fields)]),
    ),
    ...[...outputs, ...outputs.flatMap(nestedMessages)].map((part) => [
      part.name,
      responseSchema(part),
    ]),
    ['Status', STATUS_SCHEMA],
  ])
}

/** Messages within a message, at any depth. */
const nestedMessages = ({ fields }) =>
  fields.flatMap((field) =>
    field.message && !(field.message.typeName in WELL_KNOWN)
      ? [field.message, ...nestedMessages(field.message)]
      : [],
  )

/** A request has `fields` of the message in its body, and no others. */
const requestSchema = (message, fields) => ({
  ...objectSchema(message, fields),
  required: fields.filter((field) => rulesOf(field).required).map(({ jsonName }) => jsonName),
  additionalProperties: false,
})

/** A response has every field that is not optional, also with its zero value. */
const responseSchema = (message) => ({
  ...objectSchema(message, message.fields),
  required: message.fields.flatMap((field) => (isOptional(field) ? [] : field.jsonName)),
})

const objectSchema = (message, fields) => ({
  type: 'object',
  description: descriptionOf(message),
  properties: Object.fromEntries(fields.map((field) => [field.jsonName, propertySchema(field)])),
})

const propertySchema = (field) => {
  const example = field.message ? undefined : exampleOf(field)
  return {
    ...valueSchema(field),
    description: descriptionOf(field),
    ...(example !== undefined && { examples: [example] }),
  }
}

/** The schema of a value of the field, without a description. */
const valueSchema = (field) => {
  const { least, most } = rulesOf(field)
  if (field.fieldKind === 'list')
    return { type: 'array', items: itemSchema(field), ...limits('Items', least, most) }
  return field.scalar === ScalarType.STRING
    ? { type: 'string', ...limits('Length', least, most) }
    : itemSchema(field)
}

const itemSchema = (field) => {
  if (field.message) return WELL_KNOWN[field.message.typeName] ?? referenceTo(field.message)
  if (field.enum) return enumSchema(field.enum, field.proto.proto3Optional)
  switch (field.scalar) {
    case ScalarType.BOOL:
      return { type: 'boolean' }
    case ScalarType.UINT64:
      return { type: 'string', pattern: '^[0-9]{1,20}$' }
    case ScalarType.INT32:
      return { type: 'integer', format: 'int32' }
    default:
      return { type: 'string' }
  }
}

/** An optional one has no default: a patch without it changes nothing. */
const enumSchema = ({ values }, isOptional) => ({
  type: 'string',
  enum: values.map(({ name }) => name),
  ...(!isOptional && { default: values[0]?.name }),
})

const limits = (of, least, most) => ({
  ...(least > 0 && { [`min${of}`]: least }),
  ...(most > 0 && { [`max${of}`]: most }),
})

/** Messages that have a form of their own in JSON. */
const WELL_KNOWN = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.FieldMask': { type: 'string' },
  'google.protobuf.Value': {},
}

const CHANGES = [{ field: 'name', from: 'Portal', to: 'Shop' }]

/** Examples by the name of a field in JSON, or by its message and its name. */
const EXAMPLES = {
  'FieldChange.field': 'name',
  'HistoryEntry.changes': CHANGES,
  'Planned.changes': CHANGES,
  'HistoryEntry.object': { type: 'project', id: 'portal' },
  'ApplyAccessResponse.undeclared': [{ type: 'project', id: 'portal' }],
  'ApplyAccessResponse.changes': [
    {
      action: 'update',
      object: { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
      fields: [{ field: 'displayName', from: 'Writer', to: 'Editor' }],
    },
  ],
  'PlannedChange.reason': 'removed',
  'CheckAccessResponse.reasons': [],
  'CheckLoginRequest.grantedOrgIds': [],
  'CheckLoginRequest.userRoleKeys': [],
  actor: 'alice',
  add: 0,
  after: '0',
  at: '2026-01-31T09:30:00.250Z',
  before: '1769851800250000',
  blocked: 0,
  changeDate: '2026-01-31T09:30:00.250Z',
  clientId: 'client-4711',
  clientSecret: 'a secret that the provider generated',
  contains: 'port',
  correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
  count: 1,
  creationDate: '2026-01-01T08:00:00.000Z',
  displayName: 'Editor',
  equals: 'Portal',
  expiresAt: '2099-12-31T23:59:59.000Z',
  from: '2026-01-01T00:00:00.000Z',
  grantedOrgId: 'globex',
  grantedOrgIds: ['globex'],
  group: 'content',
  groups: ['finance'],
  id: 'portal',
  idpId: '01JGFJJZ00V6RM8DHQ4B0H7SKP',
  including: 'roles',
  issuer: 'https://accounts.example.com',
  kind: 'Expired',
  managedBy: 'platform-team',
  name: 'Portal',
  nextAfter: '1769851800250000',
  nextBefore: '1769851800250000',
  nextPageToken: '',
  order: 'desc',
  orderBy: 'changeDate desc',
  orgId: 'acme',
  pageSize: 100,
  pageToken: '',
  permissions: ['project.read'],
  projectId: 'portal',
  protect: false,
  protectedBy: 'platform-team',
  projectOrgId: 'acme',
  reason: 'Ticket 4711: joins the team',
  remove: 0,
  resourceOwner: 'acme',
  roleKey: 'editor',
  roleKeys: ['editor'],
  scopes: ['openid', 'profile', 'email'],
  sequence: '1769851800250000',
  since: '2026-01-31T09:30:00.250Z',
  startsWith: 'Por',
  superseded: 0,
  time: '2026-01-31T09:30:00.250Z',
  to: '2026-02-01T00:00:00.000Z',
  totalSize: 1,
  type: 'project.updated',
  types: ['project.updated'],
  unchanged: 0,
  update: 1,
  userId: 'alice',
  userIds: ['alice'],
  userOrgId: 'acme',
  userRoleKeys: ['editor'],
  validateOnly: false,
  validFor: 24,
  version: '12',
}

const exampleOf = (field) => {
  const own = EXAMPLES[`${field.parent.name}.${field.jsonName}`]
  if (own !== undefined) return own
  const example = exampleOfItem(field)
  return field.fieldKind === 'list' && !Array.isArray(example) ? [example] : example
}

const exampleOfItem = ({ jsonName, message, enum: choice, scalar }) => {
  if (message && !(message.typeName in WELL_KNOWN)) return exampleOfMessage(message.fields)
  const named = EXAMPLES[jsonName]
  if (named !== undefined || message) return named
  // The first stands for no choice.
  if (choice) return choice.values[1]?.name
  return scalar === ScalarType.BOOL ? true : 'text'
}

/** An example of a message, or of some of its fields. */
const exampleOfMessage = (fields) =>
  Object.fromEntries(
    fields
      .filter((field) => !rulesOf(field).omitEmpty)
      .map((field) => [field.jsonName, exampleOf(field)]),
  )

/** The error body. */
const STATUS_SCHEMA = {
  type: 'object',
  description: 'The body of every error.',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'integer', format: 'int32', description: 'google.rpc.Code.' },
    message: { type: 'string', description: 'For developers, in English.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['@type'],
        properties: { '@type': { type: 'string' } },
        additionalProperties: true,
        description:
          'A google.rpc detail: ErrorInfo always; BadRequest, ResourceInfo, PreconditionFailure and RetryInfo as the error has them.',
      },
    },
  },
}

const response = (description, example, headers) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Status' },
      ...(example && { example }),
    },
  },
  ...(headers && { headers }),
})

const status = (code, message, reason, metadata, ...details) => ({
  code,
  message,
  details: [
    detail('ErrorInfo', { reason, domain: 'claviger', metadata }),
    ...details.map(([type, fields]) => detail(type, fields)),
  ],
})

const detail = (type, fields) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...fields })

// A test compares the examples with the errors of the library.
/** Errors, by HTTP status. */
const ERROR_RESPONSES = {
  400: response(
    'The request is malformed',
    status(3, 'The request is malformed', 'INVALID_ARGUMENT', {}, [
      'BadRequest',
      { fieldViolations: [{ field: 'name', description: 'must not be empty' }] },
    ]),
  ),
  401: response(
    'Nobody was made out as the caller',
    status(16, 'The call has no authenticated caller', 'UNAUTHENTICATED', {}),
    {
      'WWW-Authenticate': { description: 'How callers authenticate.', schema: { type: 'string' } },
    },
  ),
  403: response(
    'The caller lacks the permission',
    status(7, 'The caller lacks the permission', 'PERMISSION_DENIED', {
      permission: 'project.write',
      orgId: 'acme',
    }),
  ),
  404: response(
    'The object does not exist',
    status(5, 'The object does not exist', 'NOT_FOUND', {}, [
      'ResourceInfo',
      { resourceType: 'project', resourceName: 'portal' },
    ]),
  ),
  409: response(
    'The object has changed, exists already, or is not as the call needs it',
    status(
      9,
      'The object has changed since the expected sequence',
      'SEQUENCE_MISMATCH',
      { expected: '1769851800250000', actual: '1769851900000000' },
      [
        'PreconditionFailure',
        {
          violations: [
            {
              type: 'SEQUENCE_MISMATCH',
              subject: 'expectedSequence',
              description: 'The object has changed since the expected sequence',
            },
          ],
        },
      ],
    ),
  ),
  413: response('The request is larger than 1 MiB'),
  415: response('The content type is not served; Accept tells which are'),
  500: response('An unexpected error, with the correlation id that the operator was told'),
  503: response(
    'Something that the service depends on is out of order',
    status(
      14,
      'A service that the call depends on is unavailable',
      'UNAVAILABLE',
      { outcome: 'not_recorded' },
      ['RetryInfo', { retryDelay: '1s' }],
    ),
    {
      'Retry-After': {
        description:
          'Seconds after which the call may be sent again as it is, where that is known.',
        schema: { type: 'integer' },
      },
    },
  ),
  default: response('Any other error'),
}

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-openapi',
    version: 'v1',
    generateTs: (schema) => {
      const services = servedServices(schema).filter(({ methods }) => methods.some(httpRuleOf))
      const output = schema.generateFile('openapi.ts')
      output.print('// Generated by .ci/protoc-gen-openapi.mjs from the .proto files. Do not edit.')
      output.print('')
      output.print(
        '/** The document of the JSON interface, without what only a host knows: deflated (RFC 1951), in base64. */',
      )
      const text = JSON.stringify(sharingParameters(documentOf(services)))
      const compressed = deflateRawSync(text, { level: 9 }).toString('base64')
      output.print(`export const compressed: string = '${compressed}'`)
    },
  }),
)

import type { DescField } from '@bufbuild/protobuf'
import { IdentityProviderService } from '../gen/claviger/v1/identity_provider_service_pb.js'
import type { HttpRule } from '../http/rest/http-rule.js'
import type { Operation } from '../operations/operation.js'
import { WELL_KNOWN } from './openapi-example.js'
import { descriptionOf, isRequired, type Schema, valueSchema } from './openapi-schema.js'

/** An operation as it is found in plain HTTP. */
export type HttpOperation = HttpRule & Pick<Operation, 'effect'>

/** Everything outside the body that a request of the rule can say. */
export const parametersOf = (
  rule: HttpOperation,
  organizationHeader: string,
): readonly Schema[] => [
  ...rule.pathFields.map(pathParameter),
  ...rule.queryFields.flatMap((field) => queryParametersOf(field)),
  ...headersOf(rule, organizationHeader),
]

const pathParameter = (field: DescField): Schema => ({
  name: field.jsonName,
  in: 'path',
  required: true,
  description: descriptionOf(field),
  schema: valueSchema(field),
})

/** A message is taken apart into parameters whose names have dots. */
const queryParametersOf = (field: DescField, prefix = ''): readonly Schema[] => {
  const name = `${prefix}${field.jsonName}`
  if (field.fieldKind === 'message' && !(field.message.typeName in WELL_KNOWN))
    return field.message.fields.flatMap((part) => queryParametersOf(part, `${name}.`))
  const required = isRequired(field)
  return [
    { name, in: 'query', required, description: descriptionOf(field), schema: valueSchema(field) },
  ]
}

const headersOf = (rule: HttpOperation, organizationHeader: string): readonly Schema[] => {
  const { rpc } = rule
  const isCommand = rule.effect === 'command'
  const isOfOrganization = rpc.parent.typeName !== IdentityProviderService.typeName
  return [
    ...(isOfOrganization ? [header(organizationHeader, ORGANIZATION)] : []),
    ...(isCommand ? [header('Idempotency-Key', IDEMPOTENCY_KEY)] : []),
    ...(isCommand && !addsAnObject(rule) ? [header('If-Match', IF_MATCH)] : []),
    header('traceparent', 'W3C Trace Context; its trace id is kept with what the call records.'),
  ]
}

/** What is not there yet has no `details` in the answer of a dry run. */
const addsAnObject = ({ rpc }: HttpOperation): boolean =>
  rpc.output.fields.some(({ name, proto }) => name === 'details' && proto.proto3Optional)

const ORGANIZATION =
  "Organization whose objects are meant; the caller's own when absent or empty. The caller needs the permission there."

const IDEMPOTENCY_KEY =
  '1 to 255 printable ASCII characters without a comma: a write is recorded at most once under a key, and repeated, answers what it recorded. What recorded nothing may be decided again.'

const IF_MATCH =
  'The ETag that the object was answered with: the write is refused with 409 when the object has changed since.'

const header = (name: string, description: string): Schema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

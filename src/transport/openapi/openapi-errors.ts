import { httpStatusOf, type IamError, toStatus } from '../../index.js'
import type { Schema } from './openapi-schema.js'

/** The error body. Spec: Errors. */
export const STATUS_SCHEMA: Schema = {
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

/** Headers of the responses that errors of these kinds are. */
const HEADERS: { readonly [Kind in IamError['kind']]?: Schema } = {
  Unauthenticated: {
    'WWW-Authenticate': { description: 'How callers authenticate.', schema: { type: 'string' } },
  },
  Unavailable: {
    'Retry-After': {
      description: 'Seconds after which the call may be sent again as it is, where that is known.',
      schema: { type: 'integer' },
    },
  },
}

const EXAMPLES: readonly (readonly [what: string, IamError])[] = [
  [
    'The request is malformed',
    { kind: 'InvalidArgument', violations: [{ field: 'name', description: 'must not be empty' }] },
  ],
  ['Nobody was made out as the caller', { kind: 'Unauthenticated' }],
  [
    'The caller lacks the permission',
    { kind: 'PermissionDenied', permission: 'project.write', orgId: 'acme' },
  ],
  ['The object does not exist', { kind: 'NotFound', object: { type: 'project', id: 'portal' } }],
  [
    'The object has changed, exists already, or is not as the call needs it',
    { kind: 'SequenceMismatch', expected: 1769851800250000n, actual: 1769851900000000n },
  ],
  [
    'Something that the service depends on is out of order',
    { kind: 'Unavailable', outcome: 'not_recorded', retryAfter: 1_000, cause: undefined },
  ],
]

const response = (description: string, example?: unknown): Schema => {
  const schema = { $ref: '#/components/schemas/Status' }
  return {
    description,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  }
}

/** The responses that errors are, by HTTP status. */
export const ERROR_RESPONSES: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    EXAMPLES.map(([description, error]) => {
      const status = toStatus(error)
      const answered = response(description, status)
      const headers = HEADERS[error.kind]
      return [String(httpStatusOf(error)), { ...answered, ...(headers && { headers }) }]
    }),
  ),
  413: response('The request is larger than 1 MiB'),
  415: response('The content type is not served; Accept tells which are'),
  500: response('An unexpected error, with the correlation id that the operator was told'),
  default: response('Any other error'),
}

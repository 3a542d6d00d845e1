import { createRegistry, fromBinary, fromJsonString, toBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { type IamError, toStatus } from 'claviger'
import { describe, expect, it } from 'vitest'
import { file_google_rpc_error_details } from '../../../src/transport/gen/google/rpc/error_details_pb.js'
import { connectError, encodeDetail } from '../../../src/transport/json/connect-error.js'
import { CODE_NAMES } from '../../../src/transport/json/refusal.js'

const registry = createRegistry(file_google_rpc_error_details)
const text = 'é🔑'.repeat(100)
const project = { type: 'project', id: text } as const

const errors: readonly IamError[] = [
  { kind: 'InvalidArgument', violations: [] },
  {
    kind: 'InvalidArgument',
    violations: [
      { field: 'name', description: text },
      { field: '', description: 'must be JSON' },
    ],
  },
  { kind: 'Unauthenticated' },
  { kind: 'PermissionDenied', permission: 'project.write', orgId: text },
  { kind: 'NotFound', object: project },
  { kind: 'AlreadyExists', object: project },
  { kind: 'SequenceMismatch', expected: 1n, actual: 2n ** 63n },
  ...[1, 999, 1_000, 1_500, 3_600_001].map(
    (retryAfter) =>
      ({ kind: 'Unavailable', outcome: 'not_recorded', retryAfter, cause: undefined }) as const,
  ),
]

describe('A detail of an error', () => {
  it.each(errors)('is encoded as protobuf has it: %o', (error) => {
    for (const detail of toStatus(error).details) {
      const { '@type': _, ...fields } = detail
      const { type, value } = encodeDetail(detail)
      const desc = registry.getMessage(type)
      if (!desc) throw new Error(`${type} is unknown`)
      const expected = fromJsonString(desc, JSON.stringify(fields))
      expect(fromBinary(desc, value)).toEqual(expected)
      expect(value).toEqual(toBinary(desc, expected))
    }
  })
})

it('Codes have the names that Connect gives them', () => {
  const codes = Object.values(Code).filter((code) => typeof code === 'number')
  expect(CODE_NAMES.slice(1)).toEqual(codes.map(codeToString))
})

it('An error in the JSON of Connect has its details in base64', () => {
  const status = toStatus({ kind: 'NotFound', object: { type: 'project', id: 'portal' } })
  const { status: httpStatus, body } = connectError(status, {})
  expect(httpStatus).toBe(404)
  expect(JSON.parse(String(body))).toMatchObject({
    code: 'not_found',
    message: status.message,
    details: [
      { type: 'google.rpc.ErrorInfo', value: expect.stringMatching(/^[\w+/]+$/) },
      { type: 'google.rpc.ResourceInfo', debug: { resourceName: 'portal' } },
    ],
  })
})

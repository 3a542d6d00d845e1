import { createRegistry, fromBinary, fromJsonString, toBinary } from '@bufbuild/protobuf'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { type IamError, toStatus } from 'claviger'
import { file_google_rpc_error_details } from 'claviger/client'
import { describe, expect, it } from 'vitest'
import { encodeDetail, trailersOf } from '../../../src/transport/grpc/status.js'
import { CODES } from '../../../src/transport/operations/refusal.js'
import { statusOf } from '../clients/rpc-status.js'

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
  for (const [name, code] of Object.entries(CODES)) expect(codeToString(code)).toBe(name)
})

describe('The trailers of an error', () => {
  const object = { type: 'project', id: 'portal' } as const

  it('have its code, its message and its details', () => {
    const status = toStatus({ kind: 'NotFound', object })
    const trailers = trailersOf({ ...status, message: 'Nicht da: 100 % "é"\r\n' })
    expect(trailers).toMatchObject({ 'grpc-status': '5' })
    expect(decodeURIComponent(trailers['grpc-message'] ?? '')).toBe('Nicht da: 100 % "é"\r\n')
    const read = statusOf(Buffer.from(trailers['grpc-status-details-bin'] ?? '', 'base64'))
    expect(read.details).toEqual(status.details)
  })

  it.each([10, 50, 90, 200, 1_000])('are at most 8 KiB with %d violations', (count) => {
    const violation = { field: 'roles[0].displayName', description: 'must be text '.repeat(6) }
    const violations = Array.from({ length: count }, () => violation)
    const [info, ...others] = toStatus({ kind: 'InvalidArgument', violations }).details
    const trailers = trailersOf({
      ...toStatus({ kind: 'NotFound', object }),
      details: [info!, ...others],
    })
    const size = Object.entries(trailers).reduce(
      (sum, [name, value]) => sum + name.length + value.length + 32,
      0,
    )
    expect(size).toBeLessThanOrEqual(8 * 1024)
    const read = statusOf(Buffer.from(trailers['grpc-status-details-bin'] ?? '', 'base64'))
    expect(read.details[0]).toEqual(info)
    expect(read.details.length).toBe(count <= 50 ? 2 : 1)
  })
})

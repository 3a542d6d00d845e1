import { describe, expect, it } from 'vitest'
import {
  copyEvents,
  type IamError,
  isIamError,
  memoryEventStore,
  toJson,
  toStatus,
} from '../../../src/index.js'
import { addSamples, context, good, start } from '../host.js'

const cause = new Error('of the host')
const role = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const

const address = {
  position: 1n,
  stream: 'project-acme+p',
  version: 2,
  type: 'project.added',
  schemaVersion: 1,
  appendId: '01J0000000000000000000000A',
  resourceOwner: 'acme',
} as const

const info = (reason: string, metadata: object = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'claviger',
  metadata,
})

const resource = (resourceType: string, resourceName: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ResourceInfo',
  resourceType,
  resourceName,
})

const precondition = (type: string, subject: string) => ({
  '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
  violations: [{ type, subject, description: expect.stringMatching(/./) }],
})

const retry = (retryDelay: string) => ({
  '@type': 'type.googleapis.com/google.rpc.RetryInfo',
  retryDelay,
})

/** Every kind of error, its code and its details. */
const errors: readonly (readonly [IamError, number, readonly object[]])[] = [
  [{ kind: 'Cancelled' }, 1, [info('CANCELLED')]],
  [
    { kind: 'InvalidArgument', violations: [{ field: 'name', description: 'is required' }] },
    3,
    [
      info('INVALID_ARGUMENT'),
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'name', description: 'is required' }],
      },
    ],
  ],
  [
    { kind: 'NotFound', object: { type: 'identity_provider', idpId: 'google' } },
    5,
    [info('NOT_FOUND'), resource('identity_provider', 'google')],
  ],
  [
    { kind: 'NotFound', object: { type: 'project', id: 'portal' } },
    5,
    [info('NOT_FOUND'), resource('project', 'portal')],
  ],
  [
    { kind: 'AlreadyExists', object: role },
    6,
    [info('ALREADY_EXISTS'), resource('project_role', 'portal/editor')],
  ],
  [
    { kind: 'PermissionDenied', permission: 'project.read', orgId: 'acme' },
    7,
    [info('PERMISSION_DENIED', { permission: 'project.read', orgId: 'acme' })],
  ],
  [
    { kind: 'SequenceMismatch', expected: 1n, actual: 2n ** 63n },
    9,
    [
      info('SEQUENCE_MISMATCH', { expected: '1', actual: '9223372036854775808' }),
      precondition('SEQUENCE_MISMATCH', 'expectedSequence'),
    ],
  ],
  [
    { kind: 'Protected', object: role, managedBy: 'ops' },
    9,
    [
      info('PROTECTED', { managedBy: 'ops' }),
      precondition('PROTECTED', 'managedBy'),
      resource('project_role', 'portal/editor'),
    ],
  ],
  [
    { kind: 'IdempotencyKeyReused', idempotencyKey: 'k' },
    9,
    [info('IDEMPOTENCY_KEY_REUSED'), precondition('IDEMPOTENCY_KEY_REUSED', 'idempotencyKey')],
  ],
  [
    { kind: 'ProjectInactive' },
    9,
    [info('PROJECT_INACTIVE'), precondition('PROJECT_INACTIVE', 'project')],
  ],
  [
    { kind: 'ProjectRoleRequired' },
    9,
    [info('PROJECT_ROLE_REQUIRED'), precondition('PROJECT_ROLE_REQUIRED', 'project')],
  ],
  [
    { kind: 'ProjectGrantRequired', userOrgId: 'globex' },
    9,
    [
      info('PROJECT_GRANT_REQUIRED', { userOrgId: 'globex' }),
      precondition('PROJECT_GRANT_REQUIRED', 'project'),
    ],
  ],
  [{ kind: 'Aborted', attempts: 10 }, 10, [info('ABORTED')]],
  [{ kind: 'UnknownEvent', ...address }, 13, [info('UNKNOWN_EVENT')]],
  [{ kind: 'CorruptEvent', ...address, field: 'data.name' }, 13, [info('CORRUPT_EVENT')]],
  [
    { kind: 'SecretUnreadable', reason: 'unknown_key', keyId: 'k1' },
    13,
    [info('SECRET_UNREADABLE', { secretReason: 'unknown_key' })],
  ],
  [
    { kind: 'ProjectionFailed', projection: 'mine', type: 'project.added', position: 1n, cause },
    13,
    [info('PROJECTION_FAILED')],
  ],
  [
    { kind: 'Unavailable', outcome: 'not_recorded', cause },
    14,
    [info('UNAVAILABLE', { outcome: 'not_recorded' })],
  ],
  [
    { kind: 'Unavailable', outcome: 'not_recorded', retryAfter: 1_000, cause },
    14,
    [info('UNAVAILABLE', { outcome: 'not_recorded' }), retry('1s')],
  ],
  [
    { kind: 'Unavailable', outcome: 'unknown', retryAfter: 1_000, cause },
    14,
    [info('UNAVAILABLE', { outcome: 'unknown' })],
  ],
  [{ kind: 'Unauthenticated' }, 16, [info('UNAUTHENTICATED')]],
]

describe('toStatus', () => {
  it.each(errors)('has code and details for %o', (error, code, details) => {
    const status = toStatus(error)
    expect(status).toEqual({ code, message: expect.stringMatching(/^[A-Z].{9,99}$/), details })
    expect(JSON.parse(JSON.stringify(status))).toEqual(status)
    expect(JSON.stringify(status)).not.toContain('of the host')
  })

  it.each([
    [0, '0s'],
    [0.2, '0.001s'],
    [1_500, '1.500s'],
    [90_000, '90s'],
    [1e300, '86400s'],
    [Number.POSITIVE_INFINITY, '86400s'],
  ])('reports a wait of %d ms as %s', (retryAfter, retryDelay) => {
    const status = toStatus({ kind: 'Unavailable', outcome: 'not_recorded', retryAfter, cause })
    expect(status.details.slice(1)).toEqual([retry(retryDelay)])
  })

  it.each([-1, Number.NaN])('does not report a wait of %d ms', (retryAfter) => {
    const status = toStatus({ kind: 'Unavailable', outcome: 'not_recorded', retryAfter, cause })
    expect(status.details).toHaveLength(1)
  })

  it('has a message of its own for every kind', () => {
    const messages = new Map(errors.map(([error]) => [error.kind, toStatus(error).message]))
    expect(new Set(messages.values()).size).toBe(messages.size)
  })
})

describe('isIamError', () => {
  it.each(errors)('accepts %o', (error) => {
    expect(isIamError(error)).toBe(true)
  })

  it.each([
    undefined,
    null,
    'NotFound',
    new Error('NotFound'),
    {},
    { kind: 'Other' },
    { kind: 'constructor' },
    { kind: 'toString' },
    { kind: 5 },
    { kind: ['NotFound'] },
  ])('refuses %o', (value) => {
    expect(isIamError(value)).toBe(false)
  })
})

describe('toJson', () => {
  it('converts an outcome as specified, without events', async () => {
    const { iam } = start()
    const added = await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    expect(toJson(added)).toEqual({
      details: {
        sequence: '1714979289010000',
        creationDate: '2024-05-06T07:08:09.010Z',
        changeDate: '2024-05-06T07:08:09.010Z',
        resourceOwner: 'acme',
      },
      changed: true,
      projectId: 'portal',
    })
  })

  it('converts lists and history', async () => {
    const { iam } = start()
    await addSamples(iam)
    const { items } = await good(iam.history.list({}, context))
    const json = JSON.stringify(toJson(items))
    expect(json).toContain('{"field":"clientSecret","changed":true}')
    expect(json).not.toContain('aes1')
    expect(toJson(await good(iam.projects.list({}, context)))).toMatchObject({
      items: [{ id: 'portal', details: { resourceOwner: 'acme' } }],
      totalSize: 1,
      sequence: '1714979289010002',
    })
  })

  it('keeps a number of events', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const copied = (await copyEvents(store, memoryEventStore()))._unsafeUnwrap()
    expect(toJson(copied)).toEqual({ ...copied, position: '1714979289010002' })
    expect(copied.events).toBe(3)
  })

  it('leaves out absent fields, and converts any value', () => {
    const odd = { a: undefined, b: null, c: 2n ** 64n, d: [undefined, Number.NaN], e: Symbol('s') }
    expect(toJson(odd)).toEqual({ b: null, c: '18446744073709551616', d: [null, null], e: null })
    expect(toJson(undefined)).toBe(null)
    const evil = toJson(JSON.parse('{"__proto__": {"x": 1}, "events": [1], "clientSecret": 1}'))
    expect(JSON.stringify(evil)).toBe('{"__proto__":{"x":1}}')
  })
})

it('says of a secret that cannot be opened that the key may be wrong, before it says tampered', () => {
  for (const reason of ['unknown_key', 'tampered'] as const)
    expect(toStatus({ kind: 'SecretUnreadable', reason }).message).toMatch(
      /wrong key, or tampered$/,
    )
})

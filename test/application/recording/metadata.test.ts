import { describe, expect, it } from 'vitest'
import { metadataFactory } from '../../../src/application/recording/stream-state.js'
import { OrgId } from '../../../src/domain/values.js'
import { admittedCall } from './admitted-call.js'

describe('the metadata of an append', () => {
  it('names the user and the organizations, and cannot be changed', () => {
    const metadata = metadataFactory()(admittedCall())
    expect(metadata).toEqual({ actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'acme' })
    expect(() => Object.assign(metadata, { resourceOwner: 'b' })).toThrow(TypeError)
    expect(() => Object.assign(metadata.actor, { userId: 'bob' })).toThrow(TypeError)
  })

  it('is one object for successive calls of one user in one organization', () => {
    const metadataOf = metadataFactory()
    const first = metadataOf(admittedCall())
    metadataOf(admittedCall({ reason: 'r' }))
    expect(metadataOf(admittedCall())).toBe(first)
  })

  it.each([
    ['user', { actorId: 'bob' }, { actor: { userId: 'bob' } }],
    ['organization of the user', { actorOrgId: 'b' }, { actor: { orgId: 'b' } }],
    ['organization', { orgId: OrgId.parse('b') }, { resourceOwner: 'b' }],
  ])('tells another %s from the one before', (_, given, expected) => {
    const metadataOf = metadataFactory()
    const before = metadataOf(admittedCall())
    expect(metadataOf(admittedCall(given))).toMatchObject(expected)
    expect(metadataOf(admittedCall())).toEqual(before)
  })

  it.each([
    ['correlation id', { correlationId: 'c' }, undefined, { correlationId: 'c' }],
    ['reason', { reason: 'r' }, undefined, { reason: 'r' }],
    ['idempotency key', { idempotencyKey: 'k' }, undefined, { idempotencyKey: 'acme+k' }],
    ['desired state', {}, { managedBy: 'ci' }, { managedBy: 'ci' }],
    [
      'version of a desired state',
      {},
      { managedBy: 'ci', version: 12 },
      { managedBy: 'ci', managedVersion: 12 },
    ],
    ['protection', {}, { managedBy: 'ci', protect: true }, { managedBy: 'ci', protect: true }],
    ['end of a protection', {}, { managedBy: 'ci', protect: false }, { managedBy: 'ci' }],
  ])(
    'holds the %s of its own append alone, and nothing that is absent',
    (_, given, marks, held) => {
      const metadataOf = metadataFactory()
      const plain = metadataOf(admittedCall())
      expect(metadataOf(admittedCall(given), marks)).toStrictEqual({ ...plain, ...held })
      expect(metadataOf(admittedCall())).toStrictEqual(plain)
    },
  )

  it('holds the hash of the command under its idempotency key', () => {
    const metadata = metadataFactory()(admittedCall({ idempotencyKey: 'k' }), undefined, 'hash')
    expect(metadata).toMatchObject({ idempotencyKey: 'acme+k', commandHash: 'hash' })
  })
})

import { describe, expect, it } from 'vitest'
import type { AdmittedCall } from '../../../src/application/method/context.js'
import { metadataFactory } from '../../../src/application/recording/metadata.js'

const call = (given: Partial<AdmittedCall> = {}): AdmittedCall => ({
  method: 'projects.add',
  caller: { userId: 'alice', orgId: 'acme' },
  actorId: 'alice',
  actorOrgId: 'acme',
  orgId: 'acme',
  expectedSequence: undefined,
  idempotencyKey: undefined,
  dryRun: false,
  consistency: 'strong',
  correlationId: undefined,
  signal: undefined,
  ...given,
})

describe('the metadata of an append', () => {
  it('names the user and the organizations, and cannot be changed', () => {
    const metadata = metadataFactory()(call())
    expect(metadata).toEqual({ actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'acme' })
    expect(() => Object.assign(metadata, { resourceOwner: 'b' })).toThrow(TypeError)
    expect(() => Object.assign(metadata.actor, { userId: 'bob' })).toThrow(TypeError)
  })

  it.each([
    ['user', { actorId: 'bob' }, { actor: { userId: 'bob' } }],
    ['organization of the user', { actorOrgId: 'b' }, { actor: { orgId: 'b' } }],
    ['organization', { orgId: 'b' }, { resourceOwner: 'b' }],
  ])('tells another %s from the one before', (_, given, expected) => {
    const metadataOf = metadataFactory()
    const before = metadataOf(call())
    expect(metadataOf(call(given))).toMatchObject(expected)
    expect(metadataOf(call())).toEqual(before)
  })

  it('holds the marks of its own append alone', () => {
    const metadataOf = metadataFactory()
    const marked = metadataOf(call({ correlationId: 'c', idempotencyKey: 'k' }), 'ci', 12)
    expect(marked).toMatchObject({
      correlationId: 'c',
      idempotencyKey: 'acme+k',
      managedBy: 'ci',
      managedVersion: 12,
    })
    expect(Object.keys(metadataOf(call()))).toEqual(['actor', 'resourceOwner'])
  })
})

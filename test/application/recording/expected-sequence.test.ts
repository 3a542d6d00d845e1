import { beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, toStatus } from '../../../src/index.js'
import { PROJECT_DEFAULTS, PROVIDER_DEFAULTS } from '../../defaults.js'
import { addAllSamples, context, good, type Iam, iamOn, logOf, refusal, start } from '../host.js'
import { writes } from '../method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addAllSamples(iam)
})

const granted = { projectId: 'portal', grantedOrgId: 'initech' }
const ofAcme = { domain: 'acme.example' }
const bob = { userId: 'bob', projectId: 'portal' }

/** The sequence of the object that a write is about, as its `get` shows it. */
const sequenceOf = async (name: string): Promise<bigint> => {
  const found = name.startsWith('domains')
    ? iam.domains.get(ofAcme, context)
    : name.startsWith('userGrants')
      ? iam.userGrants.get(bob, context)
      : name.startsWith('projectGrants')
        ? iam.projectGrants.get(granted, context)
        : name.startsWith('projectRoles')
          ? iam.projectRoles.get({ projectId: 'portal', roleKey: 'editor' }, context)
          : name.startsWith('projects')
            ? iam.projects.get({ id: 'portal' }, context)
            : iam.identityProviders.get({ idpId: 'google' }, context)
  return (await found)._unsafeUnwrap().details.sequence
}

const conditional = writes.filter(({ refuses = [] }) => refuses.length === 0)

describe.each(conditional)('$name with an expected sequence', ({ name, of, input }) => {
  it('happens when the object is where it was seen', async () => {
    const expectedSequence = await sequenceOf(name)
    for (const process of [iam, iamOn(store)])
      await of(process)(input, { ...context, expectedSequence, dryRun: true }).then((planned) =>
        planned._unsafeUnwrap(),
      )
    await good(of(iam)(input, { ...context, expectedSequence }))
  })

  it.each([-1n, 1n])('is refused when the object is elsewhere: %s', async (by) => {
    const actual = await sequenceOf(name)
    const before = await logOf(store)
    const expectedSequence = actual + by
    const mismatch = { kind: 'SequenceMismatch', expected: expectedSequence, actual }
    for (const process of [iam, iamOn(store)])
      for (const dryRun of [true, false]) {
        const call = of(process)(input, { ...context, expectedSequence, dryRun })
        expect(await refusal(call)).toEqual(mismatch)
      }
    expect(await logOf(store)).toEqual(before)
  })

  it('is refused with what is there when another process moved the object on', async () => {
    const expectedSequence = await sequenceOf(name)
    const seen = iamOn(store)
    // Both remember the object from now on.
    for (const process of [iam, seen])
      await of(process)(input, { ...context, expectedSequence, dryRun: true })
    const inOther = iamOn(store)
    await good(
      inOther.identityProviders.update(
        { ...PROVIDER_DEFAULTS, idpId: 'google', name: 'moved' },
        context,
      ),
    )
    await good(
      inOther.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'moved' }, context),
    )
    await good(
      inOther.projectRoles.update(
        { group: '', projectId: 'portal', roleKey: 'editor', displayName: 'moved' },
        context,
      ),
    )
    await good(inOther.projectGrants.deactivate(granted, context))
    await good(inOther.userGrants.deactivate(bob, context))
    await good(inOther.domains.setProvider({ ...ofAcme, idpId: 'google' }, context))
    const error = await refusal(of(seen)(input, { ...context, expectedSequence }))
    const actual = await sequenceOf(name)
    expect(error).toEqual({ kind: 'SequenceMismatch', expected: expectedSequence, actual })
    expect(toStatus(error).code).toBe(9)
  })

  it('is not found rather than elsewhere once the object is gone', async () => {
    const expectedSequence = await sequenceOf(name)
    await good(iam.domains.remove(ofAcme, context))
    await good(iam.identityProviders.remove({ idpId: 'google' }, context))
    await good(iam.userGrants.remove(bob, context))
    await good(iam.projectGrants.remove(granted, context))
    await good(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'editor' }, context))
    await good(iam.projects.remove({ id: 'portal' }, context))
    const call = of(iam)(input, { ...context, expectedSequence })
    expect(await refusal(call)).toMatchObject({ kind: 'NotFound' })
  })
})

it('is that of the object alone: a change of the project does not move its roles and grants', async () => {
  const expectedSequence = await sequenceOf('projectRoles')
  await good(iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'moved' }, context))
  const role = { projectId: 'portal', roleKey: 'editor', displayName: 'E', group: '' }
  await good(iam.projectRoles.update(role, { ...context, expectedSequence }))
})

it('is checked before whether anything changes', async () => {
  const call = iam.projects.reactivate({ id: 'portal' }, { ...context, expectedSequence: 0n })
  expect(await refusal(call)).toMatchObject({ kind: 'SequenceMismatch', expected: 0n })
})

it('may be any that protobuf can hold, and no larger one', async () => {
  const largest = 2n ** 64n - 1n
  const given = (expectedSequence: bigint) =>
    refusal(
      iam.projects.update(
        { ...PROJECT_DEFAULTS, id: 'portal', name: 'N' },
        { ...context, expectedSequence },
      ),
    )
  expect(await given(largest)).toMatchObject({ kind: 'SequenceMismatch', expected: largest })
  expect(await given(largest + 1n)).toEqual({
    kind: 'InvalidArgument',
    violations: [{ field: 'expectedSequence', description: 'must be a bigint from 0 to 2^64 - 1' }],
  })
})

it('of a write that changes nothing may be given again', async () => {
  const expectedSequence = await sequenceOf('projects')
  for (const _ of [1, 2]) {
    const kept = await good(
      iam.projects.reactivate({ id: 'portal' }, { ...context, expectedSequence }),
    )
    expect(kept).toMatchObject({ changed: false, details: { sequence: expectedSequence } })
  }
})

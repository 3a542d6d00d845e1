import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { domain } from '../../../src/domain/email-domain/aggregate.js'
import { given } from '../../../src/testing/index.js'
import {
  addDomain,
  added,
  challenge,
  googleSet,
  id,
  providerUnset,
  remove,
  removed,
  setGoogle,
  unset,
  verified,
  verifyDomain,
} from './examples.js'

const object = { type: 'domain', ...id }
const notFound = err({ kind: 'NotFound', object })
const unproven = err({
  kind: 'ProofNotFound',
  object,
  recordName: '_claviger-challenge.globex.example',
})
const verifyWith = (...records: readonly string[]) => ({
  ...verifyDomain,
  data: { ...id, records },
})

describe('A domain', () => {
  it('is added once, and again after it was removed.', () => {
    expect(given(domain, []).when(addDomain)).toEqual(ok([added]))
    const taken = err({ kind: 'AlreadyExists', object })
    expect(given(domain, [added]).when(addDomain)).toEqual(taken)
    expect(given(domain, [added, verified]).when(addDomain)).toEqual(taken)
    expect(given(domain, [added, removed]).when(addDomain)).toEqual(ok([added]))
  })

  it('is verified by a record that is its challenge, among others.', () => {
    expect(given(domain, [added]).when(verifyDomain)).toEqual(ok([verified]))
  })

  it.each([
    [[]],
    [['']],
    [['v=spf1 -all']],
    [[`${challenge} `]],
    [[`"${challenge}"`]],
    [[challenge.toUpperCase()]],
    [[challenge.slice(0, -1)]],
    [[`${challenge}1`]],
  ])('is not verified by %j.', (records) => {
    expect(given(domain, [added]).when(verifyWith(...records))).toEqual(unproven)
  })

  it('is not verified by the challenge that it had before it was removed.', () => {
    const anew = { ...added, data: { ...id, challenge: 'claviger-domain-verification=2' } } as const
    expect(given(domain, [added, removed, anew]).when(verifyDomain)).toEqual(unproven)
    expect(given(domain, [added, verified, removed, anew]).when(verifyDomain)).toEqual(unproven)
  })

  it('stays verified without a proof.', () => {
    expect(given(domain, [added, verified]).when(verifyWith())).toEqual(ok([]))
  })

  it('has the provider that was set last, or none.', () => {
    expect(given(domain, [added]).when(setGoogle)).toEqual(ok([googleSet]))
    expect(given(domain, [added, googleSet]).when(setGoogle)).toEqual(ok([]))
    expect(given(domain, [added, googleSet]).when(unset)).toStrictEqual(ok([providerUnset]))
    expect(given(domain, [added]).when(unset)).toEqual(ok([]))
    expect(given(domain, [added, googleSet, removed, added]).when(unset)).toEqual(ok([]))
  })

  it('is removed in either state.', () => {
    expect(given(domain, [added]).when(remove)).toEqual(ok([removed]))
    expect(given(domain, [added, googleSet, verified]).when(remove)).toEqual(ok([removed]))
  })

  it.each([verifyDomain, setGoogle, unset, remove])(
    'that was not added or was removed is not found by $type.',
    (command) => {
      expect(given(domain, []).when(command)).toEqual(notFound)
      expect(given(domain, [added, verified, removed]).when(command)).toEqual(notFound)
    },
  )
})

import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { domains } from '../../../src/domain/email-domain/aggregate.js'
import {
  AddDomain,
  DomainCommand,
  RemoveDomain,
  SetDomainProvider,
  VerifyDomain,
} from '../../../src/domain/email-domain/command-schemas.js'
import {
  DomainInput,
  DomainName,
  isDomainName,
} from '../../../src/domain/email-domain/domain-name.js'
import type { DomainEvent } from '../../../src/domain/email-domain/events.js'
import { verifiedDomains } from '../../../src/domain/email-domain/verified-domain.js'
import { OrgId } from '../../../src/domain/values.js'
import { given } from '../../../src/testing/index.js'
import { shownAfter } from '../shown.js'
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

const viewOf = (...events: DomainEvent[]) => shownAfter('domain', events)

describe('What reads show of a domain', () => {
  it('is pending with its challenge, and verified without it', () => {
    expect(viewOf(added)).toStrictEqual({ ...id, state: 'pending', challenge })
    expect(viewOf(added, verified)).toStrictEqual({ ...id, state: 'verified' })
  })

  it('has a provider only while one is set', () => {
    const pending = { ...id, state: 'pending', challenge }
    expect(viewOf(added, googleSet)).toStrictEqual({ ...pending, idpId: 'google' })
    expect(viewOf(added, googleSet, providerUnset)).toStrictEqual(pending)
  })

  it('ends with its removal, and begins with its addition alone', () => {
    expect(viewOf(added, verified, removed)).toBeUndefined()
    for (const event of [verified, googleSet, providerUnset]) expect(viewOf(event)).toBeUndefined()
  })

  it('is found by its provider, and its permissions are asked for the domain', () => {
    expect(domains.fields['idpId']).toMatchObject({ filterable: true })
    expect(viewOf(added, googleSet)).toMatchObject({ idpId: 'google' })
    expect(domains.target(id, 'acme')).toEqual({ type: 'domain', id: 'globex.example' })
  })
})

describe('The claim of a verified domain', () => {
  const acme = { ...id, orgId: OrgId.parse('acme') }
  const globex = { ...id, orgId: OrgId.parse('globex') }
  const claimed = { type: 'verified_domain.claimed', data: globex } as const
  const released = { type: 'verified_domain.released', data: globex } as const
  const { decider } = verifiedDomains
  const by = (type: 'ClaimDomain' | 'ReleaseDomain', data = globex) => ({ type, data })

  it('is made by one organization at a time', () => {
    expect(given(decider, []).when(by('ClaimDomain'))).toEqual(ok([claimed]))
    expect(given(decider, [claimed]).when(by('ClaimDomain'))).toEqual(ok([]))
    expect(given(decider, [claimed]).when(by('ClaimDomain', acme))).toEqual(
      err({ kind: 'AlreadyExists', object: { type: 'domain', domain: 'globex.example' } }),
    )
    expect(given(decider, [claimed, released]).when(by('ClaimDomain', acme))).toEqual(
      ok([{ ...claimed, data: acme }]),
    )
  })

  it('is given up by the organization that has it', () => {
    expect(given(decider, [claimed]).when(by('ReleaseDomain'))).toEqual(ok([released]))
    expect(given(decider, [claimed]).when(by('ReleaseDomain', acme))).toEqual(ok([]))
    expect(given(decider, []).when(by('ReleaseDomain'))).toEqual(ok([]))
  })

  it('has one stream for all organizations', () => {
    expect(verifiedDomains.stream('acme', id)).toBe('verified_domain-globex.example')
    expect(verifiedDomains.stream('other', id)).toBe('verified_domain-globex.example')
  })
})

describe('The schema of a domain', () => {
  const A_DOMAIN =
    'must be a domain of at least two labels and at most 253 characters, such as example.com'
  const objection = (schema: typeof DomainInput | typeof DomainName, input: unknown) =>
    schema.safeParse(input).error?.issues.map(({ message }) => message)

  it('reads a name as people write it', () => {
    expect(DomainInput.parse('Bücher.Example')).toBe('xn--bcher-kva.example')
    expect(DomainInput.parse('globex.example')).toBe('globex.example')
  })

  it('refuses what is not a domain', () => {
    expect(objection(DomainInput, undefined)).toEqual(['is required'])
    // A URL reads the last as an address, though it has the form of a name.
    for (const none of [5, null, '', 'localhost', '127.0.0.1', 'a..b', 'a.0x1'])
      expect(objection(DomainInput, none)).toEqual([A_DOMAIN])
    for (const none of [5, undefined, 'localhost', 'Globex.Example'])
      expect(objection(DomainName, none)).toEqual([A_DOMAIN])
    expect([5, undefined, ['globex.example']].map(isDomainName)).toEqual([false, false, false])
  })
})

describe('The schema of a command', () => {
  it.each([
    [AddDomain, addDomain],
    [VerifyDomain, verifyDomain],
    [SetDomainProvider, setGoogle],
    [SetDomainProvider, unset],
    [RemoveDomain, remove],
  ])('reads its own example alone', (schema, command) => {
    expect(schema.parse(command)).toEqual(command)
    expect(DomainCommand.parse(command)).toEqual(command)
    expect(schema.safeParse({ ...command, type: '' }).success).toBe(false)
    expect(schema.safeParse({ ...command, data: {} }).success).toBe(false)
  })
})

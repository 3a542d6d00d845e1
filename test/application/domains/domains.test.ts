import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { DomainOptions } from '../../../src/index.js'
import {
  badFields,
  context,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  oidc,
  refusal,
  start,
} from '../host.js'
import { fakeDns } from './dns.js'

let dns: ReturnType<typeof fakeDns>
let iam: Iam
let store: ReturnType<typeof start>['store']

beforeEach(() => {
  dns = fakeDns()
  ;({ iam, store } = start({ domains: dns.domains }))
})

const domain = 'example.com'
const object = { type: 'domain', domain } as const
const notFound = { kind: 'NotFound', object }

const add = (within = context) => good(iam.domains.add({ domain }, within))

/** Adds the domain and publishes its challenge, beside those that are published. */
const addAndPublish = async (within = context): Promise<string> => {
  const { challenge } = await add(within)
  const published = dns.records.get(`_claviger-challenge.${domain}`) ?? []
  dns.records.set(`_claviger-challenge.${domain}`, [...published, [challenge]])
  return challenge
}

const verified = async (within = context) => {
  await addAndPublish(within)
  return good(iam.domains.verify({ domain }, within))
}

const otherOptions = (domains: DomainOptions) => iamOn(store, { domains })

describe('domains.add', () => {
  it('returns the domain in ASCII and a new challenge each time.', async () => {
    const { events, details, ...added } = await good(
      iam.domains.add({ domain: 'BÜCHER.Example' }, context),
    )
    expect(added).toEqual({
      changed: true,
      domain: 'xn--bcher-kva.example',
      challenge: expect.stringMatching(/^claviger-domain-verification=[0-9A-HJKMNP-TV-Z]{26}$/),
    })
    expect(details.resourceOwner).toBe('acme')
    expect(events.map(({ type, data, stream }) => ({ type, data, stream }))).toEqual([
      {
        type: 'domain.added',
        stream: 'domain-acme+xn--bcher-kva.example',
        data: { domain: added.domain, challenge: added.challenge },
      },
    ])
    expect((await add()).challenge).not.toBe(added.challenge)
  })

  it('refuses a domain that the organization has, in any form.', async () => {
    await add()
    for (const given of ['example.com', 'EXAMPLE.com', 'ｅｘａｍｐｌｅ.com'])
      expect(await refusal(iam.domains.add({ domain: given }, context))).toEqual({
        kind: 'AlreadyExists',
        object,
      })
  })

  it('accepts a domain that another organization has added or verified.', async () => {
    await verified(inGlobex)
    expect(await add()).toMatchObject({ changed: true })
  })

  it.each(['co.uk', 'CO.UK', 'com', 'localhost', '127.0.0.1', 'example.com.', '', 5])(
    'refuses %j.',
    async (given) => {
      const input = { domain: given as string }
      expect(await badFields(iam.domains.add(input, context))).toEqual(['domain'])
      expect(await logOf(store)).toEqual([])
    },
  )

  it('returns the recorded challenge when it is repeated under its key.', async () => {
    const once = { ...context, idempotencyKey: 'k' }
    const first = await good(iam.domains.add({ domain }, once))
    expect(await good(iam.domains.add({ domain: 'EXAMPLE.com' }, once))).toEqual(first)
  })

  it('shows in a dry run what would change.', async () => {
    const planned = await good(iam.domains.add({ domain }, { ...context, dryRun: true }))
    expect(planned.changes.map(({ field }) => field)).toEqual(['state', 'challenge'])
    expect(await logOf(store)).toEqual([])
  })

  it('is refused without a list of public suffixes.', async () => {
    const { resolveTxt } = dns.domains
    for (const bare of [otherOptions({}), otherOptions({ resolveTxt })])
      expect(await refusal(bare.domains.add({ domain }, context))).toEqual({
        kind: 'NotConfigured',
        option: 'domains.isPublicSuffix',
      })
  })

  it('reports a list that throws or answers no flag, and adds nothing.', async () => {
    const broken = new Error('no list')
    const isPublicSuffix = () => {
      throw broken
    }
    expect(
      await refusal(otherOptions({ isPublicSuffix }).domains.add({ domain }, context)),
    ).toEqual({ kind: 'Unavailable', outcome: 'not_recorded', cause: broken })
    const vague = otherOptions({ isPublicSuffix: (() => undefined) as () => never })
    expect(await badFields(vague.domains.add({ domain }, context))).toEqual(['domain'])
    expect(await logOf(store)).toEqual([])
  })
})

/** Resolvers that do not do their work. */
const FAILING: readonly (readonly [string, () => unknown])[] = [
  ['fails', () => Promise.reject(new Error('SERVFAIL'))],
  [
    'throws',
    () => {
      throw new Error('EBADNAME')
    },
  ],
  ['answers no list', async () => 'text'],
  ['answers texts that are no lists', async () => ['claviger-domain-verification=1']],
]

describe('domains.verify', () => {
  it('records the claim and the event of the organization in one append.', async () => {
    await addAndPublish()
    const outcome = await good(iam.domains.verify({ domain }, context))
    expect(outcome).toMatchObject({ domain, changed: true })
    expect(dns.asked).toEqual([`_claviger-challenge.${domain}`])
    const [, ...log] = await logOf(store)
    expect(log.map(({ stream, type, data }) => ({ stream, type, data }))).toEqual([
      {
        stream: 'verified_domain-example.com',
        type: 'verified_domain.claimed',
        data: { domain, orgId: 'acme' },
      },
      { stream: 'domain-acme+example.com', type: 'domain.verified', data: { domain } },
    ])
    expect(new Set(log.map(({ appendId }) => appendId)).size).toBe(1)
    expect(outcome.details.sequence).toBe(log[1]?.position)
    const { details, ...shown } = await good(iam.domains.get({ domain }, context))
    expect(shown).toEqual({ domain, state: 'verified' })
    expect(details).toEqual(outcome.details)
  })

  it('joins the texts of a record.', async () => {
    const { challenge } = await add()
    dns.records.set(`_claviger-challenge.${domain}`, [
      [],
      [challenge.slice(0, 9), challenge.slice(9)],
    ])
    expect(await good(iam.domains.verify({ domain }, context))).toMatchObject({ changed: true })
  })

  it('changes nothing once it is verified, and does not ask again.', async () => {
    await verified()
    dns.records.clear()
    expect(await good(iam.domains.verify({ domain }, context))).toMatchObject({ changed: false })
    expect(dns.asked).toHaveLength(1)
  })

  it('says where the challenge must stand when it does not.', async () => {
    const { challenge } = await add()
    const unproven = {
      kind: 'ProofNotFound',
      object,
      recordName: `_claviger-challenge.${domain}`,
    }
    const verify = () => refusal(iam.domains.verify({ domain }, context))
    expect(await verify()).toEqual(unproven)
    for (const records of [[], [[]], [['']], [[`${challenge}x`]], [challenge.split('=')]]) {
      dns.records.set(`_claviger-challenge.${domain}`, records)
      expect(await verify()).toEqual(unproven)
    }
    const { domains } = otherOptions({
      resolveTxt: async () => {
        throw Object.assign(new Error('no data'), { code: 'ENODATA' })
      },
    })
    expect(await refusal(domains.verify({ domain }, context))).toEqual(unproven)
    expect(await logOf(store)).toHaveLength(1)
  })

  it('does not ask for the challenge of a domain that the organization does not have.', async () => {
    await add(inGlobex)
    expect(await refusal(iam.domains.verify({ domain }, context))).toEqual(notFound)
    expect(dns.asked).toEqual([])
  })

  it('finds no proof where the name of the challenge would be too long for DNS.', async () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`
    await good(iam.domains.add({ domain: long }, context))
    expect(await refusal(iam.domains.verify({ domain: long }, context))).toMatchObject({
      kind: 'ProofNotFound',
    })
    expect(dns.asked).toEqual([])
  })

  it('tells that another organization has verified the domain only to one with a proof.', async () => {
    await addAndPublish()
    await verified(inGlobex)
    const challenges = dns.records.get(`_claviger-challenge.${domain}`) ?? []
    dns.records.set(`_claviger-challenge.${domain}`, challenges.slice(1))
    expect(await refusal(iam.domains.verify({ domain }, context))).toMatchObject({
      kind: 'ProofNotFound',
    })
    dns.records.set(`_claviger-challenge.${domain}`, challenges)
    expect(await refusal(iam.domains.verify({ domain }, context))).toEqual({
      kind: 'AlreadyExists',
      object,
    })
    await good(iam.domains.remove({ domain }, inGlobex))
    expect(await good(iam.domains.verify({ domain }, context))).toMatchObject({ changed: true })
  })

  it('lets one of 16 organizations verify a domain that they verify at the same time, and then another.', async () => {
    const callers = Array.from({ length: 16 }, (_, n) => ({
      caller: { ...context.caller, orgId: `org-${n}` },
    })) as (typeof context)[]
    for (const within of callers) await addAndPublish(within)
    const verifyAll = () =>
      Promise.all(
        callers.map((within) => otherOptions(dns.domains).domains.verify({ domain }, within)),
      )
    const winnerIn = (results: Awaited<ReturnType<typeof verifyAll>>): number => {
      expect(results.filter((result) => result.isOk())).toHaveLength(1)
      for (const result of results)
        if (result.isErr()) expect(result.error).toEqual({ kind: 'AlreadyExists', object })
      return results.findIndex((result) => result.isOk())
    }
    const first = winnerIn(await verifyAll())
    await good(iam.domains.remove({ domain }, callers[first] ?? context))
    callers.splice(first, 1)
    winnerIn(await verifyAll())
  })

  it('decides on the challenge that the domain has when the answer is there.', async () => {
    const { challenge } = await add()
    const resolveTxt: DomainOptions['resolveTxt'] = async () => {
      await good(iam.domains.remove({ domain }, context))
      await add()
      return [[challenge]]
    }
    const { domains } = otherOptions({ resolveTxt })
    expect(await refusal(domains.verify({ domain }, context))).toMatchObject({
      kind: 'ProofNotFound',
    })
  })

  it('shows in a dry run that it would be verified.', async () => {
    await addAndPublish()
    const planned = await good(iam.domains.verify({ domain }, { ...context, dryRun: true }))
    expect(planned.changes).toEqual([
      { field: 'state', from: 'pending', to: 'verified' },
      { field: 'challenge', from: expect.any(String), to: undefined },
    ])
    expect(await logOf(store)).toHaveLength(1)
  })

  it('is refused without a resolver.', async () => {
    await add()
    const { isPublicSuffix } = dns.domains
    for (const bare of [otherOptions({}), otherOptions({ isPublicSuffix })])
      expect(await refusal(bare.domains.verify({ domain }, context))).toEqual({
        kind: 'NotConfigured',
        option: 'domains.resolveTxt',
      })
  })

  it.each(FAILING)('is unavailable when the resolver %s.', async (_, resolver) => {
    await add()
    const { domains } = otherOptions({ resolveTxt: resolver as () => Promise<never> })
    expect(await refusal(domains.verify({ domain }, context))).toMatchObject({
      kind: 'Unavailable',
      outcome: 'not_recorded',
    })
    expect(await logOf(store)).toHaveLength(1)
  })

  it('gives up after five seconds, and at once when its signal aborts.', async () => {
    await add()
    const { domains } = otherOptions({ resolveTxt: () => new Promise(() => {}) })
    vi.useFakeTimers()
    try {
      const late = refusal(domains.verify({ domain }, context))
      await vi.advanceTimersByTimeAsync(5_000)
      expect(await late).toMatchObject({ kind: 'Unavailable', outcome: 'not_recorded' })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
    const controller = new AbortController()
    const cancelled = refusal(domains.verify({ domain }, { ...context, signal: controller.signal }))
    controller.abort()
    expect(await cancelled).toEqual({ kind: 'Cancelled' })
  })
})

describe('domains.setProvider', () => {
  it('sets a provider of the organization, and none.', async () => {
    await good(iam.identityProviders.addOidc(oidc, context))
    await add()
    const set = (idpId?: string) => iam.domains.setProvider({ domain, idpId }, context)
    expect(await good(set('google'))).toMatchObject({ domain, changed: true })
    expect(await good(iam.domains.get({ domain }, context))).toMatchObject({
      state: 'pending',
      idpId: 'google',
    })
    expect(await good(set('google'))).toMatchObject({ changed: false })
    expect(await good(set())).toMatchObject({ changed: true })
    expect(await good(iam.domains.get({ domain }, context))).not.toHaveProperty('idpId')
  })

  it('refuses a provider that the organization does not have, and a domain.', async () => {
    const set = () => refusal(iam.domains.setProvider({ domain, idpId: 'google' }, context))
    expect(await set()).toEqual(notFound)
    await add()
    const missing = { kind: 'NotFound', object: { type: 'identity_provider', idpId: 'google' } }
    expect(await set()).toEqual(missing)
    await good(iam.identityProviders.addOidc(oidc, inGlobex))
    expect(await set()).toEqual(missing)
    await good(iam.identityProviders.addOidc(oidc, context))
    await good(iam.identityProviders.remove({ idpId: 'google' }, context))
    expect(await set()).toEqual(missing)
  })
})

describe('domains.remove', () => {
  it('gives a verified domain back in the same append.', async () => {
    await verified()
    expect(await good(iam.domains.remove({ domain }, context))).toMatchObject({ changed: true })
    const log = (await logOf(store)).slice(3)
    expect(log.map(({ stream, type }) => `${stream} ${type}`)).toEqual([
      'verified_domain-example.com verified_domain.released',
      'domain-acme+example.com domain.removed',
    ])
    expect(new Set(log.map(({ appendId }) => appendId)).size).toBe(1)
    expect(await refusal(iam.domains.get({ domain }, context))).toEqual(notFound)
    expect(await refusal(iam.domains.remove({ domain }, context))).toEqual(notFound)
  })

  it('of a pending domain leaves another organization its verified one.', async () => {
    await add()
    await verified(inGlobex)
    await good(iam.domains.remove({ domain }, context))
    expect((await logOf(store)).at(-1)?.type).toBe('domain.removed')
    expect(await good(iam.domains.get({ domain }, inGlobex))).toMatchObject({ state: 'verified' })
  })

  it('leads to another challenge when the domain is added again.', async () => {
    const before = await addAndPublish()
    await good(iam.domains.verify({ domain }, context))
    await good(iam.domains.remove({ domain }, context))
    const { challenge } = await add()
    expect(challenge).not.toBe(before)
    expect(await refusal(iam.domains.verify({ domain }, context))).toMatchObject({
      kind: 'ProofNotFound',
    })
  })
})

describe('What is read of domains', () => {
  it('is filtered and sorted.', async () => {
    await good(iam.identityProviders.addOidc(oidc, context))
    for (const name of ['b.example', 'a.example', 'c.example'])
      await good(iam.domains.add({ domain: name }, context))
    await verified()
    await good(iam.domains.setProvider({ domain: 'a.example', idpId: 'google' }, context))
    const listed = async (input: Parameters<Iam['domains']['list']>[0]) =>
      (await good(iam.domains.list(input, context))).items.map((row) => row.domain)
    expect(await listed({})).toEqual(['a.example', 'b.example', 'c.example', domain])
    expect(await listed({ filter: { state: 'verified' } })).toEqual([domain])
    expect(await listed({ filter: { state: 'pending' } })).toHaveLength(3)
    expect(await listed({ filter: { idpId: { equals: 'google' } } })).toEqual(['a.example'])
    expect(await listed({ filter: { idpId: { equals: '' } } })).toHaveLength(3)
    expect(await listed({ filter: { domain: { startsWith: 'B.' } } })).toEqual([])
    const byProvider = [{ field: 'idpId', direction: 'desc' }] as const
    expect((await listed({ sort: byProvider }))[0]).toBe('a.example')
    const states = iam.domains.list({ filter: { state: 'active' as 'pending' } }, context)
    expect(await badFields(states)).toEqual(['filter.state'])
  })

  it('in history is each organization its own part, and the past can be read.', async () => {
    await verified()
    await good(iam.domains.remove({ domain }, context))
    dns.records.clear()
    const within = inGlobex
    await verified(within)
    const historyOf = async (in_: typeof context) =>
      (await good(iam.history.list({}, in_))).items.map(({ type, object, changes }) => ({
        type,
        object,
        fields: changes.map(({ field }) => field),
      }))
    const addedAndVerified = [
      { type: 'domain.added', object, fields: ['state', 'challenge'] },
      { type: 'domain.verified', object, fields: ['state', 'challenge'] },
    ]
    expect(await historyOf(context)).toEqual([
      ...addedAndVerified,
      { type: 'domain.removed', object, fields: ['state'] },
    ])
    expect(await historyOf(inGlobex)).toEqual(addedAndVerified)
    const { items } = await good(iam.history.list({ object }, context))
    const at = (sequence = 0n) => iam.history.stateAt({ object, sequence }, context)
    expect(await good(at(items[0]?.sequence))).toMatchObject({ state: 'pending' })
    expect(await good(at(items[1]?.sequence))).toMatchObject({ state: 'verified' })
    expect(await refusal(at(items[2]?.sequence))).toEqual(notFound)
  })
})

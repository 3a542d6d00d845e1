import { beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../../src/index.js'
import {
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  oidc,
  refusal,
  start,
  startOfTime,
  withAppend,
} from '../host.js'

let iam: Iam
let store: ReturnType<typeof start>['store']
let now: Date
let published: string

const domains = {
  isPublicSuffix: () => false,
  resolveTxt: async () => [[published]],
}

beforeEach(() => {
  now = startOfTime
  published = ''
  ;({ iam, store } = start({ now: () => now, domains }))
})

const expiresAt = new Date(startOfTime.getTime() + 60_000)
const DENIED = { kind: 'PermissionDenied' }
const ALL = ['provider', 'domain', 'groups'] as const

type Issue = Parameters<Iam['setupLinks']['issue']>[0]

const open = async (input: Omit<Issue, 'expiresAt'>) => {
  const { token } = await good(iam.setupLinks.issue({ expiresAt, ...input }, context))
  const redeemed = await good(iam.setupLinks.redeem({ token }))
  return { ...redeemed, token, within: { caller: redeemed.caller as Caller } }
}

const providerOf = (idpId: string) => good(iam.identityProviders.get({ idpId }, context))

const pass = async (idpId: string, ...checks: readonly ('test' | 'sign_in')[]) => {
  const { details } = await providerOf(idpId)
  for (const check of checks)
    await good(
      iam.setupLinks.confirmDraft({ orgId: 'acme', idpId, check, sequence: details.sequence }),
    )
}

describe('A link for a provider', () => {
  it('adds one draft, which has the id of the link and may be edited', async () => {
    const { within, idpId, linkId } = await open({ intents: ['provider'] })
    expect(idpId).toBe(linkId)
    const added = await good(iam.identityProviders.addOidc({ ...oidc, idpId }, within))
    expect(added.idpId).toBe(idpId)
    expect(await providerOf(idpId)).toMatchObject({ state: 'inactive', issuer: oidc.issuer })
    await good(iam.identityProviders.patch({ idpId, issuer: 'https://right.example' }, within))
    expect(await providerOf(idpId)).toMatchObject({
      state: 'inactive',
      issuer: 'https://right.example',
    })
    for (const other of ['second', undefined])
      expect(
        await refusal(iam.identityProviders.addOidc({ ...oidc, idpId: other }, within)),
      ).toMatchObject({ ...DENIED, permission: 'identity_provider.write' })
    expect(await refusal(iam.identityProviders.remove({ idpId }, within))).toMatchObject(DENIED)
  })

  it('plans the draft of a dry run, and records nothing', async () => {
    const { within, idpId } = await open({ intents: ['provider'] })
    const before = await logOf(store)
    const dry = { ...within, dryRun: true as const }
    const planned = await good(iam.identityProviders.addOidc({ ...oidc, idpId }, dry))
    expect(planned.events.map(({ type }) => type)).toEqual([
      'identity_provider.oidc_added',
      'identity_provider.deactivated',
    ])
    expect(
      await refusal(iam.identityProviders.addOidc({ ...oidc, idpId: 'other' }, dry)),
    ).toMatchObject(DENIED)
    expect(await logOf(store)).toEqual(before)
  })

  it('changes no provider that it has not added, whether active or not', async () => {
    await good(iam.identityProviders.addOidc(oidc, context))
    const { idpId } = oidc
    const { within } = await open({ intents: ALL })
    const before = await logOf(store)
    const desired = { ...oidc, issuer: 'https://attacker.example' }
    const attack = { idpId, issuer: 'https://attacker.example', clientSecret: 'known' }
    const { name: _, ...config } = oidc
    const displayNameMapping = 'OIDC_MAPPING_FIELD_UNSPECIFIED' as const
    const mappings = { displayNameMapping, usernameMapping: displayNameMapping }
    const stylingType = 'STYLING_TYPE_UNSPECIFIED' as const
    const tries = () => [
      iam.identityProviders.patch(attack, within),
      iam.identityProviders.updateOidcConfig({ ...config, ...mappings, ...attack }, within),
      iam.identityProviders.update({ idpId, stylingType, autoRegister: true, name: 'x' }, within),
      iam.identityProviders.remove({ idpId }, within),
      iam.apply({ identityProviders: [desired] }, within),
    ]
    for (const tried of [iam.identityProviders.deactivate({ idpId }, within), ...tries()])
      expect(await refusal(tried)).toMatchObject(DENIED)
    expect(await logOf(store)).toEqual(before)
    await good(iam.identityProviders.deactivate({ idpId }, context))
    for (const tried of [iam.identityProviders.reactivate({ idpId }, within), ...tries()])
      expect(await refusal(tried)).toMatchObject(DENIED)
    expect((await logOf(store)).length).toBe(before.length + 1)
  })

  it('switches its draft on after a test and a sign-in of it as it is, and then leaves it alone', async () => {
    const { within, idpId, token } = await open({ intents: ['provider'] })
    await good(iam.identityProviders.addOidc({ ...oidc, idpId }, within))
    const switchOn = () => iam.identityProviders.reactivate({ idpId }, within)
    expect(await refusal(switchOn())).toMatchObject(DENIED)
    await pass(idpId, 'test')
    expect(await refusal(switchOn())).toMatchObject(DENIED)
    await pass(idpId, 'sign_in')
    await good(iam.identityProviders.patch({ idpId, issuer: 'https://other.example' }, within))
    expect(await refusal(switchOn())).toMatchObject(DENIED)
    await pass(idpId, 'sign_in', 'test')
    const { details } = await providerOf(idpId)
    expect((await good(iam.setupLinks.redeem({ token }))).passed).toEqual({
      test: details.sequence,
      sign_in: details.sequence,
    })
    await good(switchOn())
    expect(await providerOf(idpId)).toMatchObject({ state: 'active' })
    for (const tried of [
      iam.identityProviders.patch({ idpId, issuer: 'https://attacker.example' }, within),
      iam.identityProviders.deactivate({ idpId }, within),
    ])
      expect(await refusal(tried)).toMatchObject(DENIED)
  })

  it('does not change a draft that an admin switches on at the same moment', async () => {
    const { within, idpId, token } = await open({ intents: ['provider'] })
    await good(iam.identityProviders.addOidc({ ...oidc, idpId }, within))
    let isFirst = true
    const racing = iamOn(
      withAppend(store, async (append, send) => {
        if (
          isFirst &&
          append.writes.some(({ stream }) => stream.startsWith('identity_provider-'))
        ) {
          isFirst = false
          await good(iam.identityProviders.reactivate({ idpId }, context))
        }
        return send(append)
      }),
      { now: () => now },
    )
    const { caller } = await good(racing.setupLinks.redeem({ token }))
    const patch = { idpId, issuer: 'https://attacker.example' }
    expect(await refusal(racing.identityProviders.patch(patch, { caller }))).toMatchObject(DENIED)
    expect(isFirst).toBe(false)
    expect(await providerOf(idpId)).toMatchObject({ issuer: oidc.issuer, state: 'active' })
  })

  it('sets up the inactive provider that it names, unless a domain is set to it', async () => {
    const { idpId } = oidc
    await good(iam.identityProviders.addOidc(oidc, context))
    const named = await open({ intents: ['provider', 'domain'], idpId })
    expect(named.idpId).toBe(idpId)
    const repair = () =>
      iam.identityProviders.patch({ idpId, issuer: 'https://new.example' }, named.within)
    expect(await refusal(repair())).toMatchObject(DENIED)
    await good(iam.identityProviders.deactivate({ idpId }, context))
    await good(iam.domains.add({ domain: 'acme.example' }, context))
    await good(iam.domains.setProvider({ domain: 'acme.example', idpId }, context))
    expect(await refusal(repair())).toMatchObject(DENIED)
    await good(iam.domains.setProvider({ domain: 'acme.example' }, context))
    await good(repair())
    const links = await good(iam.setupLinks.ofDraft({ orgId: 'acme', idpId }))
    expect(links).toEqual([{ linkId: named.linkId }])
    await pass(idpId, 'test', 'sign_in')
    await good(iam.identityProviders.reactivate({ idpId }, named.within))
  })
})

describe('A link for a domain', () => {
  const prove = async (domain: string, within: { caller: Caller }) => {
    const { challenge } = await good(iam.domains.add({ domain }, within))
    published = challenge
    await good(iam.domains.verify({ domain }, within))
  }

  it('sets only a domain without a provider, and only to a provider of its own that is switched on', async () => {
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'live' }, context))
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'partner' }, context))
    await prove('acme.example', context as never)
    await good(iam.domains.setProvider({ domain: 'acme.example', idpId: 'live' }, context))
    await prove('other.example', context as never)
    const { within, idpId } = await open({ intents: ALL, domain: 'Other.Example' })
    await prove('own.example', within)
    const set = (domain: string, to?: string) =>
      iam.domains.setProvider({ domain, ...(to && { idpId: to }) }, within)
    for (const tried of [
      set('acme.example', 'partner'),
      set('acme.example'),
      set('own.example', 'partner'),
      iam.domains.remove({ domain: 'acme.example' }, within),
      iam.domains.remove({ domain: 'other.example' }, within),
    ])
      expect(await refusal(tried)).toMatchObject({ ...DENIED, permission: 'domain.write' })
    await good(iam.identityProviders.addOidc({ ...oidc, idpId }, within))
    expect(await refusal(set('own.example', idpId))).toMatchObject(DENIED)
    await pass(idpId, 'test', 'sign_in')
    await good(iam.identityProviders.reactivate({ idpId }, within))
    expect(await refusal(set('acme.example', idpId))).toMatchObject(DENIED)
    await good(set('own.example', idpId))
    await good(set('other.example', idpId))
    for (const tried of [set('own.example'), iam.domains.remove({ domain: 'own.example' }, within)])
      expect(await refusal(tried)).toMatchObject(DENIED)
    expect(await good(iam.domains.route({ email: 'a@acme.example' }))).toMatchObject({
      idpId: 'live',
    })
  })

  it('does not verify a domain that another has added, unless it names it', async () => {
    const { challenge } = await good(iam.domains.add({ domain: 'acme.example' }, context))
    published = challenge
    const other = await open({ intents: ['domain'] })
    const verify = (within: { caller: Caller }) =>
      iam.domains.verify({ domain: 'acme.example' }, within)
    expect(await refusal(verify(other.within))).toMatchObject(DENIED)
    const named = await open({ intents: ['domain'], domain: 'acme.example' })
    await good(verify(named.within))
  })

  it('loses what was removed and added again by others', async () => {
    const { within } = await open({ intents: ['domain'] })
    await prove('own.example', within)
    await good(iam.domains.remove({ domain: 'own.example' }, context))
    await prove('own.example', context as never)
    expect(await refusal(iam.domains.remove({ domain: 'own.example' }, within))).toMatchObject(
      DENIED,
    )
  })
})

describe('A link for groups', () => {
  const mapping = { group: 'finance', projectId: 'invoicing', roleKeys: ['reader'] }

  beforeEach(async () => {
    await good(iam.identityProviders.addOidc(oidc, context))
    await good(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, context))
    await good(
      iam.projectRoles.add(
        { projectId: 'invoicing', roleKey: 'reader', displayName: 'Reader' },
        context,
      ),
    )
  })

  it('maps groups of its own provider, and changes only mappings that it has added', async () => {
    const { idpId } = oidc
    await good(iam.roleMappings.add({ ...mapping, idpId, group: 'all' }, context))
    const unnamed = await open({ intents: ['groups'] })
    expect(
      await refusal(iam.roleMappings.add({ ...mapping, idpId }, unnamed.within)),
    ).toMatchObject({ ...DENIED, permission: 'role_mapping.write' })
    const { within } = await open({ intents: ['groups'], idpId })
    await good(iam.roleMappings.add({ ...mapping, idpId }, within))
    const ids = { idpId, group: 'all', projectId: 'invoicing' }
    expect(await refusal(iam.roleMappings.remove(ids, within))).toMatchObject(DENIED)
    await good(iam.roleMappings.remove({ ...ids, group: 'finance' }, within))
  })
})

describe('A caller that was kept', () => {
  const ends = {
    'was revoked': ({ linkId }: { linkId: string }) =>
      good(iam.setupLinks.revoke({ linkId }, context)),
    'was completed': ({ token }: { token: string }) => good(iam.setupLinks.complete({ token })),
    'has expired': async () => {
      now = expiresAt
    },
  }

  it.each(Object.entries(ends))('neither writes nor reads once its link %s', async (_, end) => {
    const link = await open({ intents: ALL })
    await end(link)
    const before = await logOf(store)
    for (const tried of [
      iam.identityProviders.addOidc({ ...oidc, idpId: link.idpId }, link.within),
      iam.domains.add({ domain: 'acme.example' }, link.within),
      iam.identityProviders.list({}, link.within),
    ])
      expect(await refusal(tried)).toMatchObject(DENIED)
    expect(await logOf(store)).toEqual(before)
  })

  it('does not write beside the revocation of its link', async () => {
    const { token, linkId } = await open({ intents: ['domain'] })
    const racing = iamOn(
      withAppend(store, async (append, send) => {
        if (append.writes.some(({ stream }) => stream.startsWith('domain-')))
          await good(iam.setupLinks.revoke({ linkId }, context))
        return send(append)
      }),
      { now: () => now, domains },
    )
    const { caller } = await good(racing.setupLinks.redeem({ token }))
    expect(await refusal(racing.domains.add({ domain: 'acme.example' }, { caller }))).toMatchObject(
      DENIED,
    )
    expect((await logOf(store)).map(({ type }) => type)).not.toContain('domain.added')
  })
})

describe('setupLinks.confirmDraft', () => {
  it('counts for the open links of the provider alone', async () => {
    const { idpId, linkId, token } = await open({ intents: ['provider'] })
    const named = await open({ intents: ['provider'], idpId: 'corp' })
    const ofDraft = (id: string, orgId = 'acme') =>
      good(iam.setupLinks.ofDraft({ orgId, idpId: id }))
    expect(await ofDraft(idpId)).toEqual([{ linkId }])
    expect(await ofDraft('corp')).toEqual([{ linkId: named.linkId }])
    expect(await ofDraft(named.linkId)).toEqual([])
    expect(await ofDraft(idpId, 'globex')).toEqual([])
    const passed = { orgId: 'acme', idpId, check: 'test', sequence: 5n } as const
    expect(await good(iam.setupLinks.confirmDraft(passed))).toEqual([{ linkId }])
    const length = (await logOf(store)).length
    await good(iam.setupLinks.confirmDraft(passed))
    expect((await logOf(store)).length).toBe(length)
    await good(iam.setupLinks.complete({ token }))
    expect(await good(iam.setupLinks.confirmDraft(passed))).toEqual([])
  })

  it.each([
    [{ check: 'other' }, 'check'],
    [{ sequence: 5 }, 'sequence'],
    [{ idpId: '' }, 'idpId'],
    [{ orgId: undefined }, 'orgId'],
  ])('refuses %j', async (wrong, field) => {
    const input = { orgId: 'acme', idpId: 'corp', check: 'test', sequence: 5n, ...wrong }
    expect(await refusal(iam.setupLinks.confirmDraft(input as never))).toMatchObject({
      kind: 'InvalidArgument',
      violations: [{ field }],
    })
  })
})

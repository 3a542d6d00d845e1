import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createIam, type IamOptions } from '../../../src/index.js'
import { fetchHandler } from '../../../src/transport/index.js'
import {
  badFields,
  context,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  oidc,
  oldCipher,
  refusal,
  start,
  startOfTime,
  withAppend,
} from '../host.js'

let iam: Iam
let store: ReturnType<typeof start>['store']
let now: Date

beforeEach(() => {
  now = startOfTime
  ;({ iam, store } = start({ now: () => now }))
})

const MINUTE = 60_000
const expiresAt = new Date(startOfTime.getTime() + MINUTE)
const REFUSED = { kind: 'Unauthenticated' }

const issue = (intents: readonly ('domain' | 'provider' | 'groups')[] = ['domain', 'provider']) =>
  good(iam.setupLinks.issue({ expiresAt, intents }, context))

const redeem = (token: string) => iam.setupLinks.redeem({ token })

const eventsIn = async () => (await logOf(store)).map(({ type }) => type)

describe('setupLinks.issue', () => {
  it('returns an id and a token of 256 bits, and the log has only its hash', async () => {
    const hooked: unknown[] = []
    const record = (seen: unknown) => hooked.push(seen)
    const hooks = { onCall: record, onAppend: record, onConflict: record, onFault: record }
    const { linkId, token, events, details } = await good(
      iamOn(store, { hooks, now: () => now }).setupLinks.issue(
        { expiresAt, intents: ['groups'], note: 'For Ada' },
        context,
      ),
    )
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const tokenHash = createHash('sha256').update(token).digest('base64url')
    expect(events.map(({ stream, data }) => ({ stream, data }))).toEqual([
      {
        stream: `setup_link_token-${tokenHash}`,
        data: { tokenHash, orgId: 'acme', linkId },
      },
      {
        stream: `setup_link-acme+${linkId}`,
        data: { linkId, expiresAt: expiresAt.toISOString(), intents: ['groups'], note: 'For Ada' },
      },
    ])
    const link = await good(iam.setupLinks.get({ linkId }, context))
    expect(link).toEqual({
      linkId,
      state: 'issued',
      intents: ['groups'],
      expiresAt,
      note: 'For Ada',
      details,
    })
    const history = await good(iam.history.list({}, context))
    expect(history.items).toHaveLength(1)
    const seen = [await logOf(store), link, history, hooked]
    const shown = JSON.stringify(seen, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(shown).not.toContain(token)
    expect(JSON.stringify([link, history], (_, value) => String(value))).not.toContain(tokenHash)
  })

  it('draws another token each time', async () => {
    expect((await issue()).token).not.toBe((await issue()).token)
  })

  it('refuses an idempotency key, since a repeat could not answer the token', async () => {
    const keyed = { ...context, idempotencyKey: 'k' }
    const input = { expiresAt, intents: ['domain'] } as const
    expect(await badFields(iam.setupLinks.issue(input, keyed))).toEqual(['idempotencyKey'])
  })

  it('records nothing in a dry run, and answers no token', async () => {
    const planned = await good(
      iam.setupLinks.issue({ expiresAt, intents: ['domain'] }, { ...context, dryRun: true }),
    )
    expect(planned).not.toHaveProperty('token')
    expect(planned.changes).toEqual([
      { field: 'intents', from: undefined, to: ['domain'] },
      { field: 'state', from: undefined, to: 'issued' },
      { field: 'expiresAt', from: undefined, to: expiresAt.toISOString() },
    ])
    expect(await eventsIn()).toEqual([])
  })

  it.each([
    [{ expiresAt: startOfTime, intents: ['domain'] }, 'expiresAt'],
    [{ expiresAt: '2999-01-01T00:00:00Z', intents: ['domain'] }, 'expiresAt'],
    [{ intents: ['domain'] }, 'expiresAt'],
    [{ expiresAt: new Date(Date.UTC(10_000, 0)), intents: ['domain'] }, 'expiresAt'],
    [{ expiresAt, intents: [] }, 'intents'],
    [{ expiresAt, intents: ['domain', 'domain'] }, 'intents[1]'],
    [{ expiresAt, intents: ['users'] }, 'intents[0]'],
    [{ expiresAt, intents: ['domain'], note: '' }, 'note'],
    [{ expiresAt, intents: ['domain'], permissions: ['project.write'] }, 'permissions'],
  ])('refuses %j', async (input, field) => {
    expect(await badFields(iam.setupLinks.issue(input as never, context))).toEqual([field])
  })
})

describe('setupLinks.redeem', () => {
  it('answers the caller of a link, and records the first use in its name', async () => {
    const { linkId, token } = await issue()
    const redeemed = await good(redeem(token))
    expect(redeemed).toEqual({
      orgId: 'acme',
      linkId,
      intents: ['domain', 'provider'],
      expiresAt,
      idpId: linkId,
      passed: {},
      caller: {
        userId: `setup-link:${linkId}`,
        orgId: 'acme',
        permissions: [
          'domain.read',
          'domain.write',
          'identity_provider.read',
          'identity_provider.write',
        ],
      },
    })
    expect(await good(redeem(token))).toEqual(redeemed)
    const history = await good(
      iam.history.list({ object: { type: 'setup_link', linkId } }, context),
    )
    expect(history.items.map(({ type, actor, changes }) => ({ type, actor, changes }))).toEqual([
      expect.objectContaining({ type: 'setup_link.issued' }),
      {
        type: 'setup_link.used',
        actor: { userId: `setup-link:${linkId}`, orgId: 'acme' },
        changes: [{ field: 'state', from: 'issued', to: 'used' }],
      },
    ])
    expect(await good(iam.setupLinks.get({ linkId }, context))).toMatchObject({ state: 'used' })
  })

  it('refuses an expired, revoked, completed or unknown link with one and the same answer', async () => {
    const [revoked, completed, expired] = [await issue(), await issue(), await issue()]
    await good(redeem(revoked.token))
    await good(iam.setupLinks.revoke({ linkId: revoked.linkId }, context))
    expect(await good(iam.setupLinks.complete({ token: completed.token }))).toEqual({
      linkId: completed.linkId,
    })
    await good(redeem(expired.token))
    expect(await refusal(redeem(revoked.token))).toEqual(REFUSED)
    expect(await refusal(redeem(completed.token))).toEqual(REFUSED)
    now = expiresAt
    const others = ['', 'x', 'x'.repeat(1_000_000), `${expired.token}A`, `${expired.token}=`]
    for (const token of [expired.token, revoked.token, completed.token, ...others]) {
      expect(await refusal(redeem(token))).toEqual(REFUSED)
      expect(await refusal(iam.setupLinks.complete({ token }))).toEqual(REFUSED)
    }
    for (const linkId of [revoked.linkId, completed.linkId])
      expect(await refusal(redeem(linkId))).toEqual(REFUSED)
    expect(await good(iam.setupLinks.list({}, context))).toMatchObject({
      totalSize: 3,
    })
  })

  it('opens a link that expires at the end of the year 9999', async () => {
    const last = new Date(Date.UTC(10_000, 0) - 1)
    const { token } = await good(
      iam.setupLinks.issue({ expiresAt: last, intents: ['domain'] }, context),
    )
    expect(await good(redeem(token))).toMatchObject({ expiresAt: last })
  })

  it.each([undefined, null, 5, {}])('refuses the token %j as malformed', async (token) => {
    expect(await badFields(iam.setupLinks.redeem({ token } as never))).toEqual(['token'])
  })

  it('opens no link for a revocation that was recorded right before', async () => {
    const { linkId, token } = await issue()
    let isFirst = true
    const racing = iamOn(
      withAppend(store, async (append, send) => {
        if (isFirst) {
          isFirst = false
          await good(iamOn(store).setupLinks.revoke({ linkId }, context))
        }
        return send(append)
      }),
      { now: () => now },
    )
    expect(await refusal(racing.setupLinks.redeem({ token }))).toEqual(REFUSED)
    expect(await eventsIn()).toEqual([
      'setup_link_token.claimed',
      'setup_link.issued',
      'setup_link.revoked',
    ])
  })

  it('sees what another process has revoked', async () => {
    const { linkId, token } = await issue()
    await good(redeem(token))
    await good(iamOn(store).setupLinks.revoke({ linkId }, context))
    expect(await refusal(redeem(token))).toEqual(REFUSED)
  })
})

describe('The caller of a link', () => {
  const asked: unknown[] = []
  const open = (authorize: IamOptions['authorize']) =>
    createIam({ store, secrets: oldCipher, authorize, now: () => now, domains: {} })

  it('may do what the intents allow, without asking the host', async () => {
    const { token } = await issue(['provider'])
    const strict = open((question) => {
      asked.push(question)
      return false
    })
    const { caller, idpId } = await good(strict.setupLinks.redeem({ token }))
    await good(strict.identityProviders.addOidc({ ...oidc, idpId }, { caller }))
    expect(asked).toEqual([])
    const generous = open(() => true)
    const widened = await good(generous.setupLinks.redeem({ token }))
    const within = { caller: widened.caller }
    expect(await good(generous.access.permissions({}, within))).toEqual({
      permissions: ['identity_provider.read', 'identity_provider.write'],
    })
    for (const refused of [
      generous.projects.add({ name: 'p' }, within),
      generous.setupLinks.issue({ expiresAt, intents: ['domain'] }, within),
      generous.setupLinks.list({}, within),
      generous.domains.list({}, within),
      generous.history.list({}, within),
      generous.identityProviders.revealClientSecret({ idpId: oidc.idpId }, within),
      generous.identityProviders.list({}, { ...within, orgId: 'globex' }),
    ])
      expect(await refusal(refused)).toMatchObject({ kind: 'PermissionDenied' })
  })

  it('cannot be given more: it is frozen, and a copy is for the host to judge', async () => {
    const { token } = await issue(['provider'])
    const strict = open(() => false)
    const { caller } = await good(strict.setupLinks.redeem({ token }))
    expect(Object.isFrozen(caller)).toBe(true)
    expect(Object.isFrozen(caller.permissions)).toBe(true)
    const copy = { caller: { ...caller, permissions: ['project.write'] as const } }
    expect(await refusal(strict.projects.add({ name: 'p' }, copy))).toMatchObject({
      kind: 'PermissionDenied',
    })
    expect(
      await refusal(strict.identityProviders.list({}, { caller: { ...caller } })),
    ).toMatchObject({ kind: 'PermissionDenied' })
  })

  it('is the same behind the transport', async () => {
    const { token } = await issue(['provider'])
    const strict = open(() => false)
    const handler = fetchHandler(strict, {
      authenticate: async (header) => {
        const redeemed = await strict.setupLinks.redeem({
          token: header.get('authorization') ?? '',
        })
        return redeemed.isOk() ? redeemed.value.caller : undefined
      },
    })
    const status = async (authorization: string, path: string) =>
      (await handler(new Request(`http://x${path}`, { headers: { authorization } }))).status
    expect(await status(token, '/v1/idps/_search')).not.toBe(401)
    expect(await status(token, '/v1/permissions')).toBe(200)
    expect(await status(token, '/v1/domains')).toBe(403)
    expect(await status('x', '/v1/permissions')).toBe(401)
  })
})

describe('setupLinks.list', () => {
  it('lists the links of the organization, by state and note', async () => {
    const { linkId } = await issue()
    await good(iam.setupLinks.issue({ expiresAt, intents: ['groups'], note: 'b' }, context))
    await good(iam.setupLinks.issue({ expiresAt, intents: ['groups'] }, inGlobex))
    await good(iam.setupLinks.revoke({ linkId }, context))
    const listed = async (filter: object) =>
      (await good(iam.setupLinks.list({ filter }, context))).items.map(({ state, note }) => [
        state,
        note,
      ])
    expect(await listed({ state: 'revoked' })).toEqual([['revoked', undefined]])
    expect(await listed({ note: { equals: 'b' } })).toEqual([['issued', 'b']])
    expect(await listed({})).toHaveLength(2)
  })

  it('gives each reader a time of its own', async () => {
    const { linkId } = await issue()
    const { expiresAt: own } = await good(iam.setupLinks.get({ linkId }, context))
    own.setTime(0)
    expect(await good(iam.setupLinks.get({ linkId }, context))).toMatchObject({ expiresAt })
  })
})

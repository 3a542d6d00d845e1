import { orThrow } from 'claviger'
import { type ConsoleOptions, consoleHandler } from 'claviger/console'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openScimHost } from './scim-host.js'

let host: Awaited<ReturnType<typeof openScimHost>>
beforeAll(async () => {
  host = await openScimHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  for (const [orgId, idpId] of [
    ['acme', 'entra'],
    ['acme', 'okta'],
    ['globex', 'other'],
  ] as const)
    for (const { id } of (await host.tokens.list({ orgId, idpId })).tokens)
      await host.tokens.revoke({ orgId, idpId }, id)
})

/** Asks as a caller of the console, or by the token of a link. */
const ask = async (who: string, method: string, query: string) => {
  const isLink = who.length > 20
  const headers = isLink ? { authorization: `Bearer ${who}` } : { cookie: `who=${who}` }
  const path = `${isLink ? '/set-up' : '/admin'}/api/scim?${query}`
  const response = await host.console(
    new Request(`https://app.example${path}`, { method, headers }),
  )
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const idsOf = async (idpId = 'entra', orgId = 'acme') =>
  (await host.tokens.list({ orgId, idpId })).tokens.map(({ id }) => id)

describe('the console', () => {
  it('issues a token, shows it once, and ends it', async () => {
    const issued = await ask('admin', 'POST', 'idp_id=entra')
    expect(issued.status).toBe(200)
    expect(issued.headers.get('cache-control')).toBe('no-store')
    const token = String(issued.body.token)
    expect(await host.push(token, 'GET', '/Users')).toBe(200)
    await host.push(token, 'POST', '/Users')
    const { body } = await ask('admin', 'GET', 'idp_id=entra')
    const [id] = await idsOf()
    expect(body).toEqual({
      url: 'https://app.example/scim/v2',
      tokens: [{ id, createdAt: expect.any(String), lastUsedAt: expect.any(String) }],
      refusals: [
        {
          at: expect.any(String),
          method: 'POST',
          path: '/scim/v2/Users',
          status: 400,
          detail: 'userName is missing',
        },
      ],
    })
    expect(JSON.stringify(body)).not.toContain(token.split('.')[1])
    expect((await ask('admin', 'DELETE', `idp_id=entra&id=${id}`)).status).toBe(200)
    expect(await host.push(token, 'GET', '/Users')).toBe(401)
  })

  it('lets those see who may read the provider, and nobody else', async () => {
    expect((await ask('reader', 'GET', 'idp_id=entra')).status).toBe(200)
    expect((await ask('nobody', 'GET', 'idp_id=entra')).status).toBe(403)
    expect((await ask('globex', 'GET', 'idp_id=entra')).status).toBe(404)
    expect((await ask('admin', 'GET', 'idp_id=nothing')).status).toBe(404)
    expect((await ask('stranger', 'GET', 'idp_id=entra')).status).toBe(401)
  })

  it.each(['reader', 'nobody', 'globex', 'stranger'])('changes nothing for %s', async (who) => {
    await ask('admin', 'POST', 'idp_id=entra')
    const [id = ''] = await idsOf()
    const statuses = [
      (await ask(who, 'POST', 'idp_id=entra')).status,
      (await ask(who, 'DELETE', `idp_id=entra&id=${id}`)).status,
    ]
    expect(statuses.every((status) => [401, 403, 404].includes(status))).toBe(true)
    expect(await idsOf()).toEqual([id])
  })

  it('issues tokens for a provider that code declares, and changes nothing of it', async () => {
    const { iam, admin } = host
    const before = await orThrow(iam.identityProviders.get({ idpId: 'entra' }, admin))
    expect((await ask('admin', 'POST', 'idp_id=entra')).status).toBe(200)
    expect(await orThrow(iam.identityProviders.get({ idpId: 'entra' }, admin))).toEqual(before)
    const { name, issuer, clientId, scopes } = before
    const identityProviders = [{ idpId: 'entra', name, issuer, clientId, scopes }]
    const desired = { managedBy: 'repo', protect: true, identityProviders }
    await orThrow(iam.apply(desired, admin))
    const now = await orThrow(iam.identityProviders.get({ idpId: 'entra' }, admin))
    expect(now.protectedBy).toBe('repo')
    expect((await ask('admin', 'POST', 'idp_id=entra')).status).toBe(200)
    expect((await ask('reader', 'POST', 'idp_id=entra')).status).toBe(403)
  })

  it('answers no token when a provider has all that it may have', async () => {
    for (let count = 0; count < 5; count++)
      expect((await ask('admin', 'POST', 'idp_id=okta')).body.token).toBeDefined()
    expect((await ask('admin', 'POST', 'idp_id=okta')).body).toEqual({})
  })

  it('says nothing of SCIM where the host has none', async () => {
    const handler = consoleHandler(host.iam, { authenticate: () => host.admin.caller })
    const response = await handler(new Request('https://app.example/api/scim?idp_id=entra'))
    expect(await response.json()).toEqual({})
  })

  it.each<[string, unknown]>([
    ['no URL', { tokens: {} }],
    ['a path', { url: '/scim', tokens: {} }],
    ['no tokens', { url: 'https://app.example/scim' }],
    ['other tokens', { url: 'https://app.example/scim', tokens: { list: () => [] } }],
  ])('refuses the option with %s', (_, scim) => {
    const options = { authenticate: () => undefined, scim } as ConsoleOptions
    expect(() => consoleHandler(host.iam, options)).toThrow('scim must be { url, tokens }')
  })
})

describe('a set-up link', () => {
  const linkFor = async (
    intents: readonly ('domain' | 'provider' | 'groups')[],
    idpId?: string,
  ): Promise<{ token: string; linkId: string }> => {
    const expiresAt = new Date(Date.now() + 60_000)
    const input = { expiresAt, intents, ...(idpId && { idpId }) }
    return orThrow(host.iam.setupLinks.issue(input, host.admin))
  }
  const addDraft = async (token: string) => {
    const { caller, idpId } = await orThrow(host.iam.setupLinks.redeem({ token }))
    const provider = { idpId, name: 'Draft', ...host.client }
    await orThrow(host.iam.identityProviders.addOidc(provider, { caller }))
    return idpId
  }

  it('issues a token for the provider that it added, which only reads until that is on', async () => {
    const { token } = await linkFor(['provider'])
    const idpId = await addDraft(token)
    const issued = await ask(token, 'POST', `idp_id=${idpId}`)
    expect(issued.status).toBe(200)
    const pushed = String(issued.body.token)
    expect(await host.push(pushed, 'GET', '/Users')).toBe(200)
    expect(await host.push(pushed, 'POST', '/Users')).toBe(403)
    const [id] = await idsOf(idpId)
    expect((await ask(token, 'GET', `idp_id=${idpId}`)).body).toMatchObject({
      tokens: [{ id }],
      refusals: [{ detail: 'The identity provider is not switched on' }],
    })
    expect((await ask(token, 'DELETE', `idp_id=${idpId}&id=${id}`)).status).toBe(200)
    expect(await idsOf(idpId)).toEqual([])
  })

  it('neither sees nor changes tokens of another provider', async () => {
    const other = await linkFor(['provider'])
    const otherId = await addDraft(other.token)
    await host.tokens.issue({ orgId: 'acme', idpId: otherId })
    await ask('admin', 'POST', 'idp_id=entra')
    const { token } = await linkFor(['provider', 'groups'])
    await addDraft(token)
    for (const idpId of ['entra', otherId]) {
      const [id] = await idsOf(idpId)
      for (const [method, more] of [
        ['GET', ''],
        ['POST', ''],
        ['DELETE', `&id=${id}`],
      ] as const)
        expect((await ask(token, method, `idp_id=${idpId}${more}`)).status).toBe(403)
      expect(await idsOf(idpId)).toEqual([id])
    }
  })

  it.each([
    ['that is active, though the link names it', ['groups'], 'okta', 403],
    ['without the intent', ['domain'], undefined, 403],
    ['that is not there yet', ['provider'], undefined, 404],
  ] as const)('issues no token for a provider %s', async (_, intents, named, status) => {
    const { token, linkId } = await linkFor(intents, named)
    const idpId = named ?? linkId
    expect((await ask(token, 'POST', `idp_id=${idpId}`)).status).toBe(status)
    expect(await idsOf(idpId)).toEqual([])
  })

  it('issues none for its provider once code declares it', async () => {
    const { iam, admin } = host
    const { token } = await linkFor(['provider'])
    const idpId = await addDraft(token)
    const { name, issuer, clientId, scopes } = await orThrow(
      iam.identityProviders.get({ idpId }, admin),
    )
    const identityProviders = [{ idpId, name, issuer, clientId, scopes }]
    await orThrow(iam.apply({ managedBy: 'link', protect: true, identityProviders }, admin))
    expect((await ask(token, 'POST', `idp_id=${idpId}`)).status).toBe(409)
    expect(await idsOf(idpId)).toEqual([])
  })

  it('issues none once it has ended', async () => {
    const { token } = await linkFor(['provider'])
    const idpId = await addDraft(token)
    await orThrow(host.iam.setupLinks.complete({ token }))
    expect((await ask(token, 'POST', `idp_id=${idpId}`)).status).toBe(401)
    expect(await idsOf(idpId)).toEqual([])
  })
})

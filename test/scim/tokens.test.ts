import { orThrow } from 'claviger'
import { memoryScimRecords, type ScimRecords, scimHandler, scimTokens } from 'claviger/scim'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { admin, members, openHost, patchOf, userTable } from './host.js'

/** A host that issues tokens, and how a directory sends requests with one. */
const opened = async (records: ScimRecords = memoryScimRecords()) => {
  const host = await openHost()
  const permissions = [...(host.place('entra').caller.permissions ?? []), 'identity_provider.read']
  const tokens = scimTokens(host.iam, {
    records,
    placeOf: ({ orgId, idpId }) => ({
      orgId,
      idpId,
      caller: { userId: `scim-${orgId}`, orgId, permissions: permissions as never },
    }),
  })
  const { authenticate, onRefused } = tokens
  const { users } = userTable(['ada', 'bo'])
  const handler = scimHandler(host.iam, { authenticate, onRefused, users, records })
  const send = async (token: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await handler(new Request(`https://app.example${path}`, request))
    return response.status
  }
  const directory = (name = 'entra') => {
    const { orgId, idpId } = host.place(name)
    return { orgId, idpId }
  }
  const issue = async (name?: string): Promise<string> =>
    (await tokens.issue(directory(name))) ?? expect.fail('no token')
  return { ...host, tokens, send, directory, issue }
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-29T08:00:00Z'), toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a token', () => {
  it('speaks for its provider alone, until it is revoked', async () => {
    const { tokens, send, directory, issue, map, has } = await opened()
    await map('finance')
    await map('staff', 'auditor', 'okta')
    const [entra, okta] = [await issue(), await issue('okta')]
    const push = (token: string, displayName: string) =>
      send(token, 'POST', '/Groups', { displayName, members: members('ada') })
    expect(await push(okta, 'finance')).toBe(201)
    expect(await has('ada')).toBe(false)
    expect(await push(entra, 'finance')).toBe(201)
    expect(await has('ada')).toBe(true)
    const [shown] = (await tokens.list(directory())).tokens
    await tokens.revoke(directory('okta'), shown?.id ?? '')
    expect(await send(entra, 'GET', '/Groups')).toBe(200)
    await tokens.revoke(directory(), shown?.id ?? '')
    expect(await send(entra, 'GET', '/Groups')).toBe(401)
    expect(await send(okta, 'GET', '/Groups')).toBe(200)
    expect((await tokens.list(directory())).tokens).toEqual([])
  })

  it('is stored as a hash alone, and is made of its provider and a secret', async () => {
    const written: string[] = []
    const memory = memoryScimRecords()
    const { issue, send, store, tokens, directory } = {
      ...(await opened({
        ...memory,
        write: (at, key, record) => {
          written.push(key, record.value)
          return memory.write(at, key, record)
        },
      })),
      store: written,
    }
    const token = await issue()
    await send(token, 'GET', '/Users/nobody')
    const secret = token.split('.')[1] ?? ''
    expect(secret).toMatch(/^[\da-f]{64}$/)
    expect(token).toMatch(/^[\w+/.]+$/)
    expect(store.join()).not.toContain(secret)
    expect(JSON.stringify(await tokens.list(directory()))).not.toContain(secret)
    expect(await issue()).not.toBe(token)
  })

  it.each([
    ['no token', ''],
    ['another scheme', 'Basic abc'],
    ['a text', 'Bearer abc'],
    ['a secret alone', `Bearer ${'0'.repeat(64)}`],
    ['an unknown provider', `Bearer scim_${btoa('acme nothing')}.${'0'.repeat(64)}`],
    ['one id', `Bearer scim_${btoa('acme').replaceAll('=', '')}.${'0'.repeat(64)}`],
    ['ids with NUL', `Bearer scim_${btoa('ac\0me x').replaceAll('=', '')}.${'0'.repeat(64)}`],
    ['no base64', `Bearer scim_a.${'0'.repeat(64)}`],
    ['a long text', `Bearer scim_${'a'.repeat(100_000)}.${'0'.repeat(64)}`],
  ])('is refused when it is %s', async (_, authorization) => {
    const memory = memoryScimRecords()
    const read: ScimRecords['read'] = (at, key) => {
      expect([at.orgId, at.idpId, key].join('')).not.toContain('\0')
      return memory.read(at, key)
    }
    const { tokens, issue } = await opened({ ...memory, read })
    await issue()
    const { signal } = new AbortController()
    expect(await tokens.authenticate(new Headers({ authorization }), signal)).toBeUndefined()
  })

  it('is refused with the secret of another, and with the ids of another', async () => {
    const { send, issue } = await opened()
    const [entra, globex] = [await issue(), await issue('globex')]
    const [ids, secret] = [entra.split('.')[0], globex.split('.')[1]]
    expect(await send(`${ids}.${secret}`, 'GET', '/Users')).toBe(401)
    expect(await send(`${globex.split('.')[0]}.${entra.split('.')[1]}`, 'GET', '/Users')).toBe(401)
  })

  it('names organizations and providers whatever their characters', async () => {
    const { tokens } = await opened()
    const odd = { orgId: 'globex', idpId: 'x:@~-._Y' }
    const token = (await tokens.issue(odd)) ?? ''
    expect(token).toMatch(/^[\w+/.]+$/)
    const headers = new Headers({ authorization: `Bearer ${token}` })
    // It was found: what is missing is the provider.
    const found = tokens.authenticate(headers, new AbortController().signal)
    await expect(found).resolves.toBeUndefined()
    expect((await tokens.list(odd)).tokens).toHaveLength(1)
  })

  it('decides the provider, whatever placeOf returns', async () => {
    const { iam, place } = await opened()
    const records = memoryScimRecords()
    const { authenticate, issue: issueFor } = scimTokens(iam, {
      records,
      placeOf: () => ({
        ...place('okta'),
        caller: { ...admin(), permissions: ['identity_provider.read'] },
      }),
    })
    const { orgId, idpId } = place('entra')
    const headers = new Headers({ authorization: `Bearer ${await issueFor({ orgId, idpId })}` })
    expect(await authenticate(headers, new AbortController().signal)).toMatchObject({
      orgId,
      idpId,
    })
  })

  it('may be one of five', async () => {
    const { tokens, directory, issue, send } = await opened()
    const all: string[] = []
    for (let count = 0; count < 5; count++) all.push(await issue())
    expect(await tokens.issue(directory())).toBeUndefined()
    for (const token of all) expect(await send(token, 'GET', '/Users')).toBe(200)
    const [first] = (await tokens.list(directory())).tokens
    await tokens.revoke(directory(), first?.id ?? '')
    expect(await tokens.issue(directory())).toBeDefined()
    expect(await send(all[0] ?? '', 'GET', '/Users')).toBe(401)
    const atOnce = await Promise.all(
      Array.from({ length: 20 }, () => tokens.issue(directory('okta'))),
    )
    expect(atOnce.filter(Boolean)).toHaveLength(5)
  })

  it('tells when it was last used, to a minute', async () => {
    let writes = 0
    const memory = memoryScimRecords()
    const write: ScimRecords['write'] = (...given) => {
      writes++
      return memory.write(...given)
    }
    const { tokens, directory, issue, send } = await opened({ ...memory, write })
    const token = await issue()
    const used = async () => (await tokens.list(directory())).tokens[0]?.lastUsedAt?.toISOString()
    expect(await used()).toBeUndefined()
    await send(token, 'GET', '/Users')
    expect(await used()).toBe('2026-11-29T08:00:00.000Z')
    const before = writes
    vi.setSystemTime(new Date('2026-11-29T08:00:59Z'))
    for (let count = 0; count < 10; count++) await send(token, 'GET', '/Users')
    expect([await used(), writes]).toEqual(['2026-11-29T08:00:00.000Z', before])
    vi.setSystemTime(new Date('2026-11-29T08:01:00Z'))
    await send(token, 'GET', '/Users')
    expect(await used()).toBe('2026-11-29T08:01:00.000Z')
  })

  it('is not revived by a request that came before its end', async () => {
    const memory = memoryScimRecords()
    let between: (() => Promise<void>) | undefined
    const { tokens, directory, issue, send } = await opened({
      ...memory,
      write: async (...given) => {
        const staged = between
        between = undefined
        await staged?.()
        return memory.write(...given)
      },
    })
    const token = await issue()
    const [shown] = (await tokens.list(directory())).tokens
    between = () => tokens.revoke(directory(), shown?.id ?? '')
    await send(token, 'GET', '/Users')
    expect(between).toBeUndefined()
    expect((await tokens.list(directory())).tokens).toEqual([])
    expect(await send(token, 'GET', '/Users')).toBe(401)
  })
})

describe('a provider', () => {
  it('that was removed is known by no token', async () => {
    const { iam, directory, issue, send } = await opened()
    const token = await issue()
    const { idpId } = directory()
    await orThrow(iam.identityProviders.remove({ idpId }, { caller: admin() }))
    expect(await send(token, 'GET', '/Users')).toBe(401)
  })

  it('that is not switched on may be tested, and changes nothing', async () => {
    const { iam, directory, issue, send, map, has, tokens } = await opened()
    await map('finance')
    const token = await issue()
    await send(token, 'POST', '/Groups', { displayName: 'finance', members: members('ada') })
    const { idpId } = directory()
    const roles = [{ roleKey: 'auditor' }]
    const caller = { ...admin(), permissions: ['user.grant.write', 'user.grant.read'] as const }
    const given = { userId: 'bo', projectId: 'invoicing', roles }
    await orThrow(iam.userGrants.add(given, { caller }))
    await orThrow(iam.identityProviders.deactivate({ idpId }, { caller: admin() }))
    expect(await send(token, 'GET', '/Users?filter=userName eq "ada"')).toBe(200)
    expect(await send(token, 'DELETE', '/Users/bo')).toBe(403)
    const off = patchOf({ op: 'replace', path: 'active', value: false })
    expect(await send(token, 'PATCH', '/Users/bo', off)).toBe(403)
    expect(await has('bo', 'auditor')).toBe(true)
    const [last] = (await tokens.list(directory())).refusals
    expect(last?.detail).toBe('The identity provider is not switched on')
    await orThrow(iam.identityProviders.reactivate({ idpId }, { caller: admin() }))
    expect(await send(token, 'PATCH', '/Users/bo', off)).toBe(200)
    expect([await has('bo', 'auditor'), await has('ada')]).toEqual([false, true])
  })
})

describe('refusals', () => {
  it('are kept by provider, the last ten, without what a directory only looks for', async () => {
    const { tokens, directory, issue, send } = await opened()
    const [token, okta] = [await issue(), await issue('okta')]
    expect(await send(token, 'GET', '/Users/nobody')).toBe(404)
    expect(await send('wrong', 'GET', '/Users')).toBe(401)
    expect((await tokens.list(directory())).refusals).toEqual([])
    for (let count = 0; count < 12; count++) {
      vi.setSystemTime(new Date(Date.parse('2026-11-29T09:00:00Z') + count * 1000))
      await send(token, 'PATCH', `/Groups/${count}`, patchOf())
    }
    await send(okta, 'POST', '/Users', { userName: '' })
    const { refusals } = await tokens.list(directory())
    expect(refusals.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, index) => `/Groups/${11 - index}`),
    )
    expect(refusals[0]).toEqual({
      at: new Date('2026-11-29T09:00:11Z'),
      method: 'PATCH',
      path: '/Groups/11',
      status: 404,
      detail: 'No such resource',
    })
    expect((await tokens.list(directory('okta'))).refusals).toMatchObject([{ status: 400 }])
  })

  it('are cut to what a page can show', async () => {
    const { tokens, directory, issue, send } = await opened()
    await send(await issue(), 'DELETE', `/Users/${'x'.repeat(5_000)}`)
    const [first] = (await tokens.list(directory())).refusals
    expect(first?.path).toHaveLength(300)
  })
})

it('scimTokens refuses options that it does not know', async () => {
  const { iam } = await openHost()
  const records = memoryScimRecords()
  const placeOf = () => expect.fail()
  expect(() => scimTokens(iam, { records, placeOf, more: 1 } as never)).toThrow(TypeError)
  expect(() => scimTokens(iam, { records } as never)).toThrow('placeOf must be a function')
  expect(() => scimTokens(iam, { records: {}, placeOf } as never)).toThrow('read, write and list')
})

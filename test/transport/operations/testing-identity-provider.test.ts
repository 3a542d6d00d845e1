import { fetchHandler, type IdentityProviderTest } from 'claviger/transport'
import { err, ok } from 'neverthrow'
import { describe, expect, it, vi } from 'vitest'
import { foundIn, IDP_ID, openIam, transportOptions } from '../host.js'

const open = async (test: IdentityProviderTest | undefined) => {
  const { options, failures } = transportOptions()
  const handler = fetchHandler(await openIam(), { ...options, testIdentityProvider: test })
  const ask = async (idpId: string, token = 'admin') => {
    const headers = { authorization: `Bearer ${token}` }
    const url = `http://localhost/v1/idps/${idpId}:test`
    const answer = await handler(new Request(url, { method: 'POST', headers }))
    return { status: answer.status, text: await answer.text() }
  }
  return { ask, failures }
}

describe('A test of a provider on the network', () => {
  it('is asked for the organization of the caller', async () => {
    const test = vi.fn<IdentityProviderTest>(async (provider) => ok(foundIn(provider)))
    const { ask } = await open(test)
    const { status, text } = await ask(IDP_ID)
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual(foundIn({ orgId: 'acme', idpId: IDP_ID }))
    expect(test.mock.calls).toEqual([[{ orgId: 'acme', idpId: IDP_ID }]])
  })

  it.each([
    ['a provider that is not there', 'absent', 'admin', 404],
    ['a caller without permission', IDP_ID, 'guest', 403],
    ['no caller', IDP_ID, 'nobody', 401],
    ['an id that cannot be', 'a+b', 'admin', 400],
  ])('asks nobody for %s', async (_, idpId, token, status) => {
    const test = vi.fn<IdentityProviderTest>(async (provider) => ok(foundIn(provider)))
    const { ask } = await open(test)
    expect((await ask(idpId, token)).status).toBe(status)
    expect(test).not.toHaveBeenCalled()
  })

  it('says that the host has none, to callers with permission', async () => {
    const { ask } = await open(undefined)
    expect((await ask(IDP_ID, 'guest')).status).toBe(403)
    const { status, text } = await ask(IDP_ID)
    expect(status).toBe(409)
    expect(JSON.parse(text)).toMatchObject({
      code: 9,
      details: expect.arrayContaining([
        expect.objectContaining({ metadata: { option: 'testIdentityProvider' } }),
      ]),
    })
  })

  it('that the host cannot make is an unexpected error, whose cause is for the host alone', async () => {
    const { ask, failures } = await open(async () => err({ kind: 'ProviderInactive', canary: 1 }))
    const { status, text } = await ask(IDP_ID)
    expect(status).toBe(500)
    expect(text).not.toContain('ProviderInactive')
    expect(failures.map(({ cause }) => Reflect.get(Object(cause), 'cause'))).toEqual([
      { kind: 'ProviderInactive', canary: 1 },
    ])
  })

  it('is a function, where it is given', async () => {
    const iam = await openIam()
    const { options } = transportOptions()
    // Cast: what a host in JavaScript may give.
    const wrong = 'https://idp.example.com' as unknown as IdentityProviderTest
    expect(() => fetchHandler(iam, { ...options, testIdentityProvider: wrong })).toThrow(
      new TypeError('testIdentityProvider must be a function'),
    )
  })
})

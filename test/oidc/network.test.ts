import { describe, expect, it } from 'vitest'
import { isPrivateAddress } from '../../src/network/address.js'
import type { NetworkOptions } from '../../src/network/request.js'
import { askProvider } from '../../src/oidc/provider.js'

const ask = (href: string, options: Partial<NetworkOptions> = {}) =>
  askProvider({ fetch: async () => new Response('{}'), lookup: false, ...options })(href, {
    method: 'GET',
    headers: {},
    body: undefined,
    redirect: 'manual',
  })

describe('A request to a provider', () => {
  it.each([
    'http://idp.test/',
    'https://user@idp.test/',
    'https://localhost/',
    'https://a.localhost./',
    'https://127.1/',
    'https://0x7f000001/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://192.168.1.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[64:ff9b:1:a00:0:100:808:808]/',
    'https://[2002:a00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://192.88.99.1/',
    'https://[2001:0:a00:1::]/',
    'https://[2001:2::1]/',
    'https://[2001:20::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[2606:4700::5efe:10.0.0.1]/',
    'https://[2606:4700::200:5efe:10.0.0.1]/',
    'https://[fd00::5efe:8.8.8.8]/',
    'https://[fd12:3456::200:5efe:8.8.8.8]/',
    'https://[fe80::5efe:8.8.8.8]/',
    'https://[2001:db8::5efe:8.8.8.8]/',
    'https://[ff02::5efe:8.8.8.8]/',
  ])('is not made to %s', async (href) => {
    await expect(ask(href)).rejects.toMatchObject({ refusal: { reason: 'address' } })
  })

  it('is made to an address of the internet', async () => {
    expect((await ask('https://[2606:4700::1]/')).status).toBe(200)
    expect((await ask('https://[2606:4700::5efe:8.8.8.8]/')).status).toBe(200)
    expect(isPrivateAddress('8.8.8.8')).toBe(false)
  })

  it('is not made to a name of a private address', async () => {
    const lookup = async () => [{ address: '8.8.8.8' }, { address: '10.0.0.1' }]
    const asked = ask('https://idp.test/', { lookup })
    await expect(asked).rejects.toMatchObject({ refusal: { reason: 'address' } })
  })

  it.each(['idp.test', '127.1', '0x7f.0.0.1', '010.0.0.1', '8.8.8.256', 'g::1', '', undefined, 7])(
    'is not made when the look-up answers %s, which is no address',
    async (address) => {
      const asked = ask('https://idp.test/', { lookup: async () => [{ address }] as never })
      await expect(asked).rejects.toMatchObject({ refusal: { reason: 'address' } })
    },
  )

  it.each([
    ['redirect', async () => Response.redirect('https://idp.test/')],
    ['too_large', async () => new Response('x'.repeat(600_000))],
    ['timeout', () => new Promise<never>(() => {})],
    ['network', () => Promise.reject(new Error('canary'))],
  ])('is refused for %s', async (reason, fetch) => {
    const asked = ask('https://idp.test/', { fetch, timeout: 20 })
    await expect(asked).rejects.toMatchObject({ refusal: { reason } })
  })
})

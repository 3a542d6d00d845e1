import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { checkedFetch } from '../../docs/examples/sign-in/checked-fetch.js'

/** A name that leads to addresses of a test; the check before the request would have seen others. */
const addresses = vi.hoisted(() => new Map<string, readonly string[]>())
vi.mock('node:dns', () => ({
  lookup: (name: string, _: unknown, done: (error: null, found: readonly object[]) => void) =>
    done(
      null,
      (addresses.get(name) ?? []).map((address) => ({ address, family: 4 })),
    ),
}))

const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.headers.host ?? '')
  response.end('{}')
})
let port = 0
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['::ffff:127.0.0.1']]])(
  'makes no connection to a name that leads to %j',
  async (found) => {
    addresses.set('rebound.test', found)
    const answer = checkedFetch(`http://rebound.test:${port}/`, {})
    await expect(answer).rejects.toMatchObject({
      cause: { message: 'rebound.test has a private address' },
    })
    expect(asked).toEqual([])
  },
)

it('connects where an address stands in the URL, which the library checks', async () => {
  expect((await checkedFetch(`http://127.0.0.1:${port}/`, {})).status).toBe(200)
  expect(asked).toEqual([`127.0.0.1:${port}`])
})

it('keeps a sign-in from a provider whose name leads to this machine', async () => {
  addresses.set('rebound.test', ['127.0.0.1'])
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
  })
  const caller = { userId: 'sign-in', orgId: 'acme' }
  const issuer = `https://rebound.test:${port}`
  const idp = { idpId: 'own', name: 'Own', clientId: 'c', clientSecret: 's', issuer }
  await iam.identityProviders.addOidc(idp, { caller })
  const signIn = openIdSignIn({
    iam,
    caller,
    key: new Uint8Array(32),
    redirectUri: 'https://host.test/callback',
    fetch: checkedFetch,
    lookup: false,
  })
  const begun = await signIn.begin({ orgId: 'acme', idpId: 'own' })
  expect(begun._unsafeUnwrapErr()).toEqual({ kind: 'ProviderUnreachable', reason: 'network' })
})

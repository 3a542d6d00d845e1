import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type BetterAuthPlugin, betterAuth } from 'better-auth'
import { organization, phoneNumber } from 'better-auth/plugins'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { claviger } from 'claviger/better-auth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { as, type Browser, type Host, openHost, startProvider } from './host.js'

const ORIGIN = 'https://app.test'

let acme: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  acme = await startProvider('acme', ORIGIN, {
    ada: { email: 'ada@acme.example' },
    bo: { email: 'bo@acme.example', email_verified: false },
  })
})
afterAll(() => acme.close())

/** A host whose organization acme has one user, and a browser in which they have signed in. */
const withAda = async (auth: object = {}) => {
  const host = await openHost(ORIGIN, { auth })
  await host.addOrganization('acme', acme, { autoRegister: true })
  const ada = await host.addUser('acme', 'ada@acme.example', true)
  const browser = host.browser()
  expect((await browser.signIn('acme/sso', 'ada')).status).toBe(303)
  return { host, ada, browser }
}

const member = (host: Host, organizationId: string, userId: string) => {
  const data = { organizationId, userId, role: 'owner', createdAt: new Date() }
  return host.adapter.create({ model: 'member', data })
}

describe('callerOf', () => {
  const callerIn = (host: Host, browser: Browser) => host.callerOf(browser.headers())

  it('knows nobody without a session', async () => {
    const { host } = await withAda()
    expect(await host.callerOf(new Headers())).toBeUndefined()
    expect(await host.callerOf(new Headers({ cookie: 'a=b' }))).toBeUndefined()
  })

  it('knows a user of another sign-in by the active organization', async () => {
    const { host } = await withAda()
    const eve = host.browser()
    const body = { name: 'Eve', email: 'eve@host.example', password: 'correct horse battery' }
    await eve.send('POST', '/api/auth/sign-up/email', body)
    expect(await callerIn(host, eve)).toBeUndefined()
    const made = await eve.send('POST', '/api/auth/organization/create', {
      name: 'Initech',
      slug: 'initech',
    })
    const { id: orgId } = await made.json()
    expect(await callerIn(host, eve)).toMatchObject({ orgId })
  })

  it('forgets a user who is no longer a member', async () => {
    const { host, browser } = await withAda()
    const where = [{ field: 'organizationId', value: 'acme' }]
    await host.adapter.deleteMany({ model: 'member', where })
    expect(await callerIn(host, browser)).toBeUndefined()
  })

  it('keeps a session of a provider in its organization', async () => {
    const { host, ada, browser } = await withAda()
    const row = { id: 'globex', name: 'Globex', slug: 'globex', createdAt: new Date() }
    await host.adapter.create({ model: 'organization', data: row, forceAllowId: true })
    await member(host, 'globex', ada)
    const path = '/api/auth/organization/set-active'
    const moved = await browser.send('POST', path, { organizationId: 'globex' })
    expect(moved.status).toBe(200)
    expect(await callerIn(host, browser)).toBeUndefined()
    // Whoever sends it, the field of the session is not theirs.
    await browser.send('POST', '/api/auth/update-session', { signedInOrgId: 'globex' })
    expect(await callerIn(host, browser)).toBeUndefined()
    await browser.send('POST', path, { organizationId: 'acme' })
    expect(await callerIn(host, browser)).toEqual({ userId: ada, orgId: 'acme' })
  })

  it('asks the database, also when better-auth keeps sessions in a cookie', async () => {
    const session = { cookieCache: { enabled: true, maxAge: 300 } }
    const { host, ada, browser } = await withAda({ session })
    expect(await callerIn(host, browser)).toEqual({ userId: ada, orgId: 'acme' })
    await host.adapter.deleteMany({ model: 'session', where: [{ field: 'userId', value: ada }] })
    expect(await callerIn(host, browser)).toBeUndefined()
  })
})

describe('userDirectory', () => {
  const context = { ...as('acme'), orgId: 'acme' }

  it('finds members by a part of the name or address, and shows no address that is not verified', async () => {
    const { host, ada } = await withAda()
    await host.browser().signIn('acme/sso', 'bo')
    const described = { id: ada, name: 'ada@acme.example', email: 'ada@acme.example' }
    expect(await host.directory.find('ADA', context)).toEqual([described])
    expect(await host.directory.find('bo', context)).toMatchObject([{ name: 'bo (unverified)' }])
    expect(await host.directory.find('no.invalid', context)).toEqual([])
    expect(await host.directory.describe([ada, 'unknown'], context)).toEqual([described])
    expect(await host.directory.describe([], context)).toEqual([])
  })

  it('shows what a user calls themselves with the address that is theirs', async () => {
    const { host, ada, browser } = await withAda()
    await browser.send('POST', '/api/auth/update-user', { name: 'Chief (boss@acme.example)' })
    expect(await host.directory.describe([ada], context)).toMatchObject([
      { name: 'Chief (boss@acme.example) (ada@acme.example)' },
    ])
  })

  it('shows nobody of another organization', async () => {
    const { host, ada } = await withAda()
    const elsewhere = { ...as('globex'), orgId: 'globex' }
    expect(await host.directory.find('ada', elsewhere)).toEqual([])
    expect(await host.directory.describe([ada], elsewhere)).toEqual([])
  })

  it('finds the last of 1,201 members', async () => {
    const { host } = await withAda()
    for (let at = 0; at < 1_200; at++) await host.addUser('acme', `u${at}@acme.example`, true)
    expect(await host.directory.find('u1199@', context)).toHaveLength(1)
    expect((await host.directory.find('acme.example', context)).length).toBeGreaterThanOrEqual(20)
  })
})

it('Proving an address ends passkeys and telephone numbers that were there before', async () => {
  // As the plugins of better-auth for passkeys and for keys of programs keep them.
  const keys = {
    id: 'keys',
    schema: {
      passkey: { fields: { userId: { type: 'string' } } },
      apikey: { fields: { referenceId: { type: 'string' } } },
    },
  } satisfies BetterAuthPlugin
  const host = await openHost(ORIGIN, { more: [keys, phoneNumber()] })
  await host.addOrganization('acme', acme)
  const ada = await host.addUser('acme', 'ada@acme.example')
  const where = [{ field: 'id', value: ada }]
  await host.adapter.update({ model: 'user', where, update: { phoneNumber: '+1' } })
  await host.adapter.create({ model: 'passkey', data: { userId: ada } })
  await host.adapter.create({ model: 'passkey', data: { userId: 'other' } })
  await host.adapter.create({ model: 'apikey', data: { referenceId: ada } })
  expect((await host.browser().signIn('acme/sso', 'ada')).status).toBe(303)
  expect(await host.rows('passkey')).toMatchObject([{ userId: 'other' }])
  expect(await host.rows('apikey')).toEqual([])
  expect(await host.rows('user')).toMatchObject([{ phoneNumber: null, emailVerified: true }])
})

describe('The plugin', () => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
  })
  const options = { iam, key: new Uint8Array(32), caller: as('acme').caller }
  const startWith = (plugins: BetterAuthPlugin[], more: object = { baseURL: ORIGIN }) =>
    betterAuth({
      secret: 'at least thirty-two characters of ours',
      database: new DatabaseSync(':memory:'),
      logger: { disabled: true },
      plugins,
      ...more,
    }).$context

  it('is tested with the oldest version of its range, and with a newer one', async () => {
    const root = join(import.meta.dirname, '../..')
    const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
    const { BETTER_AUTH: name = 'better-auth' } = process.env
    const { version } = await startWith([organization(), claviger(options)])
    expect(version).toBe(read(`node_modules/${name}/package.json`).version)
    const oldest = read('node_modules/better-auth/package.json').version
    expect(read('package.json').peerDependencies['better-auth']).toBe(`^${oldest}`)
    expect(version === oldest).toBe(name === 'better-auth')
  })

  it('names options that are wrong', () => {
    const wrong = (given: object) => () => claviger({ ...options, ...given })
    expect(wrong({ onRefused: 5 })).toThrow('onRefused must be a function')
    expect(wrong({ callbackBase: `${ORIGIN}/callback` })).toThrow('callbackBase')
    expect(wrong({ key: new Uint8Array(31) })).toThrow('key must be 32 bytes')
    expect(wrong({ more: 1 })).toThrow('more')
  })

  it('needs organizations and a fixed URL', async () => {
    await expect(startWith([claviger(options)])).rejects.toThrow('needs the plugin organization')
    const dynamic = { baseURL: { allowedHosts: ['app.test'] } }
    await expect(startWith([organization(), claviger(options)], dynamic)).rejects.toThrow(
      'needs the option baseURL',
    )
  })

  it('names the redirect URI to register, once better-auth has started', async () => {
    const sso = claviger(options)
    const ids = { orgId: 'acme', idpId: 'sso' }
    expect(() => sso.signIn.redirectUri(ids)).toThrow('Pass the plugin claviger to betterAuth')
    await startWith([organization(), sso], { baseURL: ORIGIN, basePath: '/auth' })
    expect(sso.signIn.redirectUri(ids)).toBe(`${ORIGIN}/auth/claviger/sign-in/callback/acme/sso`)
  })
})

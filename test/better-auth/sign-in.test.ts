import { orThrow } from 'claviger'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, type Browser, type Host, openHost, startProvider } from './host.js'

const ORIGIN = 'https://app.test'
const PASSWORD = 'correct horse battery'
const SESSION = '__Secure-better-auth.session_token'

let acme: Awaited<ReturnType<typeof startProvider>>
let globex: typeof acme
let host: Host

beforeAll(async () => {
  acme = await startProvider('acme', ORIGIN, {
    ada: { email: 'Ada@acme.example', groups: ['finance'] },
    // Another person with the address, such as after Ada has left.
    ada2: { email: 'ada@acme.example' },
    bo: { email: 'bo@acme.example' },
    cy: { email: 'cy@acme.example', groups: ['finance'] },
    // Says that it is Ada, and the provider does not vouch for it.
    eve: { email: 'ada@acme.example', email_verified: false },
    // An address of the other organization.
    gus: { email: 'gus@globex.example' },
  })
  globex = await startProvider('globex', ORIGIN, {
    gus: { email: 'gus@globex.example' },
    // Vouches for an address of Acme; the subject is one of Acme too.
    ada: { email: 'ada@acme.example', groups: ['finance'] },
  })
})
afterAll(() => {
  acme.close()
  globex.close()
})

beforeEach(async () => {
  host = await openHost(ORIGIN)
  await host.addOrganization('acme', acme)
  await host.addOrganization('globex', globex, { autoRegister: true })
})

const callerIn = (browser: Browser) => host.callerOf(browser.headers())
const refusalOf = async (answer: Response) => [answer.status, await answer.text()]
const signedIn = async (by: string, login: string): Promise<Browser> => {
  const browser = host.browser()
  expect((await browser.signIn(by, login)).status).toBe(303)
  return browser
}
/** Lets nobody on before so many have come. */
const meetingOf = (count: number) => {
  let missing = count
  let open: () => void = () => undefined
  const met = new Promise<void>((resolve) => {
    open = resolve
  })
  return async (): Promise<void> => {
    if (--missing === 0) open()
    await met
  }
}
const signUp = async (email: string): Promise<Browser> => {
  const browser = host.browser()
  const body = { name: 'Mallory', email, password: PASSWORD }
  expect((await browser.send('POST', '/api/auth/sign-up/email', body)).status).toBe(200)
  return browser
}

describe('A sign-in of claviger in better-auth', () => {
  it('begins a session of an added user, in the organization of the provider', async () => {
    const ada = await host.addUser('acme', 'ada@acme.example')
    const browser = host.browser()
    const answer = await browser.signIn('ADA@acme.example', 'ada', { returnTo: '/invoices' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/invoices'])
    expect(await callerIn(browser)).toEqual({ userId: ada, orgId: 'acme' })
    const session = await (await browser.send('GET', '/api/auth/get-session')).json()
    expect(session.session).toMatchObject({ activeOrganizationId: 'acme', signedInOrgId: 'acme' })
    expect(session.user).toMatchObject({ id: ada, emailVerified: true })
    expect(browser.cookies.has('__Host-sign-in')).toBe(false)
  })

  it('registers nobody unless the provider may', async () => {
    const refused = await host.browser().signIn('bo@acme.example', 'bo')
    expect(await refusalOf(refused)).toEqual([403, 'Not signed in: UnknownUser'])
    expect(await host.rows('user')).toEqual([])
    const gus = await signedIn('gus@globex.example', 'gus')
    expect((await callerIn(gus))?.orgId).toBe('globex')
    expect(await host.rows('member')).toMatchObject([{ organizationId: 'globex', role: 'member' }])
  })

  it('finds a user again by issuer and subject, and follows a new own address', async () => {
    const first = await callerIn(await signedIn('globex/sso', 'gus'))
    globex.users['gus'] = { email: 'gustav@globex.example' }
    expect(await callerIn(await signedIn('globex/sso', 'gus'))).toEqual(first)
    globex.users['gus'] = { email: 'gus@globex.example' }
    expect(await host.rows('user')).toMatchObject([{ email: 'gustav@globex.example' }])
  })

  it('makes one user, account and member of two first sign-ins at once', async () => {
    const [users, accounts] = [meetingOf(2), meetingOf(2)]
    const databaseHooks = {
      user: { create: { before: users } },
      account: { create: { before: accounts } },
    }
    host = await openHost(ORIGIN, { auth: { databaseHooks } })
    await host.addOrganization('globex', globex, { autoRegister: true })
    const browsers = [host.browser(), host.browser()]
    const callbacks = await Promise.all(
      browsers.map((each) => each.atProvider('globex/sso', 'gus')),
    )
    const answers = await Promise.all(
      browsers.map((browser, at) => browser.send('GET', callbacks[at] ?? '')),
    )
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    const callers = await Promise.all(browsers.map(callerIn))
    expect(new Set(callers.map((caller) => caller?.userId)).size).toBe(1)
    const counts = ['user', 'account', 'member'].map(async (each) => (await host.rows(each)).length)
    expect(await Promise.all(counts)).toEqual([1, 1, 1])
  })

  it('keeps the session of a sign-in that was faster, and revokes what was there before both', async () => {
    let isFirst = true
    let release: () => void = () => undefined
    const faster = new Promise<void>((resolve) => {
      release = resolve
    })
    // The slower one has seen an unverified address, and revokes after the faster one has signed in.
    const before = async () => {
      if (isFirst) {
        isFirst = false
        await faster
      }
    }
    const databaseHooks = { account: { delete: { before } } }
    host = await openHost(ORIGIN, { auth: { databaseHooks } })
    await host.addOrganization('globex', globex, { autoRegister: true })
    const mallory = await signUp('gus@globex.example')
    const slow = host.browser()
    const callback = await slow.atProvider('globex/sso', 'gus')
    const slower = slow.send('GET', callback)
    const fast = await signedIn('globex/sso', 'gus')
    release()
    expect((await slower).status).toBe(303)
    for (const browser of [slow, fast])
      expect(await callerIn(browser)).toMatchObject({ orgId: 'globex' })
    expect(await (await mallory.send('GET', '/api/auth/get-session')).json()).toBeNull()
    expect(await host.rows('account')).toHaveLength(1)
  })

  it('gives and takes roles by the groups of the provider', async () => {
    const ada = await host.addUser('acme', 'ada@acme.example')
    const { projects, projectRoles, roleMappings, access } = host.iam
    await orThrow(projects.add({ id: 'app', name: 'App' }, as('acme')))
    const role = { projectId: 'app', roleKey: 'payer', displayName: 'Payer' }
    await orThrow(projectRoles.add(role, as('acme')))
    const mapping = { idpId: 'sso', group: 'finance', projectId: 'app', roleKeys: ['payer'] }
    await orThrow(roleMappings.add(mapping, as('acme')))
    const roles = async () =>
      (await access.of({ userId: ada, orgId: 'acme', projectId: 'app' }).check()).roleKeys
    await signedIn('acme/sso', 'ada')
    expect(await roles()).toEqual(['payer'])
    acme.users['ada'] = { email: 'ada@acme.example' }
    await signedIn('acme/sso', 'ada')
    acme.users['ada'] = { email: 'Ada@acme.example', groups: ['finance'] }
    expect(await roles()).toEqual([])
  })

  it('ends when better-auth signs the user out', async () => {
    const gus = await signedIn('globex/sso', 'gus')
    const cookies = new Map(gus.cookies)
    expect((await gus.send('POST', '/api/auth/sign-out', {})).status).toBe(200)
    for (const [name, value] of cookies) gus.cookies.set(name, value)
    expect(await callerIn(gus)).toBeUndefined()
  })

  it('lets the host word each refusal', async () => {
    const seen: unknown[] = []
    host = await openHost(ORIGIN, {
      plugin: {
        onRefused: (refusal, request) => {
          seen.push([refusal.kind, new URL(request.url).pathname])
          return new Response('Ask your admin for an account.', { status: 403 })
        },
      },
    })
    await host.addOrganization('acme', acme)
    expect(await refusalOf(await host.browser().signIn('acme/sso', 'bo'))).toEqual([
      403,
      'Ask your admin for an account.',
    ])
    expect((await host.browser().begin('bo@nowhere.example')).status).toBe(403)
    expect(seen).toEqual([
      ['UnknownUser', '/api/auth/claviger/sign-in/callback/acme/sso'],
      ['NoProviderForEmail', '/api/auth/claviger/sign-in'],
    ])
  })
})

describe('An invitation of better-auth', () => {
  const invite = async (email: string, status = 'pending', expiresAt = Date.now() + 60_000) => {
    const inviterId = await host.addUser('acme', 'boss@acme.example', true)
    const data = { organizationId: 'acme', email, role: 'admin', status, inviterId }
    const row = { ...data, expiresAt: new Date(expiresAt), createdAt: new Date() }
    return (await host.adapter.create({ model: 'invitation', data: row }))['id']
  }

  it('lets its user in, who is a member with its role once better-auth has the acceptance', async () => {
    const invitationId = await invite('bo@acme.example')
    const bo = await signedIn('acme/sso', 'bo')
    expect(await callerIn(bo)).toBeUndefined()
    const path = '/api/auth/organization/accept-invitation'
    expect((await bo.send('POST', path, { invitationId })).status).toBe(200)
    expect((await callerIn(bo))?.orgId).toBe('acme')
    expect(await host.rows('member')).toMatchObject([{ role: 'member' }, { role: 'admin' }])
  })

  it.each([
    ['of another address', () => invite('cy@acme.example'), 'bo'],
    ['that was cancelled', () => invite('bo@acme.example', 'canceled'), 'bo'],
    ['that has expired', () => invite('bo@acme.example', 'pending', Date.now() - 1), 'bo'],
    ['of an address that the provider does not vouch for', () => invite('ada@acme.example'), 'eve'],
    ['of an address of another organization', () => invite('gus@globex.example'), 'gus'],
  ])('%s lets nobody in', async (_, inviting, login) => {
    await inviting()
    const refused = await host.browser().signIn('acme/sso', login)
    expect(await refusalOf(refused)).toEqual([403, 'Not signed in: UnknownUser'])
  })
})

describe('An attacker', () => {
  it('gets no user of another organization by a provider that vouches for the address', async () => {
    const ada = await host.addUser('acme', 'ada@acme.example')
    const mallory = await signedIn('globex/sso', 'ada')
    const caller = await callerIn(mallory)
    expect(caller?.orgId).toBe('globex')
    expect(caller?.userId).not.toBe(ada)
    const users = await host.directory.describe([ada, caller?.userId ?? ''], {
      caller: caller ?? as('globex').caller,
      orgId: 'globex',
    })
    expect(users).toEqual([{ id: caller?.userId, name: 'ada@acme.example (unverified)' }])
    // The same subject at the provider of Acme is somebody else.
    expect(await callerIn(await signedIn('acme/sso', 'ada'))).toEqual({
      userId: ada,
      orgId: 'acme',
    })
  })

  it('gets no user by an address that the provider does not vouch for', async () => {
    await host.addUser('acme', 'ada@acme.example')
    const refused = await host.browser().signIn('acme/sso', 'eve')
    expect(await refusalOf(refused)).toEqual([403, 'Not signed in: UnknownUser'])
    expect(await host.rows('account')).toEqual([])
  })

  it('does not inherit a user with the address that was given to them', async () => {
    await host.addUser('acme', 'ada@acme.example')
    await signedIn('acme/sso', 'ada')
    const refused = await host.browser().signIn('acme/sso', 'ada2')
    expect(await refusalOf(refused)).toEqual([403, 'Not signed in: UnknownUser'])
    expect(await host.rows('account')).toHaveLength(1)
  })

  it('who registered the address of somebody else before them keeps nothing', async () => {
    const mallory = await signUp('gus@globex.example')
    const gus = await signedIn('globex/sso', 'gus')
    expect((await callerIn(gus))?.orgId).toBe('globex')
    const session = await mallory.send('GET', '/api/auth/get-session')
    expect(await session.json()).toBeNull()
    const body = { email: 'gus@globex.example', password: PASSWORD }
    expect((await host.browser().send('POST', '/api/auth/sign-in/email', body)).status).toBe(401)
    // What is proven stays: the next sign-in revokes nothing.
    await signedIn('globex/sso', 'gus')
    expect((await callerIn(gus))?.orgId).toBe('globex')
  })

  it('cannot register the address that stands for an unverified one', async () => {
    await signedIn('globex/sso', 'ada')
    const other = await openHost(ORIGIN, { plugin: { key: new Uint8Array(32).fill(8) } })
    await other.addOrganization('globex', globex, { autoRegister: true })
    await other.browser().signIn('globex/sso', 'ada')
    const [[mine], [theirs]] = await Promise.all([host.rows('user'), other.rows('user')])
    expect(mine?.['email']).toMatch(/^[0-9a-f]{64}@no\.invalid$/)
    expect(theirs?.['email']).not.toBe(mine?.['email'])
  })

  it('cannot fix a session before the sign-in', async () => {
    const mallory = await signUp('mallory@evil.example')
    const victim = host.browser()
    for (const [name, value] of mallory.cookies) victim.cookies.set(name, value)
    await victim.signIn('globex/sso', 'gus')
    expect(victim.cookies.get(SESSION)).not.toBe(mallory.cookies.get(SESSION))
    const seen = await (await mallory.send('GET', '/api/auth/get-session')).json()
    expect(seen.user.email).toBe('mallory@evil.example')
    expect(await callerIn(mallory)).toBeUndefined()
  })

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', '/a//b'])(
    'sends nobody on to %s',
    async (returnTo) => {
      const refused = await host.browser().begin('globex/sso', { returnTo })
      expect(await refusalOf(refused)).toEqual([403, 'Not signed in: InvalidArgument'])
    },
  )

  it('begins no sign-in from a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const form = new URLSearchParams({ orgId: 'globex', idpId: 'sso' })
    const url = `${ORIGIN}/api/auth/claviger/sign-in`
    const answer = await host.auth.handler(
      new Request(url, { method: 'POST', headers, body: form }),
    )
    expect(answer.status).toBe(403)
    expect(answer.headers.get('location')).toBeNull()
  })

  it('replays no callback, and brings none to another browser', async () => {
    const browser = host.browser()
    const callback = await browser.atProvider('globex/sso', 'gus')
    const stolen = host.browser()
    expect(await refusalOf(await stolen.send('GET', callback))).toEqual([
      403,
      'Not signed in: AttemptTampered',
    ])
    const cookies = new Map(browser.cookies)
    expect((await browser.send('GET', callback)).status).toBe(303)
    const replaying = host.browser()
    for (const [name, value] of cookies) replaying.cookies.set(name, value)
    expect((await replaying.send('GET', callback)).status).toBe(403)
    expect(replaying.cookies.has(SESSION)).toBe(false)
  })

  it('mixes up no two tabs: the later sign-in counts', async () => {
    const browser = host.browser()
    const first = await browser.atProvider('globex/sso', 'gus')
    const kept = new Map(browser.cookies)
    const second = await browser.atProvider('globex/sso', 'ada')
    expect(await refusalOf(await browser.send('GET', first))).toEqual([
      403,
      'Not signed in: StateMismatch',
    ])
    for (const [name, value] of kept) browser.cookies.set(name, value)
    expect((await browser.send('GET', second)).status).toBe(403)
    expect(await callerIn(browser)).toBeUndefined()
  })

  it('moves no code to the callback of another provider', async () => {
    const browser = host.browser()
    const callback = await browser.atProvider('globex/sso', 'gus')
    const moved = await browser.send('GET', callback.replace('/globex/', '/acme/'))
    expect(await refusalOf(moved)).toEqual([403, 'Not signed in: AttemptMismatch'])
  })
})

describe('Nobody is signed in', () => {
  it('when the provider was removed between the two requests', async () => {
    const browser = host.browser()
    const callback = await browser.atProvider('globex/sso', 'gus')
    const { identityProviders, domains } = host.iam
    await orThrow(domains.setProvider({ domain: 'globex.example' }, as('globex')))
    await orThrow(identityProviders.remove({ idpId: 'sso' }, as('globex')))
    expect(await refusalOf(await browser.send('GET', callback))).toEqual([
      403,
      'Not signed in: ProviderRemoved',
    ])
  })

  it('when the organization has ended in better-auth', async () => {
    const gus = await signedIn('globex/sso', 'gus')
    const where = (field: string) => [{ field, value: 'globex' }]
    await host.adapter.deleteMany({ model: 'member', where: where('organizationId') })
    await host.adapter.delete({ model: 'organization', where: where('id') })
    expect(await callerIn(gus)).toBeUndefined()
    const refused = await host.browser().signIn('globex/sso', 'gus')
    expect(await refusalOf(refused)).toEqual([403, 'Not signed in: UnknownUser'])
    expect(await host.rows('member')).toEqual([])
  })

  it('when better-auth has banned the user', async () => {
    const gus = await callerIn(await signedIn('globex/sso', 'gus'))
    const where = [{ field: 'id', value: gus?.userId ?? '' }]
    await host.adapter.update({ model: 'user', where, update: { banned: true } })
    const browser = host.browser()
    expect(await refusalOf(await browser.signIn('globex/sso', 'gus'))).toEqual([
      403,
      'Not signed in: BANNED_USER',
    ])
    expect(browser.cookies.has(SESSION)).toBe(false)
  })
})

import { setTimeout } from 'node:timers/promises'
import { PERMISSIONS } from 'claviger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileProvider } from '../oidc/hostile-provider.js'
import { throughProvider } from '../oidc/real-provider.js'
import { type Browser, ORIGIN, SESSION, type Sending, SIGN_IN } from './b2b-saas/browser.js'
import { type Handled, startCustomerServer } from './b2b-saas/customer-server.js'
import { CLIENT_ID, secretOf, startProvider } from './b2b-saas/identity-provider.js'
import { addCustomer, openWorld, setUp, type World } from './b2b-saas/world.js'

describe.each(['SQLite', 'PostgreSQL'] as const)('the B2B SaaS of the guide, on %s', (kind) => {
  let world: World
  let providers: Awaited<ReturnType<typeof startProviders>>
  let servers: Awaited<ReturnType<typeof startServers>>
  let [ada, gus]: readonly Browser[] = []

  const startProviders = async () => ({
    acme: await startProvider('acme', {
      ada: { email: 'ada@acme.example' },
      bo: { email: 'bo@acme.example', groups: ['finance', 'staff'] },
      mel: { email: 'mel@acme.example' },
      // Says that it is Ada, and the provider does not vouch for it.
      eve: { email: 'ada@acme.example', email_verified: false },
    }),
    globex: await startProvider('globex', {
      gus: { email: 'gus@globex.example' },
      // The provider of another customer vouches for an address of Acme.
      ada: { email: 'ada@acme.example', groups: ['finance', 'admin'] },
    }),
    evil: await hostileProvider(),
  })
  const startServers = async () => ({
    acme: await startCustomerServer(),
    globex: await startCustomerServer(),
  })

  beforeAll(async () => {
    servers = await startServers()
    providers = await startProviders()
    world = await openWorld(kind)
    ;[ada, gus] = [world.browser(), world.browser()]
    await world.start('older', 'older', 'older')
  }, 60_000)

  afterAll(async () => {
    await world.close()
    for (const each of [...Object.values(servers), ...Object.values(providers)]) each.close()
  })

  /** Sends a request of a user to an instance. */
  const as =
    (browser: () => Browser | undefined) => (instance: number, line: string, sending?: Sending) => {
      const [method = '', path = ''] = line.split(' ')
      const sender = browser()
      if (!sender) throw new Error('There is no browser')
      return sender.send(method, `${world.url(instance)}${path}`, sending)
    }
  const [byAda, byGus] = [as(() => ada), as(() => gus)]
  const API = '/admin/api/v1'

  /** A browser in which a user has signed in by an address, or with a provider. */
  const signedIn = async (by: string, login: string, status = 303) => {
    const browser = world.browser()
    const entered = await browser.signIn(by, login, [world.url(1), world.url(2)])
    expect(entered.status, entered.body).toBe(status)
    return { browser, send: as(() => browser), body: entered.body }
  }

  /** Waits for what follows from a change a moment later; the test's own time limit ends it. */
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await setTimeout(20)
  }

  const customer = (id: string, adminEmail: string) => ({
    id,
    name: `The company ${id}`,
    adminEmail,
  })

  const roleKeys = async (instance: number): Promise<readonly string[]> => {
    const { body } = await byAda(instance, `GET ${API}/projects/invoicing/roles`)
    return body.projectRoles.map(({ roleKey }: { readonly roleKey: string }) => roleKey).toSorted()
  }

  /** The sequence of each change in the history of Acme. */
  const changesOfAcme = async (): Promise<readonly bigint[]> => {
    const changes: bigint[] = []
    for (let after: string | undefined = '0'; after !== undefined; ) {
      const { body } = await byAda(0, `GET ${API}/history?after=${after}`)
      for (const { sequence } of body.entries) changes.push(BigInt(sequence))
      after = body.nextAfter
    }
    return changes
  }

  it('takes on customers, for operators alone, as often as they ask', async () => {
    const post = (token: string, body: object) =>
      world.browser().send('POST', `${world.url(0)}/operator/customers`, {
        body,
        headers: { authorization: `Bearer ${token}` },
      })
    const acme = customer('acme', 'Ada@acme.example')
    expect((await post('somebody', acme)).status).toBe(401)
    expect((await post('operator', acme)).status).toBe(200)
    expect((await post('operator', acme)).status).toBe(200)
    const malformed = await post('operator', customer('no id', 'nobody@example.com'))
    expect([malformed.status, malformed.body.code]).toEqual([400, 3])
  })

  it('lets the IT of a customer set up sign-in behind a link, and no more', async () => {
    const link = await addCustomer(world, customer('acme', 'ada@acme.example'))
    const { issuer } = providers.acme
    await setUp(world, link, { id: 'acme', issuer, autoRegister: false, login: 'ada' })
    expect((await link('POST /projects', { body: { id: 'p', name: 'P' } })).status).toBe(403)
    const headers = { 'x-service-orgid': 'globex' }
    expect((await link('GET /domains', { headers })).status).toBe(403)
    const globex = await addCustomer(world, customer('globex', 'gus@globex.example'))
    await setUp(world, globex, {
      id: 'globex',
      issuer: providers.globex.issuer,
      autoRegister: true,
      login: 'gus',
    })
    // What is switched on is out of the link's reach.
    const patch = { body: { issuer: providers.evil.issuer } }
    expect((await link('PATCH /idps/sso', patch)).status).toBe(403)
    expect((await link('DELETE /domains/acme.example')).status).toBe(403)
  })

  it('signs in users of the provider of a customer, begun at one instance and finished at another', async () => {
    expect((await byAda(0, `GET ${API}/projects`)).status).toBe(401)
    expect((await byAda(0, 'GET /invoices')).status).toBe(401)
    const entered = await ada?.signIn('ada@acme.example', 'ada', [world.url(0), world.url(1)])
    expect([entered?.status, entered?.headers.get('location')]).toEqual([303, '/'])
    const other = await gus?.signIn('gus@globex.example', 'gus', [world.url(2), world.url(0)])
    expect(other?.status).toBe(303)
    const stranger = await signedIn('mel@acme.example', 'mel', 403)
    expect(stranger.body).toContain('UnknownUser')
    expect((await signedIn('mel@nowhere.example', 'mel', 403)).body).toContain('NoProviderForEmail')
    expect((await signedIn('acme/other', 'mel', 403)).body).toContain('NotFound')
    expect((await byAda(2, `GET ${API}/projects`)).body.totalSize).toBe(1)
  })

  it('gives the first admin all but secrets of providers and what the code declares', async () => {
    const { body } = await byAda(1, `GET ${API}/permissions`)
    const withheld = ['desired_state.write', 'identity_provider.secret.read']
    expect([...body.permissions, ...withheld].toSorted()).toEqual(PERMISSIONS)
    const lift = { managedBy: 'invoicing', protect: false, projects: [] }
    expect((await byAda(0, `POST ${API}/access:apply`, { body: lift })).status).toBe(403)
    // Also when an admin gives a role those permissions.
    const path = `${API}/projects/invoicing/role?role_key=viewer`
    const permissions = ['invoice.read', ...withheld]
    expect((await byAda(0, `PATCH ${path}`, { body: { permissions } })).status).toBe(200)
    const { body: users } = await byAda(0, `GET /admin/api/users?text=ADA`)
    expect(users.users).toMatchObject([{ name: 'ada@acme.example', email: 'ada@acme.example' }])
    const roles = [{ roleKey: 'viewer' }]
    const grant = `user_id=${users.users[0].id}&project_id=invoicing`
    expect(
      (await byAda(0, `POST ${API}/userGrant:addRoles?${grant}`, { body: { roles } })).status,
    ).toBe(200)
    const { body: held } = await byAda(2, `GET ${API}/permissions`)
    expect(held.permissions).toEqual(body.permissions)
  })

  it('takes no cookie that it did not sign, and no cookie for another', async () => {
    const session = ada?.cookies.get(SESSION) ?? ''
    const other = gus?.cookies.get(SESSION) ?? ''
    expect(session).toMatch(/\./)
    const began = world.browser()
    await began.atProvider('acme/sso', 'ada', world.url(0))
    const attempt = began.cookies.get('__Host-sign-in') ?? ''
    expect(attempt).not.toBe('')
    const [token = ''] = session.split('.')
    const forged = [token, `${token}.${other.split('.')[1]}`, attempt]
    for (const each of forged) {
      const forger = world.browser()
      forger.cookies.set(SESSION, each)
      expect((await as(() => forger)(0, `GET ${API}/projects`)).status).toBe(401)
    }
  })

  it('refuses what a page of another site sends with the cookie of a user', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const body = { url: servers.acme.url }
    expect((await byAda(0, 'PUT /webhook', { body, headers })).status).toBe(403)
    expect((await byAda(0, `GET ${API}/projects`, { headers })).status).toBe(403)
  })

  it('sends the changes of a customer to that customer alone, signed', async () => {
    for (const [by, server] of [
      [byAda, servers.acme],
      [byGus, servers.globex],
    ] as const) {
      const { status, body } = await by(0, 'PUT /webhook', { body: { url: server.url } })
      expect(status).toBe(200)
      server.expect(body.secret)
    }
    expect((await byAda(0, 'PUT /webhook', { body: { url: 'home' } })).status).toBe(400)
    const connector = { id: 'connector', name: 'Connector of Acme' }
    expect((await byAda(1, `POST ${API}/projects`, { body: connector })).status).toBe(200)
    const isConnector = ({ data }: { readonly data: Handled['data'] }) =>
      data.object['id'] === connector.id
    await until(() => servers.acme.handled.some(isConnector))
    // The history first, then what is new.
    expect(servers.acme.handled.map(({ id }) => id)).toEqual(await changesOfAcme())
    expect(servers.acme.handled.at(-1)).toMatchObject({
      type: 'project.added',
      orgid: 'acme',
      data: { object: { type: 'project', id: 'connector' } },
    })
    await until(() => servers.globex.handled.length > 0)
    const organizations = (server: typeof servers.acme) => [
      ...new Set(server.delivered.map(({ body }) => JSON.parse(body).orgid)),
    ]
    expect([servers.acme, servers.globex].map(organizations)).toEqual([['acme'], ['globex']])
  })

  it('keeps customers apart', async () => {
    const { body } = await byGus(0, `GET ${API}/projects`)
    expect(body.projects.map(({ id }: { readonly id: string }) => id)).toEqual(['invoicing'])
    const patch = { body: { name: 'Mine' } }
    expect((await byGus(1, `PATCH ${API}/projects/connector`, patch)).status).toBe(404)
    expect((await byGus(2, `GET ${API}/projects/connector`)).status).toBe(404)
    const headers = { 'x-service-orgid': 'acme' }
    for (const path of ['/projects/connector', '/userGrants', '/history', '/domains']) {
      const refused = await byGus(2, `GET ${API}${path}`, { headers })
      expect([path, refused.status]).toEqual([path, 403])
    }
    // Providers are in the own organization alone.
    expect((await byGus(2, `GET ${API}/idps`, { headers })).status).toBe(400)
    expect((await byGus(0, `PATCH ${API}/projects/connector`, { ...patch, headers })).status).toBe(
      403,
    )
    expect((await byGus(0, 'GET /admin/api/users?text=ada', { headers })).status).toBe(403)
    expect((await byGus(0, 'GET /admin/api/users?text=ada')).body.users).toEqual([])
    // Of the same id, not the same project.
    expect((await byGus(0, `PATCH ${API}/projects/invoicing`, patch)).status).toBe(200)
    const { body: found } = await byAda(1, `GET ${API}/projects/invoicing`)
    expect(found.project.name).toBe('Invoicing')
    const history = await byGus(1, `GET ${API}/history`)
    expect(history.status).toBe(200)
    expect(JSON.stringify(history.body)).not.toContain('acme')
  })

  it('shows on every instance what was added and patched on another', async () => {
    const auditor = { roleKey: 'auditor', displayName: 'Auditor', group: 'finance' }
    const body = { ...auditor, permissions: ['invoice.read'] }
    await byAda(0, `POST ${API}/projects/invoicing/roles`, { body })
    for (const instance of [1, 2])
      expect(await roleKeys(instance)).toEqual(['admin', 'auditor', 'clerk', 'viewer'])
    const path = `${API}/projects/invoicing/role?role_key=auditor`
    await byAda(1, `PATCH ${path}`, { body: { displayName: 'External auditor' } })
    const { body: found } = await byAda(2, `GET ${path}`)
    expect(found.projectRole).toMatchObject({ ...auditor, displayName: 'External auditor' })
  })

  it('refuses a change of what was changed since it was seen', async () => {
    const path = `${API}/projects/connector`
    const etag = (await byAda(0, `GET ${path}`)).headers.get('etag') ?? ''
    const rename = (name: string, seen: string) => ({
      body: { name },
      headers: { 'if-match': seen },
    })
    const changed = await byAda(1, `PATCH ${path}`, rename('Connector 2', etag))
    expect(changed.status).toBe(200)
    const late = await byAda(2, `PATCH ${path}`, rename('Connector 3', etag))
    expect([late.status, late.body.code]).toEqual([409, 9])
    const program = await byAda(0, `POST ${path}:deactivate`, { headers: { 'if-match': etag } })
    expect([program.status, program.body.code]).toEqual([409, 9])
    const seen = `"${changed.body.details.sequence}"`
    expect((await byAda(0, `PATCH ${path}`, rename('Connector 5', seen))).status).toBe(200)
    const nonsense = await byAda(0, `PATCH ${path}`, rename('Connector 6', 'x'))
    expect(nonsense.status).toBe(400)
    expect(JSON.stringify(nonsense.body)).toContain('expectedSequence')
  })

  it('gives roles by the groups of the provider, and takes them at the next sign-in without the group', async () => {
    const autoRegister = { body: { autoRegister: true } }
    expect((await byAda(0, `PATCH ${API}/idps/sso`, autoRegister)).status).toBe(200)
    const bo = await signedIn('bo@acme.example', 'bo')
    expect((await bo.send(0, 'GET /invoices')).body).toEqual({ invoicesOf: 'acme' })
    const refused = await bo.send(1, 'GET /approvals')
    expect([refused.status, refused.body.details[0].reason]).toEqual([403, 'ACCESS_DENIED'])
    expect((await bo.send(0, `GET ${API}/projects`)).status).toBe(403)
    expect((await bo.send(0, 'PUT /webhook', { body: { url: 'https://x.example' } })).status).toBe(
      403,
    )

    Object.assign(providers.acme.users, { bo: { email: 'bo@acme.example', groups: ['staff'] } })
    const again = await signedIn('bo@acme.example', 'bo')
    expect((await again.send(0, 'GET /invoices')).status).toBe(403)
    // One user, in both sessions.
    expect((await bo.send(1, 'GET /invoices')).status).toBe(403)
    const { body } = await byAda(0, 'GET /admin/api/users?text=bo')
    expect(body.users).toHaveLength(1)
  })

  it('opens a route for users with a role, and for nobody who had one that was removed', async () => {
    const mel = await signedIn('mel@acme.example', 'mel')
    const { body } = await byAda(0, 'GET /admin/api/users?text=mel')
    const userId = body.users[0].id
    expect((await mel.send(1, 'GET /invoices')).status).toBe(403)
    const give = (roleKey: string) =>
      byAda(2, `POST ${API}/userGrants`, {
        body: { userId, projectId: 'invoicing', roles: [{ roleKey }] },
      })
    expect((await give('nothing')).status).toBe(404)
    expect((await give('auditor')).status).toBe(200)
    expect((await mel.send(0, 'GET /invoices')).status).toBe(200)
    expect((await mel.send(0, 'GET /approvals')).status).toBe(403)
    const holders = async (query = '') =>
      (await byAda(1, `GET ${API}/projects/invoicing/roleHolders?${query}`)).body.roleHolders
        .filter((each: { readonly userId: string }) => each.userId === userId)
        .map(({ roleKey }: { readonly roleKey: string }) => roleKey)
    expect(await holders()).toEqual(['auditor'])

    const before = new Date().toISOString()
    await setTimeout(2)
    await byAda(0, `DELETE ${API}/projects/invoicing/role?role_key=auditor`)
    expect((await mel.send(1, 'GET /invoices')).status).toBe(403)
    const again = { roleKey: 'auditor', displayName: 'Auditor', permissions: ['invoice.read'] }
    await byAda(2, `POST ${API}/projects/invoicing/roles`, { body: again })
    expect((await mel.send(1, 'GET /invoices')).status).toBe(403)
    expect([await holders(), await holders(`at=${before}`)]).toEqual([[], ['auditor']])
    expect((await byAda(1, `GET ${API}/projects/invoicing/roleHolders?at=yesterday`)).status).toBe(
      400,
    )
  })

  it('ends a session when its user signs out', async () => {
    const mel = await signedIn('mel@acme.example', 'mel')
    const session = new Map(mel.browser.cookies)
    expect((await mel.send(0, 'GET /api/auth/get-session')).body.session.activeOrganizationId).toBe(
      'acme',
    )
    const sent = { body: {}, headers: { origin: ORIGIN } }
    expect((await mel.send(0, 'POST /api/auth/sign-out', sent)).status).toBe(200)
    for (const [name, value] of session) mel.browser.cookies.set(name, value)
    expect((await mel.send(0, 'GET /invoices')).status).toBe(401)
  })

  it('lets nobody move themselves into another organization', async () => {
    const mel = await signedIn('mel@acme.example', 'mel')
    const post = (path: string, body: object) => mel.send(0, `POST /api/auth/${path}`, { body })
    await post('organization/set-active', { organizationId: 'globex' })
    await post('update-session', { activeOrganizationId: 'globex', signedInOrgId: 'globex' })
    const { body: found } = await mel.send(0, 'GET /api/auth/get-session')
    // better-auth then leaves the session without an organization.
    expect(found.session).toMatchObject({ activeOrganizationId: null, signedInOrgId: 'acme' })
    expect((await mel.send(0, 'GET /invoices')).status).toBe(401)
    const created = await post('organization/create', { name: 'Own', slug: 'own' })
    const invited = await post('organization/invite-member', {
      email: 'x@x.example',
      role: 'owner',
    })
    const signUp = { email: 'x@acme.example', password: 'long enough 1', name: 'X' }
    const refused = await post('sign-up/email', signUp)
    for (const { status } of [created, invited, refused]) expect(status).toBeGreaterThanOrEqual(400)
  })

  describe('an attacker', () => {
    it('gains nothing by a provider that vouches for an address of another customer', async () => {
      const mallory = await signedIn('globex/sso', 'ada')
      expect(
        (await mallory.send(0, 'GET /api/auth/get-session')).body.session.activeOrganizationId,
      ).toBe('globex')
      expect((await mallory.send(0, `GET ${API}/projects`)).status).toBe(403)
      const headers = { 'x-service-orgid': 'acme' }
      expect((await mallory.send(0, `GET ${API}/projects`, { headers })).status).toBe(403)
      const { body } = await byAda(0, 'GET /admin/api/users?text=ada')
      expect(body.users).toHaveLength(1)
    })

    it('proves no domain that another customer has proven', async () => {
      expect(
        (await byGus(0, `POST ${API}/domains`, { body: { domain: 'acme.example' } })).status,
      ).toBe(200)
      const challenge = '_claviger-challenge.acme.example'
      const published = world.records.get(challenge) ?? ''
      expect((await byGus(0, `POST ${API}/domains/acme.example:verify`)).status).toBe(409)
      world.records.set(
        challenge,
        (await byGus(0, `GET ${API}/domains/acme.example`)).body.domain.challenge,
      )
      expect((await byGus(0, `POST ${API}/domains/acme.example:verify`)).status).toBe(409)
      world.records.set(challenge, published)
    })

    it('gains nothing by an address that the provider does not vouch for', async () => {
      const eve = await signedIn('acme/sso', 'eve')
      expect((await eve.send(0, 'GET /api/auth/get-session')).body.user.name).toBe('eve')
      expect((await eve.send(0, `GET ${API}/projects`)).status).toBe(403)
    })

    it('gets no code by a provider that sends the browser on to another one (mix-up)', async () => {
      const { evil, acme } = providers
      const oidc = {
        name: 'Evil',
        issuer: evil.issuer,
        clientId: 'c1',
        clientSecret: 'evil-secret',
      }
      const added = await byGus(0, `POST ${API}/idps/oidc`, { body: { idpId: 'evil', ...oidc } })
      expect(added.status).toBe(200)
      const victim = world.browser()
      const body = new URLSearchParams({ orgId: 'globex', idpId: 'evil' })
      const begun = await victim.send('POST', `${world.url(0)}${SIGN_IN}`, { body })
      const asked = new URL(begun.headers.get('location') ?? '').searchParams
      // The evil provider sends the browser to the one of Acme, where Ada signs in.
      const ask = (redirectUri: string) => {
        const changed = { client_id: CLIENT_ID, redirect_uri: redirectUri }
        const query = new URLSearchParams({ ...Object.fromEntries(asked), ...changed })
        return `${acme.issuer}/auth?${query}`
      }
      // Which sends nobody to the callback of the evil one.
      const toEvil = await fetch(ask(`${ORIGIN}${SIGN_IN}/callback/globex/evil`))
      expect(toEvil.status).toBe(400)
      const back = await throughProvider(
        ask(`${ORIGIN}${SIGN_IN}/callback/acme/sso`),
        ORIGIN,
        'ada',
      )
      expect(back).toContain('code=')
      const refused = await victim.send('GET', back.replace(ORIGIN, world.url(1)))
      expect([refused.status, refused.body]).toEqual([
        403,
        expect.stringContaining('AttemptMismatch'),
      ])
      expect(victim.cookies.has(SESSION)).toBe(false)
      expect([...evil.state.seen]).toEqual([])
    })

    it('signs nobody in with an answer that another browser began, or that comes twice', async () => {
      const mallory = world.browser()
      const back = await mallory.atProvider('globex/sso', 'gus', world.url(0))
      const target = String(back).replace(ORIGIN, world.url(0))
      const victim = world.browser()
      expect((await victim.send('GET', target)).status).toBe(403)
      await victim.atProvider('acme/sso', 'ada', world.url(0))
      expect((await victim.send('GET', target)).status).toBe(403)
      expect((await mallory.send('GET', target)).status).toBe(303)
      expect((await mallory.send('GET', target)).status).toBe(403)
      expect(victim.cookies.has(SESSION)).toBe(false)
    })

    it('signs nobody in by a page of another site (login CSRF)', async () => {
      const victim = world.browser()
      const body = new URLSearchParams({ orgId: 'globex', idpId: 'sso' })
      const headers = { 'sec-fetch-site': 'cross-site' }
      const begun = await victim.send('POST', `${world.url(0)}${SIGN_IN}`, { body, headers })
      expect(begun.status).toBe(403)
      const page = await victim.send(
        'GET',
        `${world.url(0)}${SIGN_IN}?orgId=globex&idpId=%22%3E%3Cu`,
      )
      expect([page.status, victim.cookies.size]).toEqual([200, 0])
      expect(page.body).not.toContain('<u')
    })

    it('reaches no address of the own network by a name', async () => {
      const inside = {
        name: 'In',
        issuer: providers.globex.issuer.replace('http://127.0.0.1', 'https://sso.inside.example'),
      }
      const body = { idpId: 'inside', ...inside, clientId: 'c1', clientSecret: 'evil-secret' }
      expect((await byGus(0, `POST ${API}/idps/oidc`, { body })).status).toBe(200)
      expect((await signedIn('globex/inside', 'gus', 403)).body).toContain('ProviderUnreachable')
    })

    it('moves no client secret to another provider', async () => {
      const moved = { body: { issuer: providers.evil.issuer } }
      expect((await byGus(0, `PATCH ${API}/idps/sso`, moved)).status).toBe(200)
      expect((await signedIn('globex/sso', 'gus', 403)).body).toContain('SecretForOtherIssuer')
      const back = { body: { issuer: providers.globex.issuer } }
      expect((await byGus(0, `PATCH ${API}/idps/sso`, back)).status).toBe(200)
    })
  })

  it('lets one instance send to a customer at a time, and others to others meanwhile', async () => {
    const { acme, globex } = servers
    const last = (await changesOfAcme()).at(-1)
    await until(() => acme.handled.at(-1)?.id === last)
    const [sent, already] = [acme.delivered.length, globex.handled.length]
    let release: ((status: undefined) => void) | undefined
    acme.behave({ answer: () => new Promise((resolve) => (release = resolve)) })
    await byAda(0, `PATCH ${API}/projects/connector`, { body: { name: 'First' } })
    await until(() => release !== undefined)
    await byAda(1, `PATCH ${API}/projects/connector`, { body: { name: 'Second' } })
    await byGus(2, `PATCH ${API}/projects/invoicing`, { body: { name: 'Invoicing of Globex' } })
    await until(() => globex.handled.length > already)
    expect(acme.delivered.length).toBe(sent + 1)
    acme.behave({})
    release?.(undefined)
    await until(() => JSON.stringify(acme.handled.at(-1)?.data).includes('Second'))
    expect(acme.delivered.length).toBe(sent + 2)
  })

  it('sends again what was being sent when all instances ended, and the receiver takes it once', async () => {
    const { acme } = servers
    let held: bigint | undefined
    acme.behave({
      answer: (id) => {
        held = id
        return new Promise(() => undefined)
      },
    })
    await byAda(0, `PATCH ${API}/idps/sso`, { body: { clientSecret: `${secretOf('acme')}-2` } })
    await until(() => held !== undefined)
    await world.killAll()
    acme.behave({})
    await world.endLeases()
    // The next release, and then an instance of the older one that starts again.
    await world.start('current', 'current')
    const newer = [...world.instances]
    await world.start('older')
    world.instances.unshift(...newer)
    const times = () => acme.delivered.filter(({ id }) => id === held).length
    await until(() => times() > 1)
    expect(acme.handled.filter(({ id }) => id === held).length).toBe(1)
  })

  it('lets no older release undo a newer one, and leaves what a customer added', async () => {
    expect(await roleKeys(2)).toEqual(['admin', 'approver', 'auditor', 'viewer'])
    const { body } = await byAda(2, `GET ${API}/history?actor=deployment&order=desc`)
    const types = body.entries.map(({ type }: { readonly type: string }) => type)
    // Of the newer release, which also set back the permissions of a role.
    expect(
      types
        .filter((type: string) => type !== 'project_role.updated')
        .slice(0, 2)
        .toSorted(),
    ).toEqual(['project_role.added', 'project_role.removed'])
  })

  it('sets back what is declared when it starts, and leaves the rest', async () => {
    const nameOf = async (by: typeof byAda, id: string) =>
      (await by(1, `GET ${API}/projects/${id}`)).body.project.name
    expect(await nameOf(byGus, 'invoicing')).toBe('Invoicing') // was renamed
    expect(await nameOf(byAda, 'connector')).toBe('Second')
  })

  it('delivers each change at least once and in order, though an instance ends and a receiver fails', async () => {
    const { acme } = servers
    const last = (await changesOfAcme()).at(-1)
    await until(() => acme.handled.at(-1)?.id === last)
    const already = acme.handled.length
    let [refusals, lost] = [0, 0]
    acme.behave({
      refuse: () => (acme.handled.length === already + 5 && refusals++ === 0 ? 503 : undefined),
      // Dealt with, but nobody learns of it.
      answer: async () => (acme.handled.length === already + 20 && lost++ === 0 ? 500 : undefined),
    })
    for (let count = 0; count < 30; count++) {
      const roleKey = `role-${count}`
      const body = { roleKey, displayName: roleKey }
      if (count === 10) {
        await world.instances[2]?.kill()
        await world.endLeases()
      }
      const added = await byAda(count % 2, `POST ${API}/projects/connector/roles`, { body })
      expect(added.status).toBe(200)
    }
    await until(() => acme.handled.length - already >= 30)
    expect(Math.min(refusals, lost)).toBeGreaterThan(1) // each came a second time
    expect(acme.handled.slice(already).map(({ data }) => data.object['roleKey'])).toEqual(
      Array.from({ length: 30 }, (_, count) => `role-${count}`),
    )
    expect(acme.handled.map(({ id }) => id)).toEqual(await changesOfAcme())
  })

  it('loses nothing that was acknowledged when three instances are killed while they write', async () => {
    const { acme } = servers
    acme.behave({})
    await world.killAll()
    await world.endLeases()
    await world.start('current', 'current', 'current')
    const acknowledged: string[] = []
    const write = async (instance: number): Promise<void> => {
      for (let count = 0; ; count++) {
        const roleKey = `kept-${instance}-${count}`
        const body = { roleKey, displayName: roleKey }
        const added = await byAda(instance, `POST ${API}/projects/connector/roles`, { body })
        if (added.status !== 200) throw new Error(`${added.status}`)
        acknowledged.push(roleKey)
      }
    }
    const writers = Promise.allSettled([0, 1, 2].map(write))
    await until(() =>
      [0, 1, 2].every((each) => acknowledged.some((key) => key.startsWith(`kept-${each}-`))),
    )
    await until(() => acknowledged.length >= 30)
    await world.killAll()
    // Each ended because its instance was gone, and not by a refusal.
    for (const ended of await writers)
      expect(ended.status === 'rejected' && String(ended.reason)).toBe('TypeError: fetch failed')
    await world.endLeases()
    await world.start('current', 'current', 'current')
    const stored: string[] = []
    for (let token = ''; ; ) {
      const page = `page_size=100${token && `&page_token=${encodeURIComponent(token)}`}`
      const { body } = await byAda(1, `GET ${API}/projects/connector/roles?${page}`)
      stored.push(...body.projectRoles.map((role: { readonly roleKey: string }) => role.roleKey))
      if (!body.nextPageToken) break
      token = body.nextPageToken
    }
    expect(stored).toEqual(expect.arrayContaining(acknowledged))
    const changes = await changesOfAcme()
    await until(() => acme.handled.at(-1)?.id === changes.at(-1))
    expect(acme.handled.map(({ id }) => id)).toEqual(changes)
  })

  it('shows no secret of a provider, sealed or not, to anybody', async () => {
    const { body } = await byAda(0, `GET ${API}/idps`)
    expect(body.identityProviders).toMatchObject([{ clientId: CLIENT_ID }])
    const sealed = await world.sealedSecrets()
    expect(sealed.length).toBe(5)
    const all = [...world.shown, ...servers.acme.delivered.map((message) => message.body)].join(
      '\n',
    )
    expect(all).toContain('identity_provider.oidc_config_updated')
    for (const secret of ['hush-hush', 'evil-secret', ...sealed]) expect(all).not.toContain(secret)
  })

  it('stops cleanly, without a complaint', async () => {
    const stopped = await Promise.all(world.instances.map((instance) => instance.stop()))
    expect(stopped).toEqual([0, 0, 0])
    expect(world.instances.flatMap(({ complaints }) => complaints)).toEqual([])
  })
})

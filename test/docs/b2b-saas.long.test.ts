import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../postgres-server.js'
import { type Browser, newBrowser, ORIGIN, type Sending } from './b2b-saas/browser.js'
import { startCustomerServer } from './b2b-saas/customer-server.js'
import { type Provider, startProvider } from './b2b-saas/identity-provider.js'
import { CURRENT, OLDER, type Running, startProcess } from './b2b-saas/instances.js'

const root = resolve(import.meta.dirname, '../..')

const secretOf = (customer: string) => `hush-hush-of-${customer}`

let database: PostgresServer
let provider: Provider
let instances: readonly Running[] = []
let environment: NodeJS.ProcessEnv
type CustomerServer = Awaited<ReturnType<typeof startCustomerServer>>
let servers: { readonly acme: CustomerServer; readonly globex: CustomerServer }
/** Whatever a browser was shown. */
const shown: string[] = []
const ada = newBrowser(shown)
const gus = newBrowser(shown)

beforeAll(async () => {
  const [acme, globex] = [await startCustomerServer(), await startCustomerServer()]
  servers = { acme, globex }
  provider = await startProvider(secretOf)
  database = await startPostgres({ settings: ['fsync=off'] })
  environment = {
    DATABASE_URL: database.connectionString,
    ORIGIN,
    IAM_KEY: randomBytes(32).toString('base64'),
    COOKIE_KEY: randomBytes(32).toString('base64'),
    OPERATOR_TOKEN: 'operator',
    WEBHOOK_TIMEOUT: '60000',
    DEVELOPMENT: '1',
  }
  // At the same time, on an empty database.
  instances = await Promise.all(
    [OLDER, OLDER, OLDER].map((each) => startProcess(each, environment)),
  )
}, 60_000)

afterAll(async () => {
  await Promise.all(instances.map(({ kill }) => kill()))
  servers.acme.close()
  servers.globex.close()
  provider.close()
  await database[Symbol.asyncDispose]()
})

const url = (instance: number): string => instances[instance]?.url ?? ''

/** Sends a request of a user to an instance. */
const as = (browser: Browser) => (instance: number, line: string, sending?: Sending) => {
  const [method = '', path = ''] = line.split(' ')
  return browser.send(method, `${url(instance)}${path}`, sending)
}
const [byAda, byGus] = [as(ada), as(gus)]

/** Waits for what follows from a change a moment later; the test's own time limit ends it. */
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await setTimeout(20)
}

const customer = (id: string, adminUsername: string) => ({
  id,
  name: `The company ${id}`,
  adminUsername,
  provider: {
    idpId: 'sso',
    name: `Sign-in of ${id}`,
    issuer: provider.issuer(id),
    clientId: 'invoicing',
    clientSecret: secretOf(id),
    scopes: ['email'],
    usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
  },
})

const roleKeys = async (instance: number): Promise<readonly string[]> => {
  const { body } = await byAda(instance, 'GET /admin/projects/invoicing/roles')
  return body.items.map(({ roleKey }: { readonly roleKey: string }) => roleKey).toSorted()
}

/** The sequence of each change in the history of Acme. */
const changesOfAcme = async (): Promise<readonly bigint[]> => {
  const changes: bigint[] = []
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const { body } = await byAda(0, `GET /admin/history?after=${after}`)
    for (const { sequence } of body.items) changes.push(BigInt(sequence))
    after = body.nextAfter
  }
  return changes
}

const inDatabase = async (statement: string) => {
  const pool = new pg.Pool({ connectionString: database.connectionString })
  const { rows } = await pool.query<Readonly<Record<string, string>>>(statement)
  await pool.end()
  return rows
}

/** As if so much time had passed: what an instance had to itself when it was killed is free. */
const endLeases = () => inDatabase('UPDATE app.webhooks SET due_at = now()')

/** Secrets of providers, as the log keeps them. */
const sealedSecrets = async (): Promise<readonly string[]> => {
  const rows = await inDatabase(
    `SELECT data::jsonb ->> 'clientSecret' AS sealed FROM claviger.events
     WHERE data::jsonb ? 'clientSecret'`,
  )
  return rows.flatMap(({ sealed }) => sealed ?? [])
}

const examples = join(root, 'docs/examples/b2b-saas')
const guide = readFileSync(join(root, 'docs/guides/b2b-saas.md'), 'utf8')

describe('the guide to a B2B SaaS', () => {
  const files = readdirSync(examples)
  /** Indentation aside. */
  const linesOf = (code: string) => code.replaceAll(/^ +/gm, '')
  /** Each block, and the file that was linked last before it. */
  const quotes = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => {
    const links = [...guide.slice(0, index).matchAll(/\]\(\.\.\/examples\/b2b-saas\/([\w.-]+)\)/g)]
    return { file: links.at(-1)?.[1] ?? '', code }
  })

  it.each(quotes)('quotes $file as it is', ({ file, code }) => {
    const source = readFileSync(join(examples, file), 'utf8')
    expect(linesOf(source)).toContain(linesOf(code))
  })

  it.each(files)('leads to %s', (file) => {
    expect(guide).toContain(`](../examples/b2b-saas/${file})`)
  })
})

describe('the B2B SaaS of the guide', () => {
  it('adds customers, only for operators, any number of times', async () => {
    const post = (token: string, body: object) =>
      newBrowser(shown).send('POST', `${url(0)}/operator/customers`, {
        body,
        headers: { authorization: `Bearer ${token}` },
      })
    const acme = customer('acme', 'ada@acme.example')
    expect((await post('somebody', acme)).status).toBe(401)
    expect((await post('operator', acme)).status).toBe(204)
    expect((await post('operator', acme)).status).toBe(204)
    expect((await post('operator', customer('globex', 'gus@globex.example'))).status).toBe(204)
    const malformed = await post('operator', customer('no id', 'nobody@example.com'))
    expect([malformed.status, malformed.body.code]).toEqual([400, 3])
  })

  it('signs in users of the provider of a customer, begun at one instance and finished at another', async () => {
    expect((await byAda(0, 'GET /admin/projects')).status).toBe(401)
    const entered = await ada.signIn('/sign-in/acme/sso', 'ada@acme.example', [url(0), url(1)])
    expect([entered.status, entered.headers.get('location')]).toEqual([302, '/'])
    await gus.signIn('/sign-in/globex/sso', 'gus@globex.example', [url(2), url(0)])
    const stranger = newBrowser(shown)
    const refused = await stranger.signIn('/sign-in/acme/sso', 'eve@evil.example', [url(0), url(1)])
    expect(refused.status).toBe(403)
    expect((await stranger.signIn('/sign-in/acme/other', 'eve', [url(0), url(1)])).status).toBe(404)
    expect((await byAda(2, 'GET /admin/projects')).body.totalSize).toBe(2)
  })

  it('takes no cookie that it did not sign, and no cookie for another', async () => {
    const forger = newBrowser(shown)
    const [text = '', end = '', signature = ''] = ada.cookies.get('session')?.split('.') ?? []
    const forged = [
      `${Buffer.from('somebody').toString('base64url')}.${end}.${signature}`,
      `${text}.${Number(end) + 1}.${signature}`,
      ada.cookies.get('sign_in') ?? '',
    ]
    for (const session of forged) {
      forger.cookies.set('session', session)
      expect((await as(forger)(0, 'GET /admin/projects')).status).toBe(401)
    }
  })

  it('sends the changes of a customer to that customer alone', async () => {
    for (const [by, server] of [
      [byAda, servers.acme],
      [byGus, servers.globex],
    ] as const) {
      const { status, body } = await by(0, 'PUT /admin/webhook', { body: { url: server.url } })
      expect(status).toBe(200)
      server.expect(body.webhookSecret)
    }
    expect((await byAda(0, 'PUT /admin/webhook', { body: { url: 'home' } })).status).toBe(400)
    const connector = { id: 'connector', name: 'Connector of Acme' }
    expect((await byAda(1, 'POST /admin/projects', { body: connector })).status).toBe(200)
    await until(() => servers.acme.handled.length === 1)
    const [message] = servers.acme.handled
    expect(message).toMatchObject({ type: 'project.added', data: connector })
    expect(servers.globex.delivered).toEqual([])
  })

  it('keeps customers apart', async () => {
    const { body } = await byGus(0, 'GET /admin/projects')
    expect(body.items.map(({ id }: { readonly id: string }) => id)).toEqual([
      'invoicing',
      'reports',
    ])
    const patch = { body: { name: 'Mine' } }
    expect((await byGus(1, 'PATCH /admin/projects/connector', patch)).status).toBe(404)
    expect((await byGus(2, 'GET /api/v1/projects/connector')).status).toBe(404)
    const headers = { 'x-service-orgid': 'acme' }
    expect((await byGus(2, 'GET /api/v1/projects/connector', { headers })).status).toBe(403)
    // Of the same id, not the same project.
    expect((await byGus(0, 'PATCH /admin/projects/invoicing', patch)).status).toBe(200)
    const { body: found } = await byAda(1, 'GET /api/v1/projects/invoicing')
    expect(found.project.name).toBe('Invoicing')
    const history = await byGus(1, 'GET /admin/history')
    expect(JSON.stringify(history.body)).not.toContain('acme')
  })

  it('shows on every instance what was added and patched on another', async () => {
    const auditor = { roleKey: 'auditor', displayName: 'Auditor', group: 'finance' }
    await byAda(0, 'POST /admin/projects/invoicing/roles', { body: auditor })
    for (const instance of [1, 2])
      expect(await roleKeys(instance)).toEqual(['accountant', 'auditor', 'clerk', 'viewer'])
    const patch = { body: { displayName: 'External auditor' } }
    await byAda(1, 'PATCH /admin/projects/invoicing/roles/auditor', patch)
    const { body } = await byAda(2, 'GET /api/v1/projects/invoicing/role?role_key=auditor')
    expect(body.projectRole).toMatchObject({ ...auditor, displayName: 'External auditor' })
  })

  it('refuses a change of what was changed since it was seen', async () => {
    const path = '/api/v1/projects/connector'
    const etag = (await byAda(0, `GET ${path}`)).headers.get('etag') ?? ''
    const rename = (name: string, seen: string) => ({
      body: { name },
      headers: { 'if-match': seen },
    })
    const changed = await byAda(1, 'PATCH /admin/projects/connector', rename('Connector 2', etag))
    expect(changed.status).toBe(200)
    const late = await byAda(2, 'PATCH /admin/projects/connector', rename('Connector 3', etag))
    expect([late.status, late.body.code]).toEqual([409, 9])
    const headers = { 'if-match': etag }
    const program = await byAda(0, `POST ${path}:deactivate`, { headers })
    expect([program.status, program.body.code]).toEqual([409, 9])
    const seen = `"${changed.body.details.sequence}"`
    const next = await byAda(0, 'PATCH /admin/projects/connector', rename('Connector 5', seen))
    expect(next.status).toBe(200)
    const nonsense = await byAda(0, 'PATCH /admin/projects/connector', rename('Connector 6', 'x'))
    expect(nonsense.status).toBe(400)
    expect(JSON.stringify(nonsense.body)).toContain('expectedSequence')
  })

  it('opens an application for users with one of its roles, but not for users whose role was removed', async () => {
    const { body } = await byAda(0, 'GET /admin/users')
    const path = `/admin/users/${body.items[0].id}/roles/invoicing`
    const refused = await byAda(1, 'GET /apps/invoicing')
    expect([refused.status, refused.body.details[0].reason]).toEqual([409, 'PROJECT_ROLE_REQUIRED'])
    expect((await byAda(2, `PUT ${path}/nothing`)).status).toBe(404)
    expect((await byAda(2, `PUT ${path}/auditor`)).body.changed).toBe(true)
    expect((await byAda(1, `PUT ${path}/auditor`)).body.changed).toBe(false)
    expect((await byAda(0, 'GET /apps/invoicing')).body).toEqual({
      project: 'Invoicing',
      roles: [{ roleKey: 'auditor', displayName: 'External auditor', group: 'finance' }],
    })
    expect((await byAda(0, 'GET /apps/reports')).status).toBe(409)
    // Another customer's admin gives no role to a user who is not theirs.
    expect((await byGus(0, `PUT ${path}/viewer`)).status).toBe(404)
    const reader = '/admin/projects/invoicing/users'
    const holders = async (query = '') =>
      (await byAda(1, `GET ${reader}${query}`)).body.items.map(
        ({ roleKey }: { readonly roleKey: string }) => roleKey,
      )
    expect((await byAda(2, `PUT ${path}/viewer`)).body.changed).toBe(true)
    expect(await holders()).toEqual(['auditor', 'viewer'])
    expect((await byAda(0, `DELETE ${path}/viewer`)).body.changed).toBe(true)
    expect(await holders()).toEqual(['auditor'])
    expect((await byAda(1, `GET ${reader}?at=yesterday`)).status).toBe(400)

    const before = new Date().toISOString()
    await setTimeout(2)
    await byAda(0, 'DELETE /admin/projects/invoicing/roles/auditor')
    expect((await byAda(1, 'GET /apps/invoicing')).status).toBe(409)
    const again = { roleKey: 'auditor', displayName: 'Auditor' }
    await byAda(2, 'POST /admin/projects/invoicing/roles', { body: again })
    expect((await byAda(1, 'GET /apps/invoicing')).status).toBe(409)
    expect([await holders(), await holders(`?at=${before}`)]).toEqual([[], ['auditor']])
  })

  it('lets admins alone into what is theirs', async () => {
    const mel = newBrowser(shown)
    const autoRegister = { body: { autoRegister: true } }
    expect((await byAda(0, 'PATCH /admin/providers/sso', autoRegister)).status).toBe(200)
    const signedIn = await mel.signIn('/sign-in/acme/sso', 'mel@acme.example', [url(1), url(2)])
    expect(signedIn.status).toBe(302)
    expect((await as(mel)(0, 'GET /apps/invoicing')).status).toBe(409)
    expect((await as(mel)(0, 'GET /admin/users')).status).toBe(403)
    expect((await as(mel)(0, 'GET /api/v1/projects')).status).toBe(403)
  })

  it('lets one instance send to a customer at a time, and others to others meanwhile', async () => {
    const { acme, globex } = servers
    const last = (await changesOfAcme()).at(-1)
    await until(() => acme.handled.at(-1)?.id === last)
    const [sent, already] = [acme.delivered.length, globex.handled.length]
    let release: ((status: undefined) => void) | undefined
    acme.behave({ answer: () => new Promise((resolve) => (release = resolve)) })
    await byAda(0, 'PATCH /admin/projects/connector', { body: { name: 'First' } })
    await until(() => release !== undefined)
    await byAda(1, 'PATCH /admin/projects/connector', { body: { name: 'Second' } })
    await byGus(2, 'PATCH /admin/projects/reports', { body: { name: 'Reports of Globex' } })
    await until(() => globex.handled.length > already)
    expect(acme.delivered.length).toBe(sent + 1)
    acme.behave({})
    release?.(undefined)
    await until(() => acme.handled.at(-1)?.data['name'] === 'Second')
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
    await byAda(0, 'PATCH /admin/providers/sso', { body: { clientSecret: secretOf('acme-2') } })
    await until(() => held !== undefined)
    await Promise.all(instances.map(({ kill }) => kill()))
    acme.behave({})
    await endLeases()

    // The next release, and then an instance of the older one that starts again.
    const newer = await Promise.all(
      [CURRENT, CURRENT].map((each) => startProcess(each, environment)),
    )
    instances = [...newer, await startProcess(OLDER, environment)]
    const times = () => acme.delivered.filter(({ id }) => id === held).length
    await until(() => times() > 1)
    expect(acme.handled.filter(({ id }) => id === held).length).toBe(1)
  })

  it('lets no older release undo a newer one, and leaves what a customer added', async () => {
    expect(await roleKeys(2)).toEqual(['accountant', 'approver', 'auditor', 'viewer'])
    const { body } = await byAda(2, 'GET /admin/history')
    const ofDeployment = body.items.filter(
      ({ actor }: { readonly actor: { readonly userId: string } }) => actor.userId === 'deployment',
    )
    expect(
      ofDeployment
        .map(({ type }: { readonly type: string }) => type)
        .slice(-2)
        .toSorted(),
    ).toEqual(['project_role.added', 'project_role.removed'])
  })

  it('sets back what is declared when it starts, and leaves the rest', async () => {
    const nameOf = async (by: typeof byAda, id: string) =>
      (await by(1, `GET /api/v1/projects/${id}`)).body.project.name
    expect(await nameOf(byGus, 'invoicing')).toBe('Invoicing') // was renamed
    expect(await nameOf(byAda, 'connector')).toBe('Second')
  })

  it('delivers each change at least once and in order, though an instance ends and a receiver fails', async () => {
    const { acme } = servers
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
        await instances[2]?.kill()
        await endLeases()
      }
      const added = await byAda(count % 2, 'POST /admin/projects/connector/roles', { body })
      expect(added.status).toBe(200)
    }
    await until(() => acme.handled.length - already >= 30)
    expect(Math.min(refusals, lost)).toBeGreaterThan(1) // each came a second time
    expect(acme.handled.slice(already).map(({ data }) => data['roleKey'])).toEqual(
      Array.from({ length: 30 }, (_, count) => `role-${count}`),
    )
    // All that the history has of the time since the webhook was set.
    const since = (await changesOfAcme()).filter((id) => id >= (acme.handled[0]?.id ?? 0n))
    expect(acme.handled.map(({ id }) => id)).toEqual(since)
  })

  it('shows no secret of a provider, sealed or not, to anybody', async () => {
    const { body } = await byAda(0, 'GET /admin/providers')
    expect(body.items).toMatchObject([{ clientId: 'invoicing' }])
    const sealed = await sealedSecrets()
    expect(sealed.length).toBe(3)
    const all = [...shown, ...servers.acme.delivered.map((message) => message.body)].join('\n')
    expect(all).toContain('identity_provider.oidc_config_updated')
    for (const secret of ['hush-hush', ...sealed]) expect(all).not.toContain(secret)
  })

  it('stops in good order, without a complaint', async () => {
    const [first, second] = instances
    expect(await Promise.all([first?.stop(), second?.stop()])).toEqual([0, 0])
    expect([...(first?.complaints ?? []), ...(second?.complaints ?? [])]).toEqual([])
  })
})

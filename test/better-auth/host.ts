import { DatabaseSync } from 'node:sqlite'
import { type BetterAuthOptions, type BetterAuthPlugin, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { admin, organization } from 'better-auth/plugins'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'
import { type ClavigerAuthOptions, callerOf, claviger, userDirectory } from 'claviger/better-auth'
import { realProvider, throughProvider } from '../oidc/real-provider.js'

/** What a provider says of a user, by the login. */
export interface Claims {
  readonly email: string
  readonly email_verified?: boolean
  readonly groups?: readonly string[]
}

export const as = (orgId: string) => ({ caller: { userId: 'operator', orgId } })

const hex = (organizationName: string) => `${organizationName}-secret`

/** An OpenID provider of an organization; a test may change what it says of users. */
export const startProvider = async (
  orgId: string,
  origin: string,
  users: Record<string, Claims>,
) => {
  const redirectUri = `${origin}/api/auth/claviger/sign-in/callback/${orgId}/sso`
  const client = { client_id: 'app', client_secret: hex(orgId), redirect_uris: [redirectUri] }
  const provider = await realProvider([client], {
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'] },
    findAccount: (_, id) => {
      const user = users[id]
      if (user === undefined) return undefined
      const claims = { sub: id, email_verified: true, ...user, groups: [...(user.groups ?? [])] }
      return { accountId: id, claims: () => claims }
    },
  })
  return { ...provider, users }
}

/** Refuses what PostgreSQL refuses: a condition without values. */
class StrictDatabase extends DatabaseSync {
  override prepare(sql: string) {
    if (/\bin \(\)/i.test(sql)) throw new SyntaxError(`A list without values: ${sql}`)
    return super.prepare(sql)
  }
}

/** A host with better-auth, its organizations and claviger, on databases in memory. */
export const openHost = async (
  origin: string,
  {
    plugin,
    auth: given,
    more = [],
  }: {
    readonly plugin?: Partial<ClavigerAuthOptions>
    readonly auth?: BetterAuthOptions
    readonly more?: readonly BetterAuthPlugin[]
  } = {},
) => {
  const records = new Map<string, string>()
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
    domains: {
      resolveTxt: async (name) => [[records.get(name) ?? '']],
      isPublicSuffix: (domain) => !domain.includes('.'),
    },
  })
  const sso = claviger({
    iam,
    key: new Uint8Array(32).fill(7),
    caller: (orgId) => as(orgId).caller,
    groups: { claim: 'groups' },
    allowHttpLoopback: true,
    ...plugin,
  })
  const options = {
    baseURL: origin,
    secret: 'at least thirty-two characters of ours',
    database: new StrictDatabase(':memory:'),
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    plugins: [organization(), admin(), sso, ...more],
    ...given,
  } satisfies BetterAuthOptions
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  const { adapter, internalAdapter } = await auth.$context

  /** An organization whose domain is `<id>.example`, and its provider. */
  const addOrganization = async (
    id: string,
    { issuer }: { readonly issuer: string },
    { autoRegister = false } = {},
  ): Promise<void> => {
    const row = { id, name: id, slug: id, createdAt: new Date() }
    await adapter.create({ model: 'organization', data: row, forceAllowId: true })
    const scopes = ['openid', 'email', 'profile']
    const client = { issuer, clientId: 'app', clientSecret: hex(id), scopes, autoRegister }
    await orThrow(iam.identityProviders.addOidc({ idpId: 'sso', name: id, ...client }, as(id)))
    const domain = `${id}.example`
    const { challenge } = await orThrow(iam.domains.add({ domain }, as(id)))
    records.set(`_claviger-challenge.${domain}`, challenge)
    await orThrow(iam.domains.verify({ domain }, as(id)))
    await orThrow(iam.domains.setProvider({ domain, idpId: 'sso' }, as(id)))
  }

  /** A user of the host who has not signed in yet. */
  const addUser = async (orgId: string, email: string, emailVerified = false): Promise<string> => {
    const data = { email, name: email, emailVerified }
    const { id } = await internalAdapter.createUser(data, { method: 'test' })
    const member = { organizationId: orgId, userId: id, role: 'member', createdAt: new Date() }
    await adapter.create({ model: 'member', data: member })
    return id
  }

  const rows = (model: string): Promise<Record<string, unknown>[]> => adapter.findMany({ model })
  return {
    iam,
    sso,
    auth,
    adapter,
    addOrganization,
    addUser,
    rows,
    callerOf: callerOf(auth),
    directory: userDirectory(auth),
    browser: () => newBrowser(origin, (request) => auth.handler(request)),
  }
}

export type Host = Awaited<ReturnType<typeof openHost>>

/** A browser of one user, which keeps cookies. */
const newBrowser = (origin: string, ask: (request: Request) => Promise<Response>) => {
  const cookies = new Map<string, string>()
  const headers = () =>
    new Headers({ cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') })

  const send = async (method: string, path: string, body?: object) => {
    const sent = headers()
    sent.set('sec-fetch-site', 'same-origin')
    sent.set('origin', origin)
    const isForm = body instanceof URLSearchParams
    if (body && !isForm) sent.set('content-type', 'application/json')
    const text = body && !isForm ? JSON.stringify(body) : (body ?? null)
    const request = new Request(new URL(path, origin), { method, headers: sent, body: text })
    const answer = await ask(request)
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  /** Begins by an address, or with a provider such as `acme/sso`. */
  const begin = (by: string, fields: Readonly<Record<string, string>> = {}) => {
    const [orgId = '', idpId = ''] = by.split('/')
    const choice = by.includes('@') ? { email: by } : { orgId, idpId }
    const form = new URLSearchParams({ ...choice, ...fields })
    return send('POST', '/api/auth/claviger/sign-in', form)
  }

  /** Signs in at the provider; answers the URL that it sends the browser back to. */
  const atProvider = async (by: string, login: string, fields = {}): Promise<string> => {
    const begun = await begin(by, fields)
    if (begun.status !== 303) throw new Error(`${begun.status}: ${await begun.text()}`)
    return throughProvider(begun.headers.get('location') ?? '', origin, login)
  }

  /** The answer to a whole sign-in. */
  const signIn = async (by: string, login: string, fields = {}): Promise<Response> =>
    send('GET', await atProvider(by, login, fields))

  return { cookies, headers, send, begin, atProvider, signIn }
}

export type Browser = ReturnType<typeof newBrowser>

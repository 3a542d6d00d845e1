// One Durable Object: its log, its read model, and what it answers.
import { aesGcmCipher, createIam, type IamOptions, permissionsFromCaller } from 'claviger'
import { durableObjectStore } from 'claviger/cloudflare'
import { consoleHandler } from 'claviger/console'
import { eventLine } from 'claviger/evidence'
import { fetchHandler } from 'claviger/transport'
import { callerOf } from './callers.ts'
import type { Environment, ObjectContext } from './environment.ts'

/** Your own organization, whose tokens only you sign. */
export const OPERATOR = 'operator'

/** What tells the two classes apart. */
export interface IamObjectOptions {
  /** Prefix of all paths. */
  readonly prefix: string
  readonly domains?: IamOptions['domains']
}

/** Opens the store of an object, and answers requests with it. */
export const iamObject = (
  { storage }: ObjectContext,
  env: Environment,
  { prefix, domains }: IamObjectOptions,
) => {
  const { store, readModel } = durableObjectStore(storage)
  const k1 = Uint8Array.from(atob(env.SECRETS_KEY), (letter) => letter.charCodeAt(0))
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1 } })
  const iam = createIam({ store, readModel, secrets, authorize: permissionsFromCaller, domains })
  const authenticate = (headers: Headers) => callerOf(headers, env)
  // A browser adds its cookie to requests of other sites, too. The console refuses those; here a header is asked for.
  const authenticateProgram = async (headers: Headers) =>
    headers.has('authorization') ? authenticate(headers) : undefined
  const api = fetchHandler(iam, { authenticate: authenticateProgram, basePath: prefix })
  const pages = consoleHandler(iam, { authenticate, basePath: `${prefix}/admin` })

  /** For your other workers: may this user do that? `&consistency=eventual` takes what is already applied. */
  const isAllowed = async (request: Request, query: URLSearchParams): Promise<Response> => {
    const caller = await authenticate(request.headers)
    if (caller === undefined) return new Response(null, { status: 401 })
    const { userId = '', projectId = '', projectOrgId, roleKey = '' } = Object.fromEntries(query)
    const consistency = query.get('consistency') === 'eventual' ? 'eventual' : 'strong'
    const input = { userId, projectId, projectOrgId, roleKey }
    const checked = await iam.access.check(input, { caller, consistency })
    return checked.isOk()
      ? Response.json(checked.value)
      : Response.json({ kind: checked.error.kind }, { status: 403 })
  }

  /** Part of the log, a line for each event, of all organizations of the object: for the operator alone. */
  const backup = async (request: Request, query: URLSearchParams): Promise<Response> => {
    const caller = await authenticate(request.headers)
    if (caller?.orgId !== OPERATOR) return new Response(null, { status: 403 })
    const limit = Math.min(Number(query.get('limit')), 1000)
    const events = await store.readAll(BigInt(query.get('after') ?? 0), limit)
    return new Response(events.map((event) => `${eventLine(event)}\n`).join(''))
  }

  /** Which provider signs in the user of an address. For everybody: limit its rate as you limit sign-ins. */
  const signIn = async (query: URLSearchParams): Promise<Response> => {
    const route = await iam.domains.route({ email: query.get('email') ?? '' })
    return route.isOk() && route.value !== undefined
      ? Response.json(route.value)
      : new Response(null, { status: 404 })
  }

  const answer = (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const path = pathname.slice(prefix.length)
    if (path === '/allowed') return isAllowed(request, searchParams)
    if (path === '/backup') return backup(request, searchParams)
    if (path === '/sign-in') return signIn(searchParams)
    return /^\/admin(\/|$)/.test(path) ? pages(request) : api(request)
  }

  return async (request: Request): Promise<Response> => {
    const response = await answer(request)
    // Applied now, no read has to wait for it, and eventual reads see it.
    if (request.method !== 'GET') void iam.catchUp(readModel)
    return response
  }
}

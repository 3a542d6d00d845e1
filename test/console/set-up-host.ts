import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  orThrow,
  PERMISSIONS,
  permissionsFromCaller,
} from 'claviger'
import { consoleHandler, german } from 'claviger/console'
import { openIdSignIn } from 'claviger/oidc'
import { served } from './served.js'

/** The vendor's admin, who has an account of the customer's organization. */
export const vendor: Caller = { userId: 'vera', orgId: 'globex', permissions: [...PERMISSIONS] }

/** What the sign-in of the application acts as. It is no person. */
const signer: Caller = { ...vendor, userId: 'sign-in' }

/** An application with a console, a guided set-up and a sign-in, as a vendor runs it. */
export const openVendor = async () => {
  /** The TXT records that DNS has, by name. */
  const dns = new Map<string, string>()
  /** What the server was sent: neither a URL nor the log may have a token. */
  const urls: string[] = []
  let now = new Date()
  const store = memoryEventStore()
  const iam = createIam({
    store,
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    // As strict as a host that knows its own users alone.
    authorize: (question) =>
      ['vera', 'sign-in'].includes(question.caller.userId) && permissionsFromCaller(question),
    now: () => now,
    domains: {
      isPublicSuffix: (domain) => domain === 'example',
      resolveTxt: async (name) => [[dns.get(name) ?? '']],
    },
  })
  await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, { caller: vendor }))
  const roles = [
    { roleKey: 'accountant', displayName: 'Accountant' },
    { roleKey: 'reader', displayName: 'Reader' },
  ]
  await orThrow(iam.projectRoles.addMany({ projectId: 'invoicing', roles }, { caller: vendor }))

  const { origin, close } = await served((request, response) => void answer(request, response))
  const redirectUri = ({ orgId, idpId }: { readonly orgId: string; readonly idpId: string }) =>
    `${origin}/callback/${orgId}/${idpId}`
  const signIn = openIdSignIn({
    iam,
    caller: signer,
    redirectUri,
    key: new Uint8Array(32).fill(5),
    allowHttpLoopback: true,
    lookup: false,
    userIdOf: ({ subject }) => `user-${subject}`,
    groups: { claim: 'groups' },
  })
  const console = consoleHandler(iam, {
    basePath: '/admin',
    authenticate: (headers) =>
      /who=vendor/.test(headers.get('cookie') ?? '') ? vendor : undefined,
    testIdentityProvider: signIn.test,
    redirectUri,
    signInUrl: ({ orgId, idpId }) => `/sign-in/${orgId}/${idpId}`,
    setUp: { path: '/set-up' },
    messages: { de: german },
  })
  const say = (response: ServerResponse, text: string) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(text)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '/' } = request
    urls.push(url)
    const [path = ''] = url.split('?')
    const [, page, orgId = '', idpId = ''] = path.split('/')
    if (page === 'sign-in') {
      const begin = await signIn.begin({ orgId, idpId })
      if (begin.isErr()) return say(response, `Refused: ${begin.error.kind}`)
      const begun = begin.value
      response.writeHead(302, {
        location: begun.url,
        'set-cookie': `attempt=${begun.attempt}; Path=/; HttpOnly; SameSite=Lax`,
      })
      response.end()
      return
    }
    if (page === 'callback') {
      const [, attempt = ''] = /attempt=([^;]+)/.exec(request.headers.cookie ?? '') ?? []
      const finished = await signIn.finish({ url: `${origin}${url}`, attempt })
      if (finished.isErr()) return say(response, `Refused: ${finished.error.kind}`)
      const { subject } = finished.value
      const user = { userId: `user-${subject}`, projectId: 'invoicing' }
      const { roleKeys } = await orThrow(iam.access.check(user, { caller: signer }))
      return say(response, `Signed in: ${subject} with ${roleKeys.join() || 'no role'}`)
    }
    console(request, response)
  }
  const at = (time: Date) => {
    now = time
  }
  return { iam, store, dns, urls, origin, at, close }
}

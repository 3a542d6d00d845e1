// claviger: organizations, roles, identity providers and domains, and the sign-in with them.
import { lookup } from 'node:dns'
import { resolveTxt } from 'node:dns/promises'
import { aesGcmCipher, type Caller, createIam, orThrow, permissionsFromCaller } from 'claviger'
import { isPrivateAddress, openIdSignIn, type ProviderIds } from 'claviger/oidc'
import { getPublicSuffix } from 'tldts'
import { Agent } from 'undici'
import { ADMIN, as } from './access.ts'
import { database, key, origin } from './database.ts'
import { auth, userIdOf } from './users.ts'

export const iam = createIam({
  ...database.iam,
  secrets: aesGcmCipher({ current: 'k1', keys: { k1: key('IAM_KEY') } }),
  authorize: permissionsFromCaller,
  hooks: { onFault: console.error },
  domains: { resolveTxt, isPublicSuffix: (domain) => getPublicSuffix(domain) === domain },
})

const dispatcher = new Agent({
  connect: {
    lookup: (name, options, done) =>
      lookup(name, { ...options, all: true }, (error, found) => {
        const isPrivate = found?.some(({ address }) => isPrivateAddress(address))
        done(isPrivate ? new Error('A private address') : error, found)
      }),
  },
})
/** Customers choose the addresses of providers and webhooks: none may lead into our own network. */
export const network = {
  fetch: (url: string, init: RequestInit) => fetch(url, { ...init, ...{ dispatcher } }),
  lookup: false, // the dispatcher does it
  allowHttpLoopback: origin.startsWith('http:'),
} as const

/** Each provider has a callback of its own, so that no other provider gets its codes. */
export const redirectUri = ({ orgId, idpId }: ProviderIds) =>
  `${origin}/sign-in/callback/${orgId}/${idpId}`

export const signIn = openIdSignIn({
  ...network,
  iam,
  key: key('SIGN_IN_KEY'),
  caller: (orgId) => as('sign-in', orgId).caller,
  redirectUri,
  userIdOf,
  groups: { claim: 'groups' },
})

/** The user of a session, with the permissions that their roles list. */
export const callerOf = async (headers: Headers): Promise<Caller | undefined> => {
  const session = await auth.api.getSession({ headers })
  if (!session) return undefined
  const { id: userId, orgId } = session.user
  const login = { userId, projectId: 'invoicing' }
  const { permissions } = await orThrow(iam.access.check(login, as('server', orgId)))
  return { userId, orgId, permissions: ADMIN.filter((each) => permissions.includes(each)) }
}

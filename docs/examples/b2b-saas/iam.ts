// claviger: organizations, roles, identity providers and domains, and the sign-in with them.
import { resolveTxt } from 'node:dns/promises'
import { aesGcmCipher, type Caller, createIam, permissionsFromCaller } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { getPublicSuffix } from 'tldts'
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

/** Customers choose the addresses of providers and webhooks. Only in development one may lead to this machine. */
export const network = { allowHttpLoopback: origin.startsWith('http:') }

export const signIn = openIdSignIn({
  ...network,
  iam,
  key: key('SIGN_IN_KEY'),
  caller: (orgId) => as('sign-in', orgId).caller,
  callbackBase: `${origin}/sign-in/callback`,
  userIdOf,
  groups: { claim: 'groups' },
  onFault: console.error,
})

/** The user of a session, with the permissions that their roles list. */
export const callerOf = async (headers: Headers): Promise<Caller | undefined> => {
  const session = await auth.api.getSession({ headers })
  if (!session) return undefined
  const { id: userId, orgId } = session.user
  const { permissions } = await iam.access.of({ userId, orgId, projectId: 'invoicing' }).check()
  return { userId, orgId, permissions: ADMIN.filter((each) => permissions.includes(each)) }
}

// Signs users in with the providers that you add in the console: `npm install openid-client && SIGN_IN=1 node main.ts`.
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { openIdSignIn, signInHandler } from 'claviger/oidc'
import { iam, key } from './iam.ts'

/** Where browsers see this server. */
const { ORIGIN = 'http://localhost:3000' } = process.env

const signIn = openIdSignIn({
  iam,
  key: createHash('sha256').update('sign-in').update(key).digest(),
  caller: (orgId) => ({
    userId: 'sign-in',
    orgId,
    permissions: ['identity_provider.read', 'identity_provider.secret.read'],
  }),
  callbackBase: `${ORIGIN}/sign-in/callback`,
  // Whoever a provider knows is a user, and may do nothing before you give roles. Yours are rows of a table.
  userIdOf: ({ issuer, subject }) => `${issuer} ${subject}`,
  allowHttpLoopback: ORIGIN.startsWith('http:'),
  onFault: console.error,
})

/** Sessions of this process; keep yours in a database. */
const sessions = new Map<string, string>()

/** Serves `/sign-in` and its callbacks. */
export const signInRoutes = signInHandler(signIn, {
  path: '/sign-in',
  onSignedIn: ({ userId = '' }) => {
    const id = randomBytes(32).toString('base64url')
    sessions.set(id, userId)
    return { 'set-cookie': `__Host-session=${id}; Path=/; HttpOnly; Secure; SameSite=Lax` }
  },
})

/** The user of a session; undefined without one. */
export const userOf = ({ headers }: IncomingMessage): string | undefined =>
  sessions.get(/(?:^|; )__Host-session=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '')

export const signInPage = `<!doctype html><html lang="en"><title>Sign in</title><form method="post" action="/sign-in">
<label>Organization <input name="orgId" value="acme"></label> <label>Id of the provider <input name="idpId"></label>
<button>Sign in</button></form>`

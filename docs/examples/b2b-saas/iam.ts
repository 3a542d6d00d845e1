// claviger has the roles, providers and domains of customers; better-auth has users, sessions and customers.
import { resolveTxt } from 'node:dns/promises'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { organization } from 'better-auth/plugins'
import { aesGcmCipher, createIam, permissionsFromCaller, permissionsFromRoles } from 'claviger'
import { claviger, tenantsOf } from 'claviger/better-auth'
import { getPublicSuffix } from 'tldts'
import * as z from 'zod'
import { as } from './access.ts'
import { opened, users } from './database.ts'

export const { ORIGIN = 'http://localhost:8080', PORT = '8080', HOST = '127.0.0.1' } = process.env
export const setting = (name: string) => z.string(`${name} is not set`).parse(process.env[name])
/** 32 bytes, as `openssl rand -base64 32` prints them; the same in all instances. */
const key = (name: string) => new Uint8Array(Buffer.from(setting(name), 'base64'))

/** From every user: admins can write any permission into a role. */
const withhold = ['identity_provider.secret.read', 'desired_state.write'] as const
const byRoles = permissionsFromRoles({ iam: () => iam, projectId: 'invoicing', withhold })
export const iam = createIam({
  ...opened,
  secrets: aesGcmCipher({ current: 'k1', keys: { k1: key('IAM_KEY') } }),
  authorize: (question) => permissionsFromCaller(question) || byRoles(question),
  hooks: { onFault: console.error },
  domains: { resolveTxt, isPublicSuffix: (domain) => getPublicSuffix(domain) === domain },
})

/** Customers choose URLs of providers and webhooks. Only in development one may lead to this machine. */
export const network = { allowHttpLoopback: ORIGIN.startsWith('http:'), onFault: console.error }
const signIn = { key: key('SIGN_IN_KEY'), groups: { claim: 'groups' } }
export const sso = claviger({ ...network, ...signIn, iam, caller: as('sign-in') })

const fixed = { baseURL: ORIGIN, secret: setting('AUTH_SECRET'), database: users }
const plugins = [organization({ allowUserToCreateOrganization: false }), sso]
/** `__Host-`: no other subdomain can set such a cookie. */
const cookies = { cookiePrefix: '__Host-auth', defaultCookieAttributes: { secure: true } }
const advanced = { ...cookies, useSecureCookies: false } // would write `__Secure-` before it
export const options: BetterAuthOptions = { ...fixed, plugins, advanced }
export const auth = betterAuth(options)
export const tenants = tenantsOf(auth)

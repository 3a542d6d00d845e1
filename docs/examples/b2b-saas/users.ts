// Users and sessions, which better-auth keeps, and beside them customers and webhooks.
import { type BetterAuthOptions, betterAuth, type Where } from 'better-auth'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import type { BetterAuthPluginDBSchema } from 'better-auth/db'
import { getMigrations } from 'better-auth/db/migration'
import type { UserDescription, UserDirectory } from 'claviger/console'
import type { SignedIn } from 'claviger/oidc'
import * as z from 'zod'
import { database, origin, setting } from './database.ts'

const body = z.object({ userId: z.string() })
/** Has no path: only this server calls it, for a user whom claviger has verified. */
const startSession = createAuthEndpoint({ method: 'POST', body }, async (ctx) => {
  const { internalAdapter } = ctx.context
  const user = await internalAdapter.findUserById(ctx.body.userId)
  if (!user) throw new Error('The user is gone')
  await setSessionCookie(ctx, { user, session: await internalAdapter.createSession(user.id) })
})

const schema = {
  user: { fields: { orgId: { type: 'string', input: false } } },
  // One user for each identity, even if two requests register it at the same time.
  account: { fields: {}, indexes: [{ fields: ['providerId', 'accountId'], unique: true }] },
  customer: { fields: { name: { type: 'string' } } },
  webhook: { fields: { url: { type: 'string' }, secret: { type: 'string' } } },
} satisfies BetterAuthPluginDBSchema

const options = {
  baseURL: origin,
  secret: setting('AUTH_SECRET'),
  database: database.users,
  plugins: [{ id: 'tenants', schema, endpoints: { startSession } }],
  ...(origin.startsWith('https:') && {
    advanced: {
      cookiePrefix: '__Host-auth', // no other subdomain can set such a cookie
      useSecureCookies: false, // would write `__Secure-` before it
      defaultCookieAttributes: { secure: true },
    },
  }),
} satisfies BetterAuthOptions
await database.exclusively(async () => (await getMigrations(options)).runMigrations())
export const auth = betterAuth(options)
const { adapter, internalAdapter } = await auth.$context

const is = (field: string, value: string) => ({ field, value })
/** An address of an own domain is a fact; any other name is what its user chose at a provider. */
const usersIn = async (orgId: string, condition: Where) => {
  const where = [is('orgId', orgId), condition]
  const found = await adapter.findMany<UserDescription>({ model: 'user', where })
  return found.map(({ id, name, email }) =>
    email?.endsWith('@no.invalid') ? { id, name: `${name} (unverified)` } : { id, name, email },
  )
}

/** Names and finds users for the console. */
export const directory: UserDirectory = {
  describe: (ids, { orgId }) => usersIn(orgId, { field: 'id', operator: 'in', value: [...ids] }),
  find: (text, { orgId }) =>
    usersIn(orgId, { field: 'name', operator: 'contains', value: text, mode: 'insensitive' }),
}

const userWith = async (orgId: string, email: string): Promise<string | undefined> =>
  (await usersIn(orgId, is('email', email.toLowerCase())))[0]?.id

/** Adds a user who signs in now or later, unless the organization has one with the address. */
export const addUser = async (orgId: string, name: string, email?: string): Promise<string> => {
  const unique = email?.toLowerCase() ?? `${crypto.randomUUID()}@no.invalid` // for better-auth
  const data = { orgId, name, email: unique, emailVerified: false }
  const known = await userWith(orgId, unique)
  return known ?? (await adapter.create<typeof data & { id: string }>({ model: 'user', data })).id
}

/** The user who signed in: known, invited, or registered; undefined if the provider registers nobody. */
export const userIdOf = async (user: SignedIn): Promise<string | undefined> => {
  const { orgId, issuer, subject, displayName } = user
  const identity = { providerId: `${orgId} ${issuer}`, accountId: subject }
  const known = await internalAdapter.findAccountByKey(identity)
  if (known) return known.userId
  // A provider may claim any address: one counts only if its domain is set to this provider.
  const email = user.emailIsOwn ? user.email : undefined
  if (!user.mayAutoRegister && !(email && (await userWith(orgId, email)))) return undefined
  const userId = await addUser(orgId, email ?? displayName, email)
  await internalAdapter.linkAccount({ ...identity, userId })
  return userId
}

/** The id of a customer is the id of its organization. It has one webhook at most, under the same id. */
export const allOf = <Row>(model: 'customer' | 'webhook') =>
  adapter.findMany<Row & { id: string }>({ model, limit: 1_000_000 })

export const save = async (model: 'customer' | 'webhook', id: string, row: object) => {
  const where = [is('id', id)]
  if (!(await adapter.update({ model, where, update: { ...row } })))
    await adapter.create({ model, data: { id, ...row }, forceAllowId: true })
}

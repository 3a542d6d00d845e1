// better-auth keeps users, sessions and customers, its organizations; and beside them webhooks.
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import type { BetterAuthPluginDBSchema } from 'better-auth/db'
import { getMigrations } from 'better-auth/db/migration'
import { organization } from 'better-auth/plugins'
import type { Caller } from 'claviger'
import { callerOf, claviger, userDirectory } from 'claviger/better-auth'
import { ADMIN, as } from './access.ts'
import { database, key, origin, setting } from './database.ts'
import { iam, network } from './iam.ts'

/** Signs users in through the providers of customers. */
export const sso = claviger({
  ...network,
  iam,
  key: key('SIGN_IN_KEY'),
  caller: (orgId) => as('sign-in', orgId).caller,
  groups: { claim: 'groups' },
  onFault: console.error,
})

const schema = {
  webhook: { fields: { url: { type: 'string' }, secret: { type: 'string' } } },
} satisfies BetterAuthPluginDBSchema

const options = {
  baseURL: origin,
  secret: setting('AUTH_SECRET'),
  database: database.users,
  plugins: [
    organization({ allowUserToCreateOrganization: false }),
    sso,
    { id: 'webhooks', schema },
  ],
  ...(origin.startsWith('https:') && {
    advanced: {
      cookiePrefix: '__Host-auth', // no other subdomain can set such a cookie
      useSecureCookies: false, // would write `__Secure-` before it
      defaultCookieAttributes: { secure: true },
    },
  }),
} satisfies BetterAuthOptions
const columns = 'id text PRIMARY KEY, org_id text, approver text, total integer'
await database.exclusively(async () => {
  await (await getMigrations(options)).runMigrations()
  await database.rows(`CREATE TABLE IF NOT EXISTS invoice (${columns})`)
})
export const auth = betterAuth(options)
const { adapter, internalAdapter } = await auth.$context

/** Names and finds users for the console. */
export const directory = userDirectory(auth)

const sessionOf = callerOf(auth)
/** The user of a session, with the permissions that their roles list. */
export const authenticate = async (headers: Headers): Promise<Caller | undefined> => {
  const caller = await sessionOf(headers)
  if (!caller) return undefined
  const { permissions } = await iam.access.of({ ...caller, projectId: 'invoicing' }).check()
  return { ...caller, permissions: ADMIN.filter((each) => permissions.includes(each)) }
}

/** Adds a user who signs in later, unless the customer has them. */
export const addUser = async (organizationId: string, email: string): Promise<string> => {
  const data = { name: email, email, emailVerified: false }
  const known = await internalAdapter.findUserByEmail(email)
  const { id: userId } =
    known?.user ?? (await internalAdapter.createUser(data, { method: 'added' }))
  const where = Object.entries({ organizationId, userId }).map(([field, value]) => ({
    field,
    value,
  }))
  if (!(await adapter.findOne({ model: 'member', where })))
    await auth.api.addMember({ body: { organizationId, userId, role: 'member' } })
  return userId
}

/** The id of a customer is the id of its organization. It has one webhook at most, under the same id. */
export const allOf = <Row>(model: 'organization' | 'webhook') =>
  adapter.findMany<Row & { id: string }>({ model, limit: 1_000_000 })

export const save = async (model: 'organization' | 'webhook', id: string, row: object) => {
  const where = [{ field: 'id', value: id }]
  if (!(await adapter.update({ model, where, update: { ...row } })))
    await adapter.create({ model, data: { id, createdAt: new Date(), ...row }, forceAllowId: true })
}

import type { Where } from 'better-auth'
import type { UserDescription, UserDirectory } from '../console/index.js'
import type { AuthServer } from './caller.js'
import { is, type Tables } from './members.js'

/** A user of better-auth. */
interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
}

/** Most users that one statement names: databases bound its parameters. */
const CHUNK = 500
/** As many as the console shows. */
const MOST = 20
const ALL = 1_000_000

/**
 * The members of an organization, for the option `users` of the console. Users choose their names, so each name is
 * followed by the verified address, or by "(unverified)" for a user without one.
 *
 * @example
 * consoleHandler(iam, { authenticate: callerOf(auth), users: userDirectory(auth) })
 */
export const userDirectory = (auth: Pick<AuthServer, '$context'>): UserDirectory => ({
  describe: async (ids, { orgId }) => {
    const { adapter } = await auth.$context
    const ofOrganization = [is('organizationId', orgId)]
    const members = await rowsIn<Member>(adapter, 'member', 'userId', ids, ofOrganization)
    return (await usersOf(adapter, members)).map(described)
  },
  find: async (text, { orgId }) => {
    const { adapter } = await auth.$context
    const where = [is('organizationId', orgId)]
    const members = await adapter.findMany<Member>({ model: 'member', where, limit: ALL })
    const found: UserDescription[] = []
    for (let at = 0; at < members.length && found.length < MOST; at += CHUNK)
      for (const user of (await usersOf(adapter, members.slice(at, at + CHUNK))).map(described))
        if (user.name.toLowerCase().includes(text.toLowerCase())) found.push(user)
    return found
  },
})

interface Member {
  readonly userId: string
}

const usersOf = (tables: Tables, members: readonly Member[]): Promise<readonly User[]> =>
  rowsIn<User>(
    tables,
    'user',
    'id',
    members.map(({ userId }) => userId),
  )

/** Rows whose field has one of the values. Databases refuse a list without any. */
const rowsIn = async <Row>(
  tables: Tables,
  model: string,
  field: string,
  values: readonly string[],
  also: Where[] = [],
): Promise<readonly Row[]> => {
  if (values.length === 0) return []
  const where = [...also, { field, operator: 'in' as const, value: [...values] }]
  return tables.findMany<Row>({ model, where, limit: CHUNK })
}

const described = ({ id, name, email, emailVerified }: User): UserDescription => {
  if (!emailVerified) return { id, name: `${name} (unverified)` }
  return { id, name: name === email ? email : `${name} (${email})`, email }
}

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
    const members = await membersOf(adapter, orgId, ids)
    return (await usersOf(adapter, members)).map(described)
  },
  find: async (text, { orgId }) => {
    const { adapter } = await auth.$context
    const members = await membersOf(adapter, orgId)
    const found: UserDescription[] = []
    for (let at = 0; at < members.length && found.length < MOST; at += CHUNK)
      for (const user of (await usersOf(adapter, members.slice(at, at + CHUNK))).map(described))
        if (user.name.toLowerCase().includes(text.toLowerCase())) found.push(user)
    return found
  },
})

/** Ids of members, among `ids` if there are any. */
const membersOf = async (
  tables: Tables,
  orgId: string,
  ids?: readonly string[],
): Promise<readonly string[]> => {
  const among = ids ? [{ field: 'userId', operator: 'in' as const, value: [...ids] }] : []
  const members = await tables.findMany<{ readonly userId: string }>({
    model: 'member',
    where: [is('organizationId', orgId), ...among],
    limit: ALL,
  })
  return members.map(({ userId }) => userId)
}

const usersOf = (tables: Tables, ids: readonly string[]): Promise<readonly User[]> =>
  tables.findMany<User>({
    model: 'user',
    where: [{ field: 'id', operator: 'in', value: [...ids] }],
    limit: CHUNK,
  })

const described = ({ id, name, email, emailVerified }: User): UserDescription => {
  if (!emailVerified) return { id, name: `${name} (unverified)` }
  return { id, name: name === email ? email : `${name} (${email})`, email }
}

import { addMember, is, isMember, type WritableTables } from './members.js'

/** What `betterAuth` returns, as far as `tenantsOf` uses it. */
export interface TenantServer {
  /** The context of better-auth, which has its tables. */
  readonly $context: Promise<{
    /** The tables of the host, for writes too. */
    readonly adapter: WritableTables
    /** Users and sessions. */
    readonly internalAdapter: {
      /** Returns the user with an address. */
      readonly findUserByEmail: (email: string) => Promise<{
        /** The user. */
        readonly user: User
      } | null>
      /** Adds a user, as the hooks of better-auth have it. */
      readonly createUser: (
        data: {
          /** Shown name. `addMember` passes the address. */
          readonly name: string
          /** Address, in lower case. */
          readonly email: string
          /** `addMember` passes `false`: the first sign-in proves the address. */
          readonly emailVerified: boolean
        },
        source: {
          /** Tells the hooks of better-auth what added the user. */
          readonly method: string
        },
      ) => Promise<User>
      /** Deletes a user with accounts and sessions. */
      readonly deleteUser: (userId: string) => Promise<unknown>
      /** Returns the sessions of a user. */
      readonly listSessions: (userId: string) => Promise<
        readonly {
          /** Names the session in `deleteSession`. */
          readonly token: string
        }[]
      >
      /** Ends a session. */
      readonly deleteSession: (token: string) => Promise<unknown>
    }
  }>
}

/** A user. */
interface User {
  /** The user id, in better-auth and in claviger. */
  readonly id: string
}

/** An organization. */
interface Tenant {
  /** Id of the organization, in better-auth and in claviger. */
  readonly id: string
  /** Shown name. */
  readonly name: string
}

/** The tenants of a host: organizations of better-auth, with the same ids as in claviger. Every method may be repeated. */
export interface Tenants {
  /** Adds an organization under an id of yours, unless it is there. */
  readonly add: (tenant: Tenant) => Promise<void>
  /** Returns all organizations. */
  readonly list: () => Promise<readonly Tenant[]>
  /**
   * Adds a member by the address, who signs in later, and returns the user id. The user is found by the address, or
   * added with an unverified one, which the first sign-in proves.
   */
  readonly addMember: (member: {
    /** The organization. */
    readonly orgId: string
    /** E-mail address; upper and lower case count as equal. */
    readonly email: string
  }) => Promise<string>
  /**
   * Deletes a member: the membership, the sessions in the organization, and the user if no other organization has
   * them. First call `userGrants.removeAllOfUser`, which removes their roles.
   */
  readonly deleteMember: (member: {
    /** The organization. */
    readonly orgId: string
    /** The user id, as `addMember` returned it. */
    readonly userId: string
  }) => Promise<void>
  /** Deletes an organization, its invitations and its members, as `deleteMember` does. Nobody signs in to it any more. */
  readonly delete: (orgId: string) => Promise<void>
}

const ALL = 1_000_000

/**
 * Adds and deletes tenants and their members in better-auth with the plugin `organization`: for your operators, who
 * act without a session. Roles stay with claviger.
 *
 * @example
 * const tenants = tenantsOf(auth)
 * await tenants.add({ id: 'acme', name: 'Acme' })
 * const userId = await tenants.addMember({ orgId: 'acme', email: 'ada@acme.example' })
 */
export const tenantsOf = (auth: TenantServer): Tenants => {
  const deleteMember: Tenants['deleteMember'] = async ({ orgId, userId }) => {
    const { adapter, internalAdapter } = await auth.$context
    const ofUser = [is('userId', userId)]
    const where = [is('organizationId', orgId), ...ofUser]
    if (!(await isMember(adapter, orgId, userId))) return
    const others = (
      await adapter.findMany<{ readonly organizationId: string }>({
        model: 'member',
        where: ofUser,
      })
    ).filter(({ organizationId }) => organizationId !== orgId)
    for (const session of await internalAdapter.listSessions(userId))
      if (ORGANIZATION_FIELDS.some((field) => Reflect.get(session, field) === orgId))
        await internalAdapter.deleteSession(session.token)
    if (others.length === 0) await internalAdapter.deleteUser(userId)
    // Last, so that a call that was interrupted finds the member again.
    await adapter.deleteMany({ model: 'member', where })
  }
  return {
    add: async ({ id, name }) => {
      const { adapter } = await auth.$context
      const find = () => adapter.findOne({ model: 'organization', where: [is('id', id)] })
      if (await find()) return
      const data = { id, name, slug: id, createdAt: new Date() }
      try {
        await adapter.create({ model: 'organization', data, forceAllowId: true })
      } catch (thrown) {
        // Another call was first: ids are unique.
        if (!(await find())) throw thrown
      }
    },
    list: async () =>
      (await auth.$context).adapter.findMany({ model: 'organization', where: [], limit: ALL }),
    addMember: async ({ orgId, email }) => {
      const { adapter, internalAdapter } = await auth.$context
      const address = email.toLowerCase()
      const find = async () => (await internalAdapter.findUserByEmail(address))?.user
      const create = () =>
        internalAdapter.createUser(
          { name: address, email: address, emailVerified: false },
          { method: 'claviger' },
        )
      const user =
        (await find()) ??
        (await create().catch(async (thrown: unknown) => {
          // Another call was first: addresses are unique.
          const first = await find()
          if (!first) throw thrown
          return first
        }))
      if (!(await isMember(adapter, orgId, user.id))) await addMember(adapter, orgId, user.id)
      return user.id
    },
    deleteMember,
    delete: async (orgId) => {
      const { adapter } = await auth.$context
      const where = [is('organizationId', orgId)]
      const find = () =>
        adapter.findMany<{ readonly userId: string }>({ model: 'member', where, limit: ALL })
      // Users may sign in meanwhile.
      for (let members = await find(); members.length > 0; members = await find())
        for (const { userId } of members) await deleteMember({ orgId, userId })
      await adapter.deleteMany({ model: 'invitation', where })
      await adapter.delete({ model: 'organization', where: [is('id', orgId)] })
    },
  }
}

/** Where sessions say in which organization they are. */
const ORGANIZATION_FIELDS = ['activeOrganizationId', 'signedInOrgId']

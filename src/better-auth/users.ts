import type { AuthContext, User } from 'better-auth'
import type { SignedIn } from '../oidc/index.js'
import { addMember, is, isInvited, isMember } from './members.js'

/** An account of better-auth: a user at a provider. */
interface Identity {
  readonly providerId: string
  readonly accountId: string
}

/** Makes the address that stands for an identity without an own address. */
type PseudonymOf = (identity: Identity) => Promise<string>

/**
 * better-auth demands a unique address. This one is the same for each sign-in of an identity, and nobody can register
 * it before, since only the key makes it.
 */
export const pseudonyms = (key: Uint8Array): PseudonymOf => {
  const bytes = new Uint8Array(key)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  return async ({ providerId, accountId }) => {
    const signing = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign'])
    const text = JSON.stringify(['claviger user', providerId, accountId])
    const signed = await crypto.subtle.sign(hmac, signing, new TextEncoder().encode(text))
    const hex = [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, '0'))
    return `${hex.join('')}@no.invalid`
  }
}

/** Who came back from a provider. */
interface Arrival {
  readonly orgId: string
  readonly identity: Identity
  /** The address, if it is the user's own: a provider may claim any other. */
  readonly own: string | undefined
  /** The own address, or one that stands for the identity. */
  readonly address: string
  readonly name: string
}

/**
 * The id of the user who signed in: known, invited or registered. Undefined if the organization has ended in
 * better-auth, if it neither has nor invited the user and the provider registers nobody, or if the address belongs to
 * another user of the provider.
 */
export const userIdOf = async (
  context: AuthContext,
  signedIn: SignedIn,
  pseudonymOf: PseudonymOf,
): Promise<string | undefined> => {
  const { adapter, internalAdapter } = context
  const { orgId, issuer, subject, displayName: name, mayAutoRegister } = signedIn
  const organization = await adapter.findOne({ model: 'organization', where: [is('id', orgId)] })
  if (!organization) return undefined
  const identity = { providerId: `claviger:${orgId}:${issuer}`, accountId: subject }
  const own = signedIn.emailIsOwn ? signedIn.email?.toLowerCase() : undefined
  const address = own ?? (await pseudonymOf(identity))
  const account = await internalAdapter.findAccountByKey(identity)
  const known = account
    ? await internalAdapter.findUserById(account.userId)
    : await userWith(context, address)
  const isIn = known !== null && (await isMember(adapter, orgId, known.id))
  const isAwaited = own !== undefined && (await isInvited(adapter, orgId, own))
  if (!isIn && !isAwaited && !mayAutoRegister) return undefined
  if (account && known) await followAddress(context, known, own)
  const arrival = { orgId, identity, own, address, name }
  const user = account && known ? known : await linkedUser(context, arrival, known)
  // An invitation names a role: better-auth makes the member when it is accepted.
  if (user && !isIn && !isAwaited) await addMember(adapter, orgId, user.id)
  return user?.id
}

const userWith = async ({ internalAdapter }: AuthContext, address: string): Promise<User | null> =>
  (await internalAdapter.findUserByEmail(address))?.user ?? null

/** A linked user who has a new own address, such as after a marriage, or the first one. */
const followAddress = async (
  context: AuthContext,
  user: User,
  own: string | undefined,
): Promise<void> => {
  if (own === undefined || own === user.email || (await userWith(context, own))) return
  await context.internalAdapter.updateUser(user.id, { email: own, emailVerified: true })
}

/** Links the identity to the user with its address, or to a new one; undefined if it is the address of another user. */
const linkedUser = async (
  context: AuthContext,
  arrival: Arrival,
  known: User | null,
): Promise<User | undefined> => {
  const { internalAdapter, logger } = context
  const { orgId, identity, own, address, name } = arrival
  if (known === null) {
    const data = { email: address, name, emailVerified: own !== undefined }
    try {
      const created = await internalAdapter.createUser(data, { method: 'claviger' })
      return await link(context, identity, created)
    } catch (thrown) {
      // Another sign-in was first: addresses are unique.
      const first = await userWith(context, address)
      if (!first) throw thrown
      return linkedUser(context, arrival, first)
    }
  }
  const others = (await internalAdapter.findAccounts(known.id)).filter(
    ({ providerId, accountId }) =>
      providerId !== identity.providerId || accountId !== identity.accountId,
  )
  // Addresses are given to new employees; roles are not.
  if (others.some(({ providerId }) => providerId === identity.providerId)) {
    logger.warn(`${address} of ${orgId} signed in with another subject than user ${known.id}`)
    return undefined
  }
  if (own !== undefined && !known.emailVerified) await revokeUnproven(context, known, orgId, others)
  return link(context, identity, known)
}

const link = async (
  { internalAdapter }: AuthContext,
  identity: Identity,
  user: User,
): Promise<User> => {
  const linkedTo = async () => (await internalAdapter.findAccountByKey(identity))?.userId
  try {
    if ((await linkedTo()) !== user.id)
      await internalAdapter.linkAccount({ ...identity, userId: user.id })
  } catch (thrown) {
    // Another sign-in was first: the table has a unique index.
    if ((await linkedTo()) !== user.id) throw thrown
  }
  return user
}

/** Where plugins of better-auth keep other ways to sign in. */
const CREDENTIALS = ['passkey', 'walletAddress', 'apikey']

/**
 * Somebody else may have registered the address before, and waits for its owner (account pre-hijacking). So all that
 * was there before the address was proven ends: passwords, links, sessions, passkeys.
 */
const revokeUnproven = async (
  { adapter, internalAdapter, tables }: AuthContext,
  user: User,
  orgId: string,
  accounts: readonly { readonly id: string }[],
): Promise<void> => {
  for (const { id } of accounts) await internalAdapter.deleteAccount(id)
  const sessions = await internalAdapter.listSessions(user.id)
  for (const session of sessions)
    if (Reflect.get(session, 'signedInOrgId') !== orgId)
      await internalAdapter.deleteSession(session.token)
  for (const model of CREDENTIALS) {
    const owner = ['userId', 'referenceId'].find((field) => tables[model]?.fields[field])
    if (owner) await adapter.deleteMany({ model, where: [is(owner, user.id)] })
  }
  const phone = tables['user']?.fields['phoneNumber'] && { phoneNumber: null }
  await internalAdapter.updateUser(user.id, { ...phone, emailVerified: true })
}

// Users are the host's own: claviger knows their ids alone.
import type { Caller, Iam } from 'claviger'
import type { SignedIn } from 'claviger/oidc'

interface Account {
  readonly userId: string
  readonly orgId: string
  readonly email: string | undefined
  readonly displayName: string
  /** Issuer and subject of each provider that the user signs in with. */
  readonly identities: Set<string>
}

/** The users of the host; a table in production. */
export const openAccounts = (iam: Iam, callerIn: (orgId: string) => Caller) => {
  const accounts: Account[] = []
  const identityOf = ({ issuer, subject }: SignedIn): string => JSON.stringify([issuer, subject])

  const add = (
    account: Omit<Account, 'userId' | 'identities'>,
    ...identities: string[]
  ): string => {
    const userId = `user-${accounts.length + 1}`
    accounts.push({ ...account, userId, identities: new Set(identities) })
    return userId
  }

  /** A provider may claim any address: one counts only if it is verified, and its domain is the organization's. */
  const ownEmail = async ({ orgId, email, emailVerified }: SignedIn) => {
    if (email === undefined || !emailVerified) return undefined
    const domain = email.slice(email.lastIndexOf('@') + 1)
    const found = await iam.domains.get({ domain }, { caller: callerIn(orgId) })
    return found.isOk() && found.value.state === 'verified' ? email : undefined
  }

  /** The user who signed in: known, linked by address, or registered; undefined when none of these may be. */
  const userIdOf = async (user: SignedIn): Promise<string | undefined> => {
    const { orgId, displayName } = user
    const identity = identityOf(user)
    const own = accounts.filter((account) => account.orgId === orgId)
    const known = own.find(({ identities }) => identities.has(identity))
    if (known !== undefined) return known.userId
    const email = await ownEmail(user)
    const linked = email && own.find((account) => account.email === email)
    if (linked) {
      linked.identities.add(identity)
      return linked.userId
    }
    return user.mayAutoRegister ? add({ orgId, email, displayName }, identity) : undefined
  }

  return { add, userIdOf }
}

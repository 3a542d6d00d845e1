// Users are the host's own: claviger knows their ids alone.
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
export const openAccounts = () => {
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

  /** The user who signed in: known, linked by address, or registered; undefined when none of these may be. */
  const userIdOf = (user: SignedIn): string | undefined => {
    const { orgId, displayName } = user
    const identity = identityOf(user)
    const own = accounts.filter((account) => account.orgId === orgId)
    const known = own.find(({ identities }) => identities.has(identity))
    if (known !== undefined) return known.userId
    // A provider may claim any address: one counts only if its domain is set to this provider.
    const email = user.emailIsOwn ? user.email : undefined
    const linked =
      email && own.find((account) => account.email?.toLowerCase() === email.toLowerCase())
    if (linked) {
      linked.identities.add(identity)
      return linked.userId
    }
    return user.mayAutoRegister ? add({ orgId, email, displayName }, identity) : undefined
  }

  return { add, userIdOf }
}

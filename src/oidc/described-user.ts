import type { Authenticated } from './callback.js'
import { groupsIn } from './groups.js'
import type { Setup } from './options.js'
import { fromHost, Refused } from './refusal.js'
import { isTrusted, type SignedIn, userOf } from './signed-in.js'

/** The user of a callback, with their groups and whether the address is their own. @throws Refused */
export const describedUser = async (setup: Setup, from: Authenticated): Promise<SignedIn> => {
  const { stored, claims, missing } = from
  const { provider } = stored
  const user = userOf(provider, from)
  const emailIsOwn = isTrusted(user, provider.signIn) && (await isOwnEmail(setup, user))
  const email = emailIsOwn && user.email !== undefined ? { email: inOneForm(user.email) } : {}
  const option = await fromHost(() => setup.groupsOf(provider))
  const groups = option && { groups: groupsIn(claims, option, missing === undefined) }
  return { ...user, ...email, emailIsOwn, ...groups }
}

/** Whether the provider may be believed about the address, and is the provider of its domain. @throws Refused */
const isOwnEmail = async (
  { options }: Setup,
  { orgId, idpId, email }: Omit<SignedIn, 'emailIsOwn'>,
): Promise<boolean> => {
  if (email === undefined) return false
  const route = await options.iam.domains.route({ email })
  if (route.isOk()) return route.value?.orgId === orgId && route.value.idpId === idpId
  // A provider may send any text as an address.
  if (route.error.kind === 'InvalidArgument') return false
  throw new Refused(route.error)
}

/** An address whose domain is written as it was compared: a domain has many spellings, such as `bücher.example`. */
const inOneForm = (email: string): string => {
  const at = email.lastIndexOf('@') + 1
  return `${email.slice(0, at)}${new URL(`http://${email.slice(at)}`).hostname}`
}

import type { AdmissionRule, RoleMapping } from '../index.js'
import { unmetRules } from './admission.js'
import { authenticated } from './callback.js'
import { describedUser } from './described-user.js'
import type { FinishInput } from './input.js'
import type { Setup } from './options.js'
import { orRefuse } from './refusal.js'
import type { SignedIn } from './signed-in.js'

/** What a sign-in would do. */
export interface SignInPreview {
  /** The user as `finish` would return it, without tokens: with all claims, and with the groups that were found. */
  readonly user: Omit<SignedIn, 'tokens' | 'userId' | 'access'>
  /** The rules of `admit` that the user does not meet; empty if the user may sign in. */
  readonly unmetRules: readonly AdmissionRule[]
  /** The role mappings of the provider whose group the user has: at most 1,000. */
  readonly mappings: readonly RoleMapping[]
}

/** Most mappings of a preview. */
const MAX_MAPPINGS = 1_000

const PAGE_SIZE = 1_000

/** @throws Refused */
export const preview = async (setup: Setup, input: FinishInput): Promise<SignInPreview> => {
  const from = await authenticated(setup, input, { isPreview: true })
  const { tokens: _, ...user } = await describedUser(setup, from)
  return {
    user,
    unmetRules: unmetRules(user.claims, from.stored.provider.signIn),
    mappings: await matchingMappings(setup, user),
  }
}

const matchingMappings = async (
  { options: { iam }, contextOf }: Setup,
  { orgId, idpId, groups }: SignInPreview['user'],
): Promise<readonly RoleMapping[]> => {
  if (!iam.roleMappings || groups === undefined || groups === 'unavailable') return []
  const held = new Set(groups)
  const context = await contextOf(orgId)
  const found: RoleMapping[] = []
  let pageToken: string | undefined
  do {
    const input = { filter: { idpId: { equals: idpId } }, pageSize: PAGE_SIZE, pageToken }
    const page = await orRefuse(iam.roleMappings.list(input, context))
    found.push(...page.items.filter(({ group }) => held.has(group)))
    pageToken = page.nextPageToken
  } while (pageToken !== undefined && found.length < MAX_MAPPINGS)
  return found.slice(0, MAX_MAPPINGS)
}

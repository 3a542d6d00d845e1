/** Option `groups` of `openIdSignIn`. */
export interface GroupsOption {
  /** Claim of the ID token or the user info that names the groups of a user: 1 to 200 characters. */
  readonly claim: string
}

/** Most groups that a membership takes. */
const MAX_GROUPS = 1_000

/**
 * The groups in the claims about a user: of a list, of one text, or of no claim. `unavailable` when the provider says that
 * it left them out, as Entra ID does for a user of many groups; when there are more than 1,000; or when the claim is
 * anything else.
 */
export const groupsIn = (
  claims: Readonly<Record<string, unknown>>,
  { claim }: GroupsOption,
): readonly string[] | 'unavailable' => {
  // OpenID Connect Core, section 5.6.2: the names of claims that are found elsewhere.
  if (Object.hasOwn(Object(claims['_claim_names']), claim)) return 'unavailable'
  const named = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (named === undefined || named === null) return []
  if (typeof named !== 'string' && !Array.isArray(named)) return 'unavailable'
  const groups = [...new Set([named].flat().filter(isGroup))]
  return groups.length > MAX_GROUPS ? 'unavailable' : groups
}

/** Whether a mapping can name it; a provider may put anything in a list. */
const isGroup = (value: unknown): value is string =>
  typeof value === 'string' && /^[^\0\p{Surrogate}]{1,200}$/u.test(value)

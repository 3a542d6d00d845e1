/** Option `groups` of `openIdSignIn`. */
export interface GroupsOption {
  /** Name of the claim, in the ID token or the user info, that has the user's groups: 1 to 200 characters. */
  readonly claim: string
}

/** Most groups of a membership report. */
const MAX_GROUPS = 1_000

/**
 * Reads the groups in a user's claims: a list, one text, or none without the claim. `unavailable` if the provider left
 * them out, as Entra ID does for a user with many groups; if there are more than 1,000; or if the claim has another
 * form.
 */
export const groupsIn = (
  claims: Readonly<Record<string, unknown>>,
  { claim }: GroupsOption,
): readonly string[] | 'unavailable' => {
  // OpenID Connect Core, section 5.6.2: the names of claims that must be fetched from elsewhere.
  if (Object.hasOwn(Object(claims['_claim_names']), claim)) return 'unavailable'
  const named = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (named === undefined || named === null) return []
  if (typeof named !== 'string' && !Array.isArray(named)) return 'unavailable'
  const groups = [...new Set([named].flat().filter(isGroup))]
  return groups.length > MAX_GROUPS ? 'unavailable' : groups
}

/** Whether a mapping can have this group; a provider's list may contain anything. */
const isGroup = (value: unknown): value is string =>
  typeof value === 'string' && /^[^\0\p{Surrogate}]{1,200}$/u.test(value)

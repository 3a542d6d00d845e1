/** Option `groups` of `openIdSignIn`. */
export interface GroupsOption {
  /**
   * Name of the claim, in the ID token or the user info, that has the user's groups: 1 to 200 characters. Without such
   * a claim, the name is a path: `realm_access.roles`.
   */
  readonly claim: string
}

/** Most groups of a membership report. */
const MAX_GROUPS = 1_000

type Claims = Readonly<Record<string, unknown>>

/**
 * Reads the groups in a user's claims: a list of texts, one text, or none without the claim. `unavailable` if the
 * provider left them out, as Entra ID does for a user with many groups; if there are more than 1,000; or if the claim has
 * another shape, such as a list of objects or several groups in one text; or if it is missing from claims that are not
 * `isWhole`. Nobody loses a role by a shape.
 */
export const groupsIn = (
  claims: Claims,
  { claim }: GroupsOption,
  isWhole: boolean,
): readonly string[] | 'unavailable' => {
  const named = claimAt(claims, claim)
  if (named === undefined && !isWhole) return 'unavailable'
  if (named === undefined || named === null || named === '') return []
  const listed = typeof named === 'string' && isOneGroup(named) ? [named] : named
  if (!Array.isArray(listed) || !listed.every((each) => typeof each === 'string'))
    return 'unavailable'
  const groups = [...new Set(listed.filter(isGroup))]
  return groups.length > MAX_GROUPS ? 'unavailable' : groups
}

/** A claim by its name, or by a path; `false`, which is no group, where the path or its end is elsewhere. */
const claimAt = (claims: Claims, name: string): unknown => {
  if (isElsewhere(claims, name)) return false
  if (Object.hasOwn(claims, name)) return claims[name]
  const [first = '', ...rest] = name.split('.')
  if (rest.length === 0) return undefined
  if (isElsewhere(claims, first)) return false
  const within = Object.hasOwn(claims, first) ? claims[first] : undefined
  if (within === undefined || within === null) return undefined
  const isObject = typeof within === 'object' && !Array.isArray(within)
  return isObject ? claimAt(Object(within), rest.join('.')) : false
}

/** OpenID Connect Core, section 5.6.2: the names of claims that must be fetched from elsewhere. */
const isElsewhere = (claims: Claims, name: string): boolean =>
  Object.hasOwn(Object(claims['_claim_names']), name)

/** Not a list in a text: `a,b`, `a;b`, `a|b`, `["a"]`. Names of groups have spaces. */
const isOneGroup = (text: string): boolean => !/[,;|\n\t]|^\s*[[{]/.test(text)

/** Whether a mapping can have this group. */
const isGroup = (text: string): boolean => /^[^\0\p{Surrogate}]{1,200}$/u.test(text)

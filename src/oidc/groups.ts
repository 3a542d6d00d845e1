import type { ClaimOfGroups } from '../index.js'
import { type Claims, claimAt, isCut, memberOf } from './claim.js'

/**
 * Option `groups` of `openIdSignIn`: which claim has the groups, in the ID token or the user info. The settings of a
 * provider (`identityProviders.configureSignIn`) replace it for this provider.
 */
export interface GroupsOption extends ClaimOfGroups {}

/** Most groups of a membership report. */
const MAX_GROUPS = 1_000

/**
 * Reads the groups in a user's claims: none without the claim. `unavailable` if the provider left them out, as Entra ID
 * does for a user with many groups; if there are more than 1,000; if the claim has another shape than `option` says; or
 * if it is missing from claims that are not `isWhole`. Nobody loses a role by a shape.
 */
export const groupsIn = (
  claims: Claims,
  option: GroupsOption,
  isWhole: boolean,
): readonly string[] | 'unavailable' => {
  const found = claimAt(claims, option)
  if (found === undefined && !isWhole) return 'unavailable'
  if (found === undefined || found === null || found === '') return []
  const texts = typeof found === 'string' ? groupsInText(found, option) : listed(found, option)
  if (texts === undefined) return 'unavailable'
  const groups = [...new Set(texts.filter(isGroup))]
  return groups.length > MAX_GROUPS ? 'unavailable' : groups
}

const groupsInText = (
  text: string,
  { item, separator }: GroupsOption,
): readonly string[] | undefined => {
  if (item !== undefined || isJson(text)) return undefined
  if (separator === undefined) return isOneGroup(text) ? [text] : undefined
  const parts = text.split(separator).map((part) => part.trim())
  return parts.some(isGroup) ? parts : undefined
}

const listed = (
  found: unknown,
  { item, separator }: GroupsOption,
): readonly string[] | undefined => {
  if (!Array.isArray(found) || isCut(found)) return undefined
  const items: readonly unknown[] =
    item === undefined ? found : found.map((each) => memberOf(each, item))
  const isItem = (each: unknown): each is string =>
    typeof each === 'string' && (separator === undefined || !each.includes(separator))
  return items.every(isItem) ? items : undefined
}

const isJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Not a list in a text: `a,b`, `a;b`, `a|b`. Names of groups have spaces. */
const isOneGroup = (text: string): boolean => !/[,;|\n\t]/.test(text)

/** Whether a mapping can have this group. */
const isGroup = (text: string): boolean => /^[^\0\p{Surrogate}]{1,200}$/u.test(text)

import type { AdmissionRule, SignInSettings } from '../index.js'
import { type Claims, claimAt } from './claim.js'
import { Refused } from './refusal.js'

/** The rules that the claims of a user do not meet. A claim that is absent or left out meets none. */
export const unmetRules = (
  claims: Claims,
  { admit = [] }: Pick<SignInSettings, 'admit'> = {},
): readonly AdmissionRule[] => admit.filter((rule) => !isMet(claims, rule))

const isMet = (claims: Claims, rule: AdmissionRule): boolean => {
  const found = claimAt(claims, rule)
  const values: readonly unknown[] = Array.isArray(found) ? found : [found]
  return values.some((value) => isPlain(value) && rule.values.includes(String(value)))
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** @throws Refused unless the claims meet every rule */
export const requireAdmitted = (claims: Claims, settings: SignInSettings | undefined): void => {
  const [unmet] = unmetRules(claims, settings)
  if (!unmet) return
  const { claim } = unmet
  const cause = new Error(`The claim ${claim} has none of the admitted values`)
  throw new Refused({ kind: 'NotAdmitted', claim }, cause)
}

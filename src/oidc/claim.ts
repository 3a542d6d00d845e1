import type { ClaimPath } from '../index.js'

/** Claims of the ID token and the user info. A provider may send anything. */
export type Claims = Readonly<Record<string, unknown>>

/** A claim that the provider left out, or that is not where the path leads. */
export const ELSEWHERE = Symbol('elsewhere')

/**
 * The claim by its whole name, or by a path of its dots, and the member of it that `path` names. Undefined if it is
 * absent.
 */
export const claimAt = (claims: Claims, { claim, path = [] }: ClaimPath): unknown =>
  path.reduce(memberOf, named(claims, claim))

const named = (claims: Claims, name: string): unknown => {
  if (isLeftOut(claims, name)) return ELSEWHERE
  if (Object.hasOwn(claims, name)) return claims[name]
  const [first = '', ...rest] = name.split('.')
  if (rest.length === 0) return undefined
  if (isLeftOut(claims, first)) return ELSEWHERE
  const within = Object.hasOwn(claims, first) ? claims[first] : undefined
  if (within === undefined || within === null) return undefined
  return isObject(within) ? named(within, rest.join('.')) : ELSEWHERE
}

/** Whether PingOne left a list of more than 25 values out of the ID token. The user info has it. */
export const isCut = (value: unknown): boolean => [value].flat().includes('[SIZE_LIMIT_EXCEEDED]')

/** A member of a value by its exact name. */
export const memberOf = (value: unknown, name: string): unknown => {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) return ELSEWHERE
  return Object.hasOwn(value, name) ? value[name] : undefined
}

export const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * OpenID Connect Core, section 5.6.2: the names of claims that must be fetched from elsewhere. Entra ID may also send
 * `hasgroups` instead of the groups.
 */
const isLeftOut = (claims: Claims, name: string): boolean =>
  Object.hasOwn(Object(claims['_claim_names']), name) ||
  (name === 'groups' && !Object.hasOwn(claims, name) && Boolean(claims['hasgroups']))

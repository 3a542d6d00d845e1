import * as z from 'zod/mini'
import { choice, ExpiryTime, listOf, onlyOnce, requiredText } from '../values.js'
import type { SignInConfigured } from './events.js'

/** Where a claim is in the claims of a user. */
export interface ClaimPath {
  /**
   * Name of the claim: 1 to 200 characters. It is tried whole (`https://app.example/roles`) and then, without `path`, as
   * a path by its dots (`realm_access.roles`).
   */
  readonly claim: string
  /** Members within the claim: at most 10 names of 1 to 200 characters, such as `['roles']` for `{ roles: […] }`. */
  readonly path?: readonly string[] | undefined
}

/** The claim that has the groups of a user. */
export interface ClaimOfGroups extends ClaimPath {
  /**
   * For a list of objects, the member that has the group, such as `value`: 1 to 200 characters. Absent: the list has
   * texts.
   */
  readonly item?: string | undefined
  /**
   * For several groups in one text, what lies between them, such as `,`: 1 to 200 characters. Spaces around a group
   * are removed. Absent: one text is one group.
   */
  readonly separator?: string | undefined
}

/** A condition on a claim, without which nobody signs in. */
export interface AdmissionRule extends ClaimPath {
  /**
   * 1 to 100 texts of 1 to 200 characters, compared code point by code point. The claim must be one of them, or a list
   * that has one of them. Numbers and booleans are compared as texts.
   */
  readonly values: readonly string[]
}

/** How users sign in with a provider. An absent setting has its default. */
export interface SignInSettingsInput {
  /** Where the groups of a user are. Default: the option `groups` of `openIdSignIn`. */
  readonly groups?: ClaimOfGroups | undefined
  /** At most 20 rules, which must all hold: `hd` of Google, `tid` of Entra ID, a group. Default: everybody. */
  readonly admit?: readonly AdmissionRule[] | undefined
  /**
   * How the client secret is sent. `raw_basic`: in the header `Authorization` as it is, for providers that do not decode
   * it. Default: by the discovery document, `client_secret_basic` where it has no preference.
   */
  readonly clientAuthentication?:
    | 'client_secret_basic'
    | 'client_secret_post'
    | 'raw_basic'
    | undefined
  /**
   * When an address is the user's own, if its domain is set to this provider. `domain`: unless `email_verified` is there
   * and not true, since Entra ID never sends it. `verified`: only if `email_verified` is true. Default: `domain`.
   */
  readonly addresses?: 'domain' | 'verified' | undefined
  /**
   * Claim that identifies users instead of `sub`, such as `oid` of Entra ID: 1 to 200 characters. It must be unique and
   * not for users to choose. A change makes every known user unknown. Default: `sub`.
   */
  readonly subjectClaim?: string | undefined
  /**
   * When the client secret expires at the provider, in RFC 3339 as `Date.toISOString` writes it. It is for people: the
   * console reminds them. Give it with each new secret. Default: not known.
   */
  readonly secretExpiresAt?: string | undefined
}

/** How users sign in with a provider, beyond its OIDC configuration. At least one setting is there. */
export interface SignInSettings {
  /** Where the groups of a user are; absent: the option `groups` of `openIdSignIn`. */
  readonly groups?: NonNullable<Recorded['groups']>
  /** The rules that must all hold; absent: everybody is admitted. */
  readonly admit?: NonNullable<Recorded['admit']>
  /** How the client secret is sent; absent: by the discovery document. */
  readonly clientAuthentication?: NonNullable<Recorded['clientAuthentication']>
  /** When an address is the user's own; absent: `domain`. */
  readonly addresses?: NonNullable<Recorded['addresses']>
  /** The claim that identifies users; absent: `sub`. */
  readonly subjectClaim?: string
  /** When the client secret expires at the provider, in RFC 3339; absent: not known. */
  readonly secretExpiresAt?: string
}
type Recorded = SignInConfigured['data']

/** Copies that no reader can change, without what is undefined or empty; undefined if no setting is left. */
export const signInSettings = ({
  groups,
  admit = [],
  clientAuthentication,
  addresses,
  subjectClaim,
  secretExpiresAt,
}: SignInSettingsInput): SignInSettings | undefined => {
  const settings = {
    ...(groups && { groups: claimOfGroups(groups) }),
    ...(admit.length > 0 && { admit: Object.freeze(admit.map(admissionRule)) }),
    ...(clientAuthentication !== undefined && { clientAuthentication }),
    ...(addresses !== undefined && { addresses }),
    ...(subjectClaim !== undefined && { subjectClaim }),
    ...(secretExpiresAt !== undefined && { secretExpiresAt }),
  }
  return Object.keys(settings).length === 0 ? undefined : Object.freeze(settings)
}

const claimPath = ({ claim, path = [] }: ClaimPath) => ({
  claim,
  ...(path.length > 0 && { path: Object.freeze([...path]) }),
})

const claimOfGroups = ({ item, separator, ...at }: ClaimOfGroups) =>
  Object.freeze({
    ...claimPath(at),
    ...(item !== undefined && { item }),
    ...(separator !== undefined && { separator }),
  })

const admissionRule = ({ values, ...at }: AdmissionRule) =>
  Object.freeze({ ...claimPath(at), values: Object.freeze([...values]) })

/** Most rules of `admit`, and most values of one. */
const MAX_RULES = 20
const MAX_VALUES = 100

/** Most members within members of a claim. */
const MAX_PATH = 10

const claimAt = { claim: requiredText, path: z.optional(listOf(requiredText, 0, MAX_PATH)) }

/** Schema of the settings of a sign-in. An undefined setting counts as absent. */
export const signInSchemas = {
  groups: z.optional(
    z
      .strictObject(
        { ...claimAt, item: z.optional(requiredText), separator: z.optional(requiredText) },
        { error: 'must be an object with a claim' },
      )
      .check(
        z.refine(({ item, separator }) => item === undefined || separator === undefined, {
          error: 'must not be given with item, since objects are no text',
          path: ['separator'],
        }),
      ),
  ),
  admit: z.optional(
    listOf(
      z.strictObject(
        { ...claimAt, values: listOf(requiredText, 1, MAX_VALUES).check(onlyOnce(String, [])) },
        { error: 'must be an object with a claim and values' },
      ),
      0,
      MAX_RULES,
    ),
  ),
  clientAuthentication: z.optional(
    choice(['client_secret_basic', 'client_secret_post', 'raw_basic']),
  ),
  addresses: z.optional(choice(['domain', 'verified'])),
  subjectClaim: z.optional(requiredText),
  secretExpiresAt: z.optional(
    z.string({ error: 'must be text' }).check(
      z.refine((text) => ExpiryTime.safeParse(text).success, {
        error: 'must be a time such as 2027-03-31T22:00:00.000Z',
      }),
    ),
  ),
}

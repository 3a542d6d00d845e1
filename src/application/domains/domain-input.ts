import * as z from 'zod/mini'
import { toDomainName } from '../../domain/email-domain/domain-name.js'
import { domains } from '../../domain/email-domain/kind.js'
import { choice } from '../../domain/values.js'
import type { Domain } from '../../ports/read-model.js'
import type { GivenList, TextFilter } from '../reading/given-list.js'
import { filterBy, pageOf } from '../reading/list-input.js'

/** Names a domain. */
export interface DomainInput {
  /**
   * At least two labels, at most 253 characters in ASCII, without a trailing dot: `example.com`. In any case, and in
   * Unicode or ASCII; compared, recorded and shown in ASCII and lower case.
   */
  readonly domain: string
}

/** Which provider the users of a domain sign in with. */
export interface SetDomainProviderInput extends DomainInput {
  /** A provider of the organization; none when absent. Spec: OIDC identity provider configuration. */
  readonly idpId?: string | undefined
}

/** The domain, as every outcome calls it. */
export interface DomainIds {
  /** In ASCII and lower case. */
  readonly domain: string
}

/** A domain that was added. */
export interface AddedDomain extends DomainIds {
  /** What to publish as a TXT record at `_claviger-challenge.<domain>`, so that `verify` finds it there. */
  readonly challenge: string
}

/** Which domains to list, in which order. */
export const ListDomainsInput = z.strictObject({
  filter: z._default(
    z.extend(filterBy(domains), { state: z.optional(choice(domains.states)) }),
    {},
  ),
  ...pageOf(domains),
})
export interface ListDomainsInput extends GivenList<Omit<Domain, 'challenge'>> {
  /** Conditions, all of which must hold; every domain when absent. */
  readonly filter?:
    | {
        /** On the domain in ASCII. */
        readonly domain?: TextFilter | undefined
        /** On the provider; a domain without one has the empty text. */
        readonly idpId?: TextFilter | undefined
        /** In this state; in either when absent. */
        readonly state?: 'pending' | 'verified' | undefined
      }
    | undefined
}

/** Whom to find the provider for. */
export interface RouteInput {
  /**
   * An e-mail address of at most 320 characters, as a browser accepts it in an input of the type `email`; its domain
   * may be in Unicode.
   */
  readonly email: string
}

/** How to read. */
export interface RouteOptions {
  /** As in a `Context`: `strong` when absent. */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined
}

/** What browsers accept before the last `@`. */
const LOCAL_PART = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+$/

/** What browsers accept after it, once they have it in ASCII. */
const HOST =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const MAX_EMAIL_LENGTH = 320

const isEmail = (email: string): boolean => {
  if (email.length > MAX_EMAIL_LENGTH) return false
  const { local, host } = partsOf(email)
  return LOCAL_PART.test(local) && (HOST.test(host) || toDomainName(host) !== undefined)
}

const partsOf = (email: string): { readonly local: string; readonly host: string } => {
  const at = email.lastIndexOf('@')
  return { local: email.slice(0, Math.max(0, at)), host: email.slice(at + 1) }
}

/** The domain of an e-mail address; undefined for one that cannot be verified, such as `localhost`. */
export const domainOfEmail = (email: string): string | undefined =>
  toDomainName(partsOf(email).host)

const AN_EMAIL = 'must be an e-mail address of at most 320 characters'

/** Schema of a {@link RouteInput} with {@link RouteOptions}. */
export const Route = z.strictObject({
  email: z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : AN_EMAIL) })
    .check(z.refine(isEmail, { error: AN_EMAIL })),
  consistency: z._default(choice(['strong', 'eventual']), 'strong'),
})

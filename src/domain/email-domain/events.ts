// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type Upcasters } from '../message.js'
import { IdpId, requiredText } from '../values.js'
import { DomainName } from './domain-name.js'

const ids = { domain: DomainName }

/** An organization said that a domain is its own, which is not proven yet. */
export const DomainAdded = event('domain.added', { ...ids, challenge: requiredText })
export interface DomainAdded extends z.infer<typeof DomainAdded> {
  /** As it is from now on. */
  readonly data: {
    /** As `Domain.domain`. */
    readonly domain: DomainName
    /** As `Domain.challenge`. */
    readonly challenge: string
  }
}

/** The domain was proven to be the organization's own. */
export const DomainVerified = event('domain.verified', ids)
export interface DomainVerified extends z.infer<typeof DomainVerified> {
  /** Which domain. */
  readonly data: Pick<DomainAdded['data'], 'domain'>
}

/** Users with addresses of the domain sign in with another provider, or with none. */
export const DomainProviderSet = event('domain.provider_set', {
  ...ids,
  idpId: z.exactOptional(IdpId),
})
export interface DomainProviderSet extends z.infer<typeof DomainProviderSet> {
  /** Which domain, and the provider from now on. */
  readonly data: {
    /** As `Domain.domain`. */
    readonly domain: DomainName
    /** As `Domain.idpId`; absent for none. */
    readonly idpId?: IdpId
  }
}

/** The domain is no longer the organization's own. */
export const DomainRemoved = event('domain.removed', ids)
export interface DomainRemoved extends z.infer<typeof DomainRemoved> {
  /** Which domain. */
  readonly data: Pick<DomainAdded['data'], 'domain'>
}

/** Any event of a domain's stream. */
export const DomainEvent = z.discriminatedUnion('type', [
  DomainAdded,
  DomainVerified,
  DomainProviderSet,
  DomainRemoved,
])
export type DomainEvent = DomainAdded | DomainVerified | DomainProviderSet | DomainRemoved

/** None: every event type is still at version 1. */
export const domainUpcasters: Upcasters = {}

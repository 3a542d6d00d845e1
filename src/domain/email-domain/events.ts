// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { IdpId, requiredText } from '../values.js'
import { DomainName } from './domain-name.js'

const ids = { domain: DomainName }

/** An organization claimed a domain, which is not verified yet. */
export const DomainAdded = event('domain.added', { ...ids, challenge: requiredText })
export interface DomainAdded extends z.infer<typeof DomainAdded> {
  /** The new values. */
  readonly data: {
    /** As `Domain.domain`. */
    readonly domain: DomainName
    /** As `Domain.challenge`. */
    readonly challenge: string
  }
}

/** The organization verified the domain. */
export const DomainVerified = event('domain.verified', ids)
export interface DomainVerified extends z.infer<typeof DomainVerified> {
  /** The domain. */
  readonly data: Pick<DomainAdded['data'], 'domain'>
}

/** The provider that users of the domain sign in with was set or cleared. */
export const DomainProviderSet = event('domain.provider_set', {
  ...ids,
  idpId: z.exactOptional(IdpId),
})
export interface DomainProviderSet extends z.infer<typeof DomainProviderSet> {
  /** The domain, and its new provider. */
  readonly data: {
    /** As `Domain.domain`. */
    readonly domain: DomainName
    /** As `Domain.idpId`; absent if it was cleared. */
    readonly idpId?: IdpId
  }
}

/** The organization gave up the domain. */
export const DomainRemoved = event('domain.removed', ids)
export interface DomainRemoved extends z.infer<typeof DomainRemoved> {
  /** The domain. */
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

import { DomainName } from '../../../domain/email-domain/domain-name.js'
import type { DomainAdded, DomainEvent } from '../../../domain/email-domain/events.js'
import type { VerifiedDomainEvent } from '../../../domain/email-domain/verified-domain.js'
import { IdpId, OrgId } from '../../../domain/values.js'
import { idpAdded } from './identity-provider.js'
import { type Sample, SORT_FIELDS_OF_ALL } from './sample.js'

const CHALLENGE = 'claviger-domain-verification=1'

/** A domain is added. */
export const domainAdded = (domain: string): DomainAdded => ({
  type: 'domain.added',
  data: { domain: DomainName.parse(domain), challenge: CHALLENGE },
})

const eventOf =
  (type: 'domain.verified' | 'domain.removed') =>
  (domain: string): DomainEvent => ({ type, data: { domain: DomainName.parse(domain) } })

/** A domain is verified. */
export const domainVerified = eventOf('domain.verified')
/** A domain is removed. */
export const domainRemoved = eventOf('domain.removed')

/** A domain has another provider, or none. */
export const domainProviderSet = (domain: string, idpId?: string): DomainEvent => ({
  type: 'domain.provider_set',
  data: {
    domain: DomainName.parse(domain),
    ...(idpId !== undefined && { idpId: IdpId.parse(idpId) }),
  },
})

/** A domain has become that of an organization among all organizations. */
export const domainClaimed = (domain: string, orgId: string): VerifiedDomainEvent => ({
  type: 'verified_domain.claimed',
  data: { domain: DomainName.parse(domain), orgId: OrgId.parse(orgId) },
})

/** The domain of the sample. */
export const DOMAIN = 'globex.example'

const domain = DOMAIN
const added = { domain, state: 'pending', challenge: CHALLENGE }

/** Samples of domains. */
export const domainSample: Sample<'domain'> = {
  added: (id) => domainAdded(`${id}.example`),
  deactivated: undefined,
  within: {},
  scenario: {
    ref: { type: 'domain', domain },
    steps: [
      [domainAdded(domain), added],
      [domainProviderSet(domain, 'idp-1'), { idpId: 'idp-1' }],
      [domainVerified(domain), { state: 'verified', challenge: undefined }],
      [domainProviderSet(domain), { idpId: undefined }],
      [domainRemoved(domain)],
      [domainAdded(domain), added],
    ],
    others: [
      ['acme', idpAdded('idp-1')],
      ['acme', domainAdded('initech.example')],
      ['other', domainAdded(domain)],
    ],
  },
  sortFields: {
    domain: (row) => row.domain,
    idpId: (row) => row.idpId ?? '',
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['domain', 'idpId', 'state'],
  identity: 'domain',
  name: undefined,
}

import type {
  AddDomain,
  RemoveDomain,
  SetDomainProvider,
  VerifyDomain,
} from '../../../src/domain/email-domain/command-schemas.js'
import { DomainName } from '../../../src/domain/email-domain/domain-name.js'
import type { DomainEvent } from '../../../src/domain/email-domain/events.js'
import { IdpId } from '../../../src/domain/values.js'

/** Names the domain of these examples. */
export const id = { domain: DomainName.parse('globex.example') }

export const challenge = 'claviger-domain-verification=1'
const google = { ...id, idpId: IdpId.parse('google') }

export const addDomain: AddDomain = { type: 'AddDomain', data: { ...id, challenge } }
export const verifyDomain: VerifyDomain = {
  type: 'VerifyDomain',
  data: { ...id, records: ['v=spf1 -all', challenge] },
}
export const setGoogle: SetDomainProvider = { type: 'SetDomainProvider', data: google }
export const unset: SetDomainProvider = { type: 'SetDomainProvider', data: id }
export const remove: RemoveDomain = { type: 'RemoveDomain', data: id }

export const added: DomainEvent = { type: 'domain.added', data: { ...id, challenge } }
export const verified: DomainEvent = { type: 'domain.verified', data: id }
export const googleSet: DomainEvent = { type: 'domain.provider_set', data: google }
export const providerUnset: DomainEvent = { type: 'domain.provider_set', data: id }
export const removed: DomainEvent = { type: 'domain.removed', data: id }

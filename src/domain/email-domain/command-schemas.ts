import * as z from 'zod/mini'
import { command } from '../message.js'
import { IdpId, requiredText } from '../values.js'
import { DomainInput } from './domain-name.js'
import type { DomainAdded } from './events.js'

const ids = { domain: DomainInput }

/** Claims a domain for the organization. */
export const AddDomain = command('AddDomain', { ...ids, challenge: requiredText })
export interface AddDomain extends z.infer<typeof AddDomain> {
  /** The domain, and its challenge. */
  readonly data: DomainAdded['data']
}

/** Verifies a domain by the published records. */
export const VerifyDomain = command('VerifyDomain', {
  ...ids,
  records: z.readonly(z.array(z.string())),
})
export interface VerifyDomain extends z.infer<typeof VerifyDomain> {
  /** The domain, and its published records. */
  readonly data: Pick<DomainAdded['data'], 'domain'> & {
    /** The TXT records at the challenge's name, each as one text. */
    readonly records: readonly string[]
  }
}

/** Sets the provider that users with addresses of a domain sign in with; none when `idpId` is absent. */
export const SetDomainProvider = command('SetDomainProvider', { ...ids, idpId: z.optional(IdpId) })
export interface SetDomainProvider extends z.infer<typeof SetDomainProvider> {
  /** The domain, and its provider. */
  readonly data: Pick<DomainAdded['data'], 'domain'> & {
    /** A provider of the organization. */
    readonly idpId?: IdpId | undefined
  }
}

/** Gives up a domain, so that another organization may verify it. */
export const RemoveDomain = command('RemoveDomain', ids)
export interface RemoveDomain extends z.infer<typeof RemoveDomain> {
  /** The domain. */
  readonly data: Pick<DomainAdded['data'], 'domain'>
}

/** Any command of a domain. */
export const DomainCommand = z.discriminatedUnion('type', [
  AddDomain,
  VerifyDomain,
  SetDomainProvider,
  RemoveDomain,
])
export type DomainCommand = AddDomain | VerifyDomain | SetDomainProvider | RemoveDomain

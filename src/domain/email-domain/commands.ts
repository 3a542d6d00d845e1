import * as z from 'zod/mini'
import { command } from '../message.js'
import { IdpId, requiredText } from '../values.js'
import { DomainInput } from './domain-name.js'
import type { DomainAdded } from './events.js'

const ids = { domain: DomainInput }

/** Says that a domain is the organization's own. */
export const AddDomain = command('AddDomain', { ...ids, challenge: requiredText })
export interface AddDomain extends z.infer<typeof AddDomain> {
  /** The domain, and the text that proves it. */
  readonly data: DomainAdded['data']
}

/** Proves a domain by what was published. */
export const VerifyDomain = command('VerifyDomain', {
  ...ids,
  records: z.readonly(z.array(z.string())),
})
export interface VerifyDomain extends z.infer<typeof VerifyDomain> {
  /** Which domain, and what was published for it. */
  readonly data: Pick<DomainAdded['data'], 'domain'> & {
    /** The TXT records at the name of the challenge, each in one text. */
    readonly records: readonly string[]
  }
}

/** Sets the provider that users with addresses of a domain sign in with; none when `idpId` is absent. */
export const SetDomainProvider = command('SetDomainProvider', { ...ids, idpId: z.optional(IdpId) })
export interface SetDomainProvider extends z.infer<typeof SetDomainProvider> {
  /** Which domain, and its provider. */
  readonly data: Pick<DomainAdded['data'], 'domain'> & {
    /** A provider of the organization. */
    readonly idpId?: IdpId | undefined
  }
}

/** Gives a domain up, so that another organization may prove it. */
export const RemoveDomain = command('RemoveDomain', ids)
export interface RemoveDomain extends z.infer<typeof RemoveDomain> {
  /** Which domain. */
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

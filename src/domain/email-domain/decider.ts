import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AlreadyExists,
  type Decider,
  exists,
  type NotFound,
  type ProofNotFound,
} from '../decider.js'
import { command } from '../message.js'
import { type DomainRef, IdpId, requiredText } from '../values.js'
import { DomainInput } from './domain-name.js'
import { type DomainAdded, DomainEvent } from './events.js'

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

/** The state of a domain, on which its commands are decided. */
export type DomainState =
  | { readonly status: 'absent' }
  | {
      /** Whether the organization has verified the domain. */
      readonly status: 'pending' | 'verified'
      /** The text to publish to verify the domain. */
      readonly challenge: string
      /** Undefined without a provider. */
      readonly idpId: string | undefined
    }

/** Errors of a domain's commands. */
export type DomainRefusal = NotFound<DomainRef> | AlreadyExists<DomainRef> | ProofNotFound

type Decision = Result<readonly DomainEvent[], DomainRefusal>

/** Name of the TXT record that holds the challenge of a domain. */
export const challengeName = (domain: string): string => `_claviger-challenge.${domain}`

const refuse = (kind: 'NotFound' | 'AlreadyExists', { domain }: DomainCommand['data']): Decision =>
  err({ kind, object: { type: 'domain', domain } })

const add = ({ data }: AddDomain, state: DomainState): Decision => {
  if (exists(state)) return refuse('AlreadyExists', data)
  return ok([{ type: 'domain.added', data }])
}

const verify = ({ data }: VerifyDomain, state: DomainState): Decision => {
  const { domain, records } = data
  if (!exists(state)) return refuse('NotFound', data)
  if (state.status === 'verified') return ok([])
  if (!records.includes(state.challenge))
    return err({
      kind: 'ProofNotFound',
      object: { type: 'domain', domain },
      recordName: challengeName(domain),
    })
  return ok([{ type: 'domain.verified', data: { domain } }])
}

const setProvider = ({ data }: SetDomainProvider, state: DomainState): Decision => {
  const { domain, idpId } = data
  if (!exists(state)) return refuse('NotFound', data)
  if (state.idpId === idpId) return ok([])
  return ok([
    { type: 'domain.provider_set', data: { domain, ...(idpId !== undefined && { idpId }) } },
  ])
}

const remove = ({ data }: RemoveDomain, state: DomainState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok([{ type: 'domain.removed', data }])
}

const decide = (command: DomainCommand, state: DomainState): Decision => {
  switch (command.type) {
    case 'AddDomain':
      return add(command, state)
    case 'VerifyDomain':
      return verify(command, state)
    case 'SetDomainProvider':
      return setProvider(command, state)
    case 'RemoveDomain':
      return remove(command, state)
  }
}

const evolve = (state: DomainState, event: DomainEvent): DomainState => {
  switch (event.type) {
    case 'domain.added':
      return { status: 'pending', challenge: event.data.challenge, idpId: undefined }
    case 'domain.verified':
      return exists(state) ? { ...state, status: 'verified' } : state
    case 'domain.provider_set':
      return exists(state) ? { ...state, idpId: event.data.idpId } : state
    case 'domain.removed':
      return { status: 'absent' }
  }
}

/** An e-mail domain that an organization claims, and then verifies. */
export const domain: Decider<DomainCommand, DomainState, DomainEvent, DomainRefusal> = {
  eventSchema: DomainEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

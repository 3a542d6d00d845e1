import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  type Detailed,
  defineAggregate,
  exists,
  filterableText,
  optionalText,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound, ProofNotFound } from '../decider.js'
import type { DomainRef, StreamId } from '../values.js'
import type {
  AddDomain,
  DomainCommand,
  RemoveDomain,
  SetDomainProvider,
  VerifyDomain,
} from './command-schemas.js'
import { DomainInput } from './domain-name.js'
import { DomainEvent } from './events.js'

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

/** A domain as reads return it. */
export interface Domain extends Detailed {
  /** In ASCII and lower case, such as `example.com`; unique within the organization. */
  readonly domain: string
  /** No other organization can verify a verified domain. */
  readonly state: 'pending' | 'verified'
  /** The provider that users of the domain sign in with; absent if not set. */
  readonly idpId?: string
  /** Only while the domain is pending: the text to publish as a TXT record at `_claviger-challenge.<domain>`. */
  readonly challenge?: string
}

/** The fields of {@link Domain} that its own events set. */
export type DomainView = ViewOf<Domain>

/** Domains of organizations. */
export const domains = defineAggregate({
  type: 'domain',
  label: 'domain',
  ids: z.strictObject({ domain: DomainInput }),
  decider: domain,
  events: DomainEvent.def.options,
  adds: 'domain.added',
  removes: 'domain.removed',
  show: ({ status, challenge, idpId }, { domain }): DomainView => ({
    domain,
    state: status,
    ...(status === 'pending' && { challenge }),
    ...(idpId !== undefined && { idpId }),
  }),
  states: ['pending', 'verified'],
  fields: {
    domain: filterableText,
    idpId: optionalText,
    challenge: { holds: 'string' },
  },
  target: ({ domain }) => ({ type: 'domain', id: domain }),
  permissions: { read: 'domain.read', write: 'domain.write' },
} satisfies AggregateDefinition<DomainRef, DomainView, DomainEvent, DomainState>)

/** One stream for each organization and domain, so that two appends cannot both add a domain. */
export const domainStream = (orgId: string, domain: string): StreamId =>
  domains.stream(orgId, { domain })

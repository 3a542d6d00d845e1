import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  type ObjectDetails,
  optionalText,
  plainText,
  type ViewOf,
} from '../aggregate.js'
import type { DomainRef, StreamId } from '../values.js'
import { domain } from './decider.js'
import { DomainInput } from './domain-name.js'
import { DomainEvent } from './events.js'

/** A domain as reads return it. */
export interface Domain {
  /** In ASCII and lower case, such as `example.com`; unique within the organization. */
  readonly domain: string
  /** No other organization can verify a verified domain. */
  readonly state: 'pending' | 'verified'
  /** The provider that users of the domain sign in with; absent if not set. */
  readonly idpId?: string
  /** Only while the domain is pending: the text to publish as a TXT record at `_claviger-challenge.<domain>`. */
  readonly challenge?: string
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** The fields of {@link Domain} that its own events set. */
export type DomainView = ViewOf<Domain>

/** The domain after `event`; undefined if it does not exist. A verified domain has no challenge. */
export const domainView = (
  view: DomainView | undefined,
  event: DomainEvent,
): DomainView | undefined => {
  switch (event.type) {
    case 'domain.added':
      return { domain: event.data.domain, state: 'pending', challenge: event.data.challenge }
    case 'domain.verified':
      return view && verified(view)
    case 'domain.provider_set':
      return view && withProvider(view, event.data.idpId)
    case 'domain.removed':
      return undefined
  }
}

const verified = ({ challenge: _, ...view }: DomainView): DomainView => ({
  ...view,
  state: 'verified',
})

const withProvider = (
  { idpId: _, ...view }: DomainView,
  idpId: string | undefined,
): DomainView => ({ ...view, ...(idpId !== undefined && { idpId }) })

/** Domains of organizations. */
export const domains = defineAggregate({
  type: 'domain',
  label: 'domain',
  ids: z.strictObject({ domain: DomainInput }),
  decider: domain,
  events: DomainEvent.def.options,
  effects: {
    'domain.added': 'adds',
    'domain.verified': 'changes',
    'domain.provider_set': 'changes',
    'domain.removed': 'removes',
  },
  view: domainView,
  states: ['pending', 'verified'],
  fields: {
    domain: filterableText((view) => view.domain),
    idpId: optionalText((view) => view.idpId),
    challenge: plainText,
  },
  target: ({ domain }) => ({ type: 'domain', id: domain }),
  permissions: { read: 'domain.read', write: 'domain.write' },
} satisfies AggregateDefinition<DomainRef, DomainView, DomainEvent>)

/** One stream for each organization and domain, so that two appends cannot both add a domain. */
export const domainStream = (orgId: string, domain: string): StreamId =>
  domains.stream(orgId, { domain })

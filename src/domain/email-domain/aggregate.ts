import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  optionalText,
  plainText,
} from '../aggregate.js'
import type { DomainRef, StreamId } from '../values.js'
import { domain } from './decider.js'
import { DomainInput } from './domain-name.js'
import { DomainEvent } from './events.js'

/** The fields of a domain that reads return. */
export interface DomainView {
  readonly domain: string
  readonly state: 'pending' | 'verified'
  readonly idpId?: string
  readonly challenge?: string
}

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

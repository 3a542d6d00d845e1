import * as z from 'zod/mini'
import { type Aggregate, filterableText, optionalText, plainText, readerOf } from '../aggregate.js'
import type { DomainRef } from '../values.js'
import { domain } from './decider.js'
import { GivenDomain } from './domain-name.js'
import { DomainEvent, domainStream } from './events.js'

type Ids = Pick<DomainRef, 'domain'>

const ref = ({ domain }: Ids): DomainRef => ({ type: 'domain', domain })

/** What is shown of a domain. */
export interface DomainView {
  readonly domain: string
  readonly state: 'pending' | 'verified'
  readonly idpId?: string
  readonly challenge?: string
}

/** The domain after `event`; undefined when there is none. Once it is verified, its challenge is not shown. */
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
export const domains = {
  type: 'domain',
  label: 'domain',
  ids: z.strictObject({ domain: GivenDomain }),
  ref,
  key: ({ domain }) => domain,
  refOfKey: (domain) => ref({ domain }),
  container: undefined,
  removedWith: undefined,
  stream: (orgId, { domain }) => domainStream(orgId, domain),
  decider: domain,
  events: DomainEvent.def.options,
  reads: readerOf<DomainEvent>(DomainEvent.def.options),
  removal: 'domain.removed',
  view: domainView,
  covers: () => undefined,
  assigns: undefined,
  states: ['pending', 'verified'],
  fields: {
    domain: filterableText((view) => view.domain),
    idpId: optionalText((view) => view.idpId),
    challenge: plainText,
  },
  secretsChanged: () => [],
  target: ({ domain }) => ({ type: 'domain', id: domain }),
  permissions: { read: 'domain.read', write: 'domain.write' },
} satisfies Aggregate<Ids, DomainView, DomainEvent>

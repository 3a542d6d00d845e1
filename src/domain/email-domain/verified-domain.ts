// Storage contract: names and shapes of the events below are persisted forever. Add to them; never change one.
import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { readerOf } from '../aggregate.js'
import type { AlreadyExists, Decider } from '../decider.js'
import { event } from '../message.js'
import { type DomainRef, OrgId, type StreamId } from '../values.js'
import { DomainName } from './domain-name.js'

const claim = { domain: DomainName, orgId: OrgId }

/** One stream per domain, across organizations, so that no two organizations verify the same domain. */
export const verifiedDomainStream = (domain: string): StreamId => `verified_domain-${domain}`

/** A domain was verified by an organization; recorded together with `domain.verified`. */
export const VerifiedDomainClaimed = event('verified_domain.claimed', claim)
export interface VerifiedDomainClaimed extends z.infer<typeof VerifiedDomainClaimed> {
  /** The domain, and the organization. */
  readonly data: {
    /** As `Domain.domain`. */
    readonly domain: DomainName
    /** The organization that proved it. */
    readonly orgId: OrgId
  }
}

/** A verified domain was given up; recorded together with `domain.removed`. */
export const VerifiedDomainReleased = event('verified_domain.released', claim)
export interface VerifiedDomainReleased extends z.infer<typeof VerifiedDomainReleased> {
  /** The domain, and the organization that had it. */
  readonly data: VerifiedDomainClaimed['data']
}

/** Any event of the stream of a verified domain. */
export const VerifiedDomainEvent = z.discriminatedUnion('type', [
  VerifiedDomainClaimed,
  VerifiedDomainReleased,
])
export type VerifiedDomainEvent = VerifiedDomainClaimed | VerifiedDomainReleased

interface VerifiedDomainCommand {
  readonly type: 'ClaimDomain' | 'ReleaseDomain'
  readonly data: VerifiedDomainClaimed['data']
}

type VerifiedDomainState =
  | { readonly status: 'absent' }
  | { readonly status: 'claimed'; readonly orgId: OrgId }

const decide = (
  { type, data }: VerifiedDomainCommand,
  state: VerifiedDomainState,
): Result<readonly VerifiedDomainEvent[], AlreadyExists<DomainRef>> => {
  const { domain, orgId } = data
  const isOwn = state.status === 'claimed' && state.orgId === orgId
  if (type === 'ReleaseDomain') return ok(isOwn ? [{ type: 'verified_domain.released', data }] : [])
  if (state.status === 'absent') return ok([{ type: 'verified_domain.claimed', data }])
  return isOwn ? ok([]) : err({ kind: 'AlreadyExists', object: { type: 'domain', domain } })
}

const evolve = (_: VerifiedDomainState, event: VerifiedDomainEvent): VerifiedDomainState => {
  switch (event.type) {
    case 'verified_domain.claimed':
      return { status: 'claimed', orgId: event.data.orgId }
    case 'verified_domain.released':
      return { status: 'absent' }
  }
}

const decider: Decider<
  VerifiedDomainCommand,
  VerifiedDomainState,
  VerifiedDomainEvent,
  AlreadyExists<DomainRef>
> = {
  eventSchema: VerifiedDomainEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

/** Which organization has verified a domain. It is not an object: reads and history do not show it. */
export const verifiedDomains = {
  stream: (_orgId: string, { domain }: { readonly domain: string }) => verifiedDomainStream(domain),
  decider,
  events: VerifiedDomainEvent.def.options,
  reads: readerOf<VerifiedDomainEvent>(VerifiedDomainEvent.def.options),
}

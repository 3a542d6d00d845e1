// Storage contract: the name and shape of the event below are persisted forever. Add to them; never change one.
import { ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { readerOf } from '../aggregate.js'
import type { Decider } from '../decider.js'
import { event } from '../message.js'
import { LinkId, OrgId, type StreamId } from '../values.js'

/** SHA-256 of a token, in base64url. */
const TokenHash = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))

/** One stream per token, across organizations, because redeeming a token names no organization. */
export const setupLinkTokenStream = (tokenHash: string): StreamId => `setup_link_token-${tokenHash}`

/** A token belongs to a link; recorded together with `setup_link.issued`. */
export const SetupLinkTokenClaimed = event('setup_link_token.claimed', {
  tokenHash: TokenHash,
  orgId: OrgId,
  linkId: LinkId,
})
export interface SetupLinkTokenClaimed extends z.infer<typeof SetupLinkTokenClaimed> {
  /** The token, and its link. */
  readonly data: {
    /** SHA-256 of the token, in base64url. The token itself is not stored. */
    readonly tokenHash: string
    /** The organization that issued the link. */
    readonly orgId: OrgId
    /** As `SetupLink.linkId`. */
    readonly linkId: LinkId
  }
}

/** Any event of the stream of a token. */
export const SetupLinkTokenEvent = z.discriminatedUnion('type', [SetupLinkTokenClaimed])
export type SetupLinkTokenEvent = SetupLinkTokenClaimed

interface ClaimSetupLinkToken {
  readonly type: 'ClaimSetupLinkToken'
  readonly data: SetupLinkTokenClaimed['data']
}

type SetupLinkTokenState =
  | { readonly status: 'absent' }
  | { readonly status: 'claimed'; readonly orgId: OrgId; readonly linkId: LinkId }

const decide = ({ data }: ClaimSetupLinkToken): Result<readonly SetupLinkTokenEvent[], never> =>
  ok([{ type: 'setup_link_token.claimed', data }])

const evolve = (_: SetupLinkTokenState, { data }: SetupLinkTokenEvent): SetupLinkTokenState => ({
  status: 'claimed',
  orgId: data.orgId,
  linkId: data.linkId,
})

const decider: Decider<ClaimSetupLinkToken, SetupLinkTokenState, SetupLinkTokenEvent, never> = {
  eventSchema: SetupLinkTokenEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

/** Which link a token belongs to. It is not an object: reads and history do not show it. */
export const setupLinkTokens = {
  stream: (_orgId: string, { tokenHash }: { readonly tokenHash: string }) =>
    setupLinkTokenStream(tokenHash),
  decider,
  events: SetupLinkTokenEvent.def.options,
  reads: readerOf<SetupLinkTokenEvent>(SetupLinkTokenEvent.def.options),
}

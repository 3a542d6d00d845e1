import { err, Result, type ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { toBase64url } from '../../domain/encoding.js'
import { setupLinks } from '../../domain/setup-link/aggregate.js'
import { RevokeSetupLink } from '../../domain/setup-link/commands.js'
import { type SetupIntent, SetupIntents } from '../../domain/setup-link/events.js'
import { setupLinkTokens } from '../../domain/setup-link/token.js'
import { LinkId, OrgId, requiredText } from '../../domain/values.js'
import type { SetupLink } from '../../ports/read-model.js'
import { invalid, type WriteError } from '../errors/errors.js'
import { date } from '../method/input.js'
import { type Read, type Write, write } from '../method/method.js'
import {
  filterBy,
  type ListOptions,
  list,
  type Page,
  pageOf,
  type TextFilter,
} from '../reading/list.js'
import { get } from '../reading/reads.js'
import { change } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'
import { specOf, writeObject, writesOf } from '../writing/write-object.js'
import {
  completeSetupLink,
  hashOf,
  type RedeemedSetupLink,
  type RedeemOptions,
  type RedeemSetupLinkInput,
  redeemSetupLink,
  type SetupLinkIds,
} from './redeem-setup-link.js'

/**
 * Links by which somebody without an account sets up sign-in: the IT department of a customer proves a domain, connects
 * a provider or maps groups. A link has a token, which is a secret; whoever has it acts as `setup-link:<linkId>` with
 * the permissions of the link's intents, until the link expires, is completed or is revoked.
 */
export interface SetupLinks {
  /**
   * Makes a link. The answer is the only place where its token ever is, so an idempotency key is refused: a repeat could
   * not answer the token again. Revoke a link whose token was lost, and issue another.
   *
   * @example
   * const expiresAt = new Date(Date.now() + 7 * 86_400_000)
   * const intents = ['provider', 'domain', 'groups'] as const
   * const { token } = await orThrow(iam.setupLinks.issue({ expiresAt, intents }, context))
   */
  readonly issue: Write<IssueSetupLinkInput, IssuedSetupLink>
  /** Withdraws a link, also one that was opened. A link that is completed or revoked stays as it is. */
  readonly revoke: Write<SetupLinkInput, SetupLinkIds>
  /** One link, without its token. */
  readonly get: Read<SetupLinkInput, SetupLink>
  /** The links of the organization, page by page, those that are over included. */
  readonly list: Read<ListSetupLinksInput, Page<SetupLink>>
  /**
   * For the host itself, without a permission check: the organization and the caller of a token. The first time, the
   * link becomes `used`. Redeem the token at each request, so that a link that is revoked or has expired ends at once.
   * Refused as `Unauthenticated`, without saying why: a link that is unknown, expired, completed or revoked.
   *
   * The caller has the permissions of the link's intents in the organization of the link. `authorize` is not asked about
   * it; a copy of it is a caller like any other.
   */
  readonly redeem: (
    input: RedeemSetupLinkInput,
    options?: RedeemOptions,
  ) => ResultAsync<RedeemedSetupLink, WriteError>
  /**
   * For the host itself, without a permission check: ends the link of a token, since all is set up. Refused as
   * `redeem` is.
   */
  readonly complete: (
    input: RedeemSetupLinkInput,
    options?: RedeemOptions,
  ) => ResultAsync<SetupLinkIds, WriteError>
}

/** What a link is for. */
export interface IssueSetupLinkInput {
  /** Id of the link; a new ULID when absent. */
  readonly linkId?: string | undefined
  /** The link does not open from this moment on, to the millisecond; must lie in the future. */
  readonly expiresAt: Date
  /** 1 to 3, none twice: prove a domain, connect a provider, map groups of a provider to roles. */
  readonly intents: readonly SetupIntent[]
  /** 1 to 200 characters for the organization itself, such as whom the link is sent to. Stays in the log. */
  readonly note?: string | undefined
}

/** Names a link. */
export interface SetupLinkInput {
  /** Id of the link. */
  readonly linkId: string
}

/** A link that was issued. */
export interface IssuedSetupLink extends SetupLinkIds {
  /**
   * The secret of the link: 43 characters of base64url, which hold 256 random bits. Put it into the fragment of a URL,
   * which browsers do not send.
   */
  readonly token: string
}

/** Which links to list, in which order. */
export const ListSetupLinksInput = z.strictObject({
  filter: z._default(filterBy(setupLinks), {}),
  ...pageOf(setupLinks),
})
export interface ListSetupLinksInput extends ListOptions<Omit<SetupLink, 'expiresAt' | 'intents'>> {
  /** Conditions, all of which must hold; every link when absent. */
  readonly filter?:
    | {
        /** On the id. */
        readonly linkId?: TextFilter | undefined
        /** On the note; a link without one has the empty text. */
        readonly note?: TextFilter | undefined
        /** In this state; in any when absent. */
        readonly state?: SetupLink['state'] | undefined
      }
    | undefined
}

const IssueSetupLinkInput = z.strictObject({
  linkId: z.optional(LinkId),
  expiresAt: date,
  intents: SetupIntents,
  note: z.optional(requiredText),
})

/** @see SetupLinks */
export const setupLinksOf = (runtime: Runtime): SetupLinks => {
  const writes = writesOf(runtime, setupLinks, ({ linkId }) => ({ linkId }))
  const spec = specOf(setupLinks, {
    method: 'setupLinks.issue',
    schema: IssueSetupLinkInput,
    isNew: true,
  })
  return {
    issue: write(
      runtime,
      { ...spec, refuses: ['expectedSequence', 'idempotencyKey'] },
      async (call, input) => {
        if (input.expiresAt <= runtime.now())
          return err(invalid('expiresAt', 'must be in the future'))
        const token = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
        const tokenHash = await hashOf(token)
        const linkId = input.linkId ?? LinkId.parse(runtime.newId())
        return writeObject(runtime, call, {
          input,
          aggregate: setupLinks,
          decide: async (streams) => {
            const [before, claim] = await Promise.all([
              streams.read(setupLinks, { linkId }, { load: 'assume-empty' }),
              streams.read(setupLinkTokens, { tokenHash }, { load: 'assume-empty' }),
            ])
            const { intents, note } = input
            const expiresAt = input.expiresAt.toISOString()
            const data = { linkId, expiresAt, intents, ...(note !== undefined && { note }) }
            const owner = { tokenHash, orgId: OrgId.parse(streams.orgId), linkId }
            const claimed = setupLinkTokens.decider.decide(
              { type: 'ClaimSetupLinkToken', data: owner },
              claim.state,
            )
            const issued = setupLinks.decider.decide({ type: 'IssueSetupLink', data }, before.state)
            return Result.combine([
              claimed.map((events) => change(claim, events)),
              issued.map((events) => change(before, events)),
            ])
          },
          ids: () => ({ linkId, token }),
        })
      },
    ),
    revoke: writes.change('setupLinks.revoke', RevokeSetupLink),
    get: get(runtime, 'setupLinks.get', setupLinks),
    list: list(runtime, {
      method: 'setupLinks.list',
      kind: setupLinks,
      schema: ListSetupLinksInput,
    }),
    redeem: redeemSetupLink(runtime),
    complete: completeSetupLink(runtime),
  }
}

import { err, Result, ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { DomainInput } from '../../domain/email-domain/domain-name.js'
import { toBase64url } from '../../domain/encoding.js'
import { type SetupLink, setupLinks } from '../../domain/setup-link/aggregate.js'
import { RevokeSetupLink } from '../../domain/setup-link/command-schemas.js'
import { type SetupIntent, SetupIntents } from '../../domain/setup-link/events.js'
import { setupLinkTokens } from '../../domain/setup-link/token.js'
import { IdpId, LinkId, requiredText } from '../../domain/values.js'
import { invalid, type WriteError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { expiry } from '../method/input.js'
import { type Read, type Write, write } from '../method/method.js'
import {
  get,
  type ListOptions,
  list,
  listFields,
  type Page,
  type TextFilter,
} from '../reading/list.js'
import { change } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'
import { sha256OfText } from '../sha256.js'
import { specOf, writeObject, writesOf } from '../writing/write-object.js'
import type {
  ConfirmDraftInput,
  DraftInput,
  RedeemedSetupLink,
  RedeemOptions,
  RedeemSetupLinkInput,
  SetupLinkIds,
} from './redeem-setup-link.js'

/**
 * Links that let somebody without an account set up sign-in: a customer's IT department proves a domain, connects a
 * provider or maps groups. The link's token is a secret: its holder acts as `setup-link:<linkId>` with the permissions
 * of the link's intents, until the link expires, is completed or is revoked.
 */
export interface SetupLinks {
  /**
   * Creates a link. Only this outcome has its token, which is not stored. That is why an idempotency key is refused: a
   * repeated call could not return the token. If a token is lost, revoke its link and issue another.
   *
   * @example
   * const expiresAt = new Date(Date.now() + 7 * 86_400_000)
   * const intents = ['provider', 'domain', 'groups'] as const
   * const { token } = await orThrow(iam.setupLinks.issue({ expiresAt, intents }, context))
   */
  readonly issue: Write<IssueSetupLinkInput, IssuedSetupLink>
  /** Revokes a link, even one that was opened. A completed or revoked link stays as it is. */
  readonly revoke: Write<SetupLinkInput, SetupLinkIds>
  /** Returns one link, without its token. */
  readonly get: Read<SetupLinkInput, SetupLink>
  /** Lists the organization's links, including those that have ended, page by page. */
  readonly list: Read<ListSetupLinksInput, Page<SetupLink>>
  /**
   * Returns the organization and the caller of a token. For the host itself, without a permission check. The first call
   * marks the link as `used`. Redeem the token at each request, so that a revoked or expired link stops working at
   * once. A link that is unknown, expired, completed or revoked is refused as `Unauthenticated`, without a reason.
   *
   * The caller has the permissions of the link's intents in the link's organization, for what the link adds and what
   * `issue` names: everything else is `PermissionDenied`, and so are calls after the link has ended. A provider that the
   * caller adds is an inactive draft under `idpId`. The caller may edit it, and may reactivate it once it has passed its
   * test and a sign-in as it is (`confirmDraft`). It never writes an active provider, or one that a domain is set to,
   * and sets the provider of a domain only where none is set. `authorize` is not called for this very object; a copy of
   * it is an ordinary caller.
   */
  readonly redeem: (
    input: RedeemSetupLinkInput,
    options?: RedeemOptions,
  ) => ResultAsync<RedeemedSetupLink, WriteError>
  /**
   * Ends the link of a token, because everything is set up. For the host itself, without a permission check. Refused in
   * the same cases as `redeem`.
   */
  readonly complete: (
    input: RedeemSetupLinkInput,
    options?: RedeemOptions,
  ) => ResultAsync<SetupLinkIds, WriteError>
  /**
   * Returns the open links that may set up a provider; none for any other provider. For the host itself, without a
   * permission check. `openIdSignIn` calls it to let a draft be tried.
   */
  readonly ofDraft: (
    input: DraftInput,
    options?: RedeemOptions,
  ) => ResultAsync<readonly SetupLinkIds[], WriteError>
  /**
   * Records that a provider has passed its test or a sign-in, so that the holder of its link may switch it on, and
   * returns the links of {@link ofDraft}. A later change of the provider needs both again. For the host itself, without
   * a permission check. `openIdSignIn` calls it; call it only if you test or sign in without `claviger/oidc`.
   */
  readonly confirmDraft: (
    input: ConfirmDraftInput,
    options?: RedeemOptions,
  ) => ResultAsync<readonly SetupLinkIds[], WriteError>
}

/** The link to create. */
export interface IssueSetupLinkInput {
  /** Id of the link. Default: a new ULID. */
  readonly linkId?: string | undefined
  /** When the link expires, to the millisecond; in the future, and at most in the year 9999. */
  readonly expiresAt: Date
  /** 1 to 3 without duplicates: prove a domain, connect a provider, map groups of a provider to roles. */
  readonly intents: readonly SetupIntent[]
  /** A note for the organization itself, such as the link's recipient: 1 to 200 characters. It stays in the log. */
  readonly note?: string | undefined
  /**
   * A provider of the organization that the link may set up while it is inactive and no domain is set to it, and whose
   * groups the link may map. If it does not exist, the link may add it under this id as its draft. Default: the id of the
   * link. Name it if `intents` has `groups` without `provider`.
   */
  readonly idpId?: string | undefined
  /**
   * A domain of the organization that the link may prove, and set to its provider if none is set; besides the domains
   * that it adds. In any form that `domains.add` takes.
   */
  readonly domain?: string | undefined
}

/** Names a link. */
export interface SetupLinkInput extends SetupLinkIds {}

/** A link that was issued. */
export interface IssuedSetupLink extends SetupLinkIds {
  /**
   * The secret of the link: 43 characters of base64url with 256 random bits. Put it into the fragment of a URL, which
   * browsers do not send.
   */
  readonly token: string
}

/** Which links to list, and in which order. */
export const ListSetupLinksInput = z.strictObject(listFields(setupLinks))
export interface ListSetupLinksInput extends ListOptions<Omit<SetupLink, 'expiresAt' | 'intents'>> {
  /** Conditions, which must all hold. Default: every link. */
  readonly filter?:
    | {
        /** Condition on the id. */
        readonly linkId?: TextFilter | undefined
        /** Condition on the note; a link without one has the empty text. */
        readonly note?: TextFilter | undefined
        /** Condition on the provider that was named; a link without one has the empty text. */
        readonly idpId?: TextFilter | undefined
        /** Condition on the domain that was named; a link without one has the empty text. */
        readonly domain?: TextFilter | undefined
        /** Only links in this state; all when absent. */
        readonly state?: SetupLink['state'] | undefined
      }
    | undefined
}

const IssueSetupLinkInput = z.strictObject({
  linkId: z.optional(LinkId),
  expiresAt: expiry,
  intents: SetupIntents,
  note: z.optional(requiredText),
  idpId: z.optional(IdpId),
  domain: z.optional(DomainInput),
})

/** Too many to guess, so the hash needs no salt. */
const TOKEN_BYTES = 32

// Loaded at the first call, so that hosts without links do not load it.
const redeeming = () => import('./redeem-setup-link.js')

/** A method of the host itself, without a context. */
const forHost =
  <Input, Answer>(run: (call: Input & RedeemOptions) => Promise<Result<Answer, WriteError>>) =>
  (input: Input, options?: RedeemOptions): ResultAsync<Answer, WriteError> =>
    new ResultAsync(catchFaults(() => run({ ...input, ...options })))

/** The methods of {@link SetupLinks}, on the ports of a host. */
export default (runtime: Runtime): SetupLinks => {
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
        const token = toBase64url(runtime.environment.secretBytes(TOKEN_BYTES))
        const tokenHash = sha256OfText(token)
        const linkId = input.linkId ?? LinkId.parse(runtime.newId())
        return writeObject(runtime, call, {
          input,
          aggregate: setupLinks,
          decide: async (streams) => {
            const [before, claim] = await Promise.all([
              streams.read(setupLinks, { linkId }, { load: 'assume-empty' }),
              streams.read(setupLinkTokens, { tokenHash }, { load: 'assume-empty' }),
            ])
            const { intents, note, idpId, domain } = input
            const data = {
              linkId,
              expiresAt: input.expiresAt.toISOString(),
              intents,
              ...(note !== undefined && { note }),
              ...(idpId !== undefined && { idpId }),
              ...(domain !== undefined && { domain }),
            }
            const owner = { tokenHash, orgId: streams.orgId, linkId }
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
    list: list(runtime, 'setupLinks.list', setupLinks, ListSetupLinksInput),
    redeem: forHost<RedeemSetupLinkInput, RedeemedSetupLink>(async (call) =>
      (await redeeming()).redeemSetupLink(runtime, call),
    ),
    complete: forHost<RedeemSetupLinkInput, SetupLinkIds>(async (call) =>
      (await redeeming()).completeSetupLink(runtime, call),
    ),
    ofDraft: forHost<DraftInput, readonly SetupLinkIds[]>(async (call) =>
      (await redeeming()).linksOfDraft(runtime, call),
    ),
    confirmDraft: forHost<ConfirmDraftInput, readonly SetupLinkIds[]>(async (call) =>
      (await redeeming()).confirmDraft(runtime, call),
    ),
  }
}

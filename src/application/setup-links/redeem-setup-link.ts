import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { isOpen, type SetupLinkState, setupLinks } from '../../domain/setup-link/aggregate.js'
import type { SetupLinkCommand } from '../../domain/setup-link/command-schemas.js'
import { ProviderCheckName, type SetupIntent } from '../../domain/setup-link/events.js'
import { setupLinkTokens } from '../../domain/setup-link/token.js'
import { IdpId, LinkId, OrgId, type Permission } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Caller } from '../../ports/host.js'
import { invalid, type Unauthenticated, type WriteError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { type Observer, observed } from '../hooks.js'
import { admit, isSignal } from '../method/context.js'
import { isPosition, POSITION_IN_WORDS, readInput } from '../method/input.js'
import { conditionsOf } from '../reading/list.js'
import { allObjects } from '../reading/query.js'
import { change } from '../recording/stream-state.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { sha256OfText } from '../sha256.js'
import { raceAbort } from '../waiting.js'
import { linkDelegation } from './link-delegation.js'

/** The token of a link. */
export interface RedeemSetupLinkInput {
  /** The token that `issue` returned. */
  readonly token: string
}

/** How to redeem a token. */
export interface RedeemOptions {
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined
}

/** The organization and the caller of a redeemed link. */
export interface RedeemedSetupLink extends SetupLinkIds {
  /** The organization that issued the link. */
  readonly orgId: string
  /** `setup-link:<linkId>`, with the permissions of the intents and no others. */
  readonly caller: Caller
  /** The things that the caller may set up. */
  readonly intents: readonly SetupIntent[]
  /** When the link expires. */
  readonly expiresAt: Date
  /**
   * The provider that the caller may set up or map groups of: the one that `issue` named, or the draft that the caller
   * adds under this id, which stays the same for the life of the link.
   */
  readonly idpId: string
  /** The domain that `issue` named; absent if none was. */
  readonly domain?: string
  /** `details.sequence` of the provider when it passed each check; absent for a check that it has not passed. */
  readonly passed: Readonly<Partial<Record<ProviderCheckName, Position>>>
}

/** Names a provider of an organization. */
export interface DraftInput {
  /** The organization that owns the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}

/** A check that a provider has passed. */
export interface ConfirmDraftInput extends DraftInput {
  /** Its test, or a sign-in with it. */
  readonly check: ProviderCheckName
  /** `details.sequence` of the provider as it was checked. */
  readonly sequence: Position
}

/** The id of a link in the outcome of a write. */
export interface SetupLinkIds {
  /** Id of the link. */
  readonly linkId: string
}

const PERMISSIONS_OF: Readonly<Record<SetupIntent, readonly Permission[]>> = {
  domain: ['domain.read', 'domain.write'],
  provider: ['identity_provider.read', 'identity_provider.write'],
  groups: [
    'identity_provider.read',
    'role_mapping.read',
    'role_mapping.write',
    'project.read',
    'project.role.read',
    'project.grant.read',
  ],
}

/** Returns the caller of a token. */
export const redeemSetupLink = (
  runtime: Runtime,
  call: TokenAndSignal,
): Promise<Result<RedeemedSetupLink, WriteError>> =>
  byToken(runtime, { method: 'setupLinks.redeem', type: 'UseSetupLink' }, call, (link) => {
    const { orgId, linkId, actor, intents, expiresAt, idpId, domain, passed } = link
    const permissions = new Set(intents.flatMap((intent) => PERMISSIONS_OF[intent]))
    const caller = Object.freeze({ ...actor, permissions: Object.freeze([...permissions]) })
    runtime.delegations.set(caller, linkDelegation(runtime, { caller, linkId }))
    return {
      orgId,
      linkId,
      caller,
      intents,
      expiresAt: new Date(expiresAt),
      idpId,
      ...(domain !== undefined && { domain }),
      passed: Object.fromEntries(
        Object.entries(passed).map(([check, sequence]) => [check, BigInt(sequence)]),
      ),
    }
  })

export const completeSetupLink = (
  runtime: Runtime,
  call: TokenAndSignal,
): Promise<Result<SetupLinkIds, WriteError>> =>
  byToken(runtime, { method: 'setupLinks.complete', type: 'CompleteSetupLink' }, call, (link) => ({
    linkId: link.linkId,
  }))

const provider = { orgId: OrgId, idpId: IdpId }
const DraftInput = z.strictObject(provider)
const ConfirmDraftInput = z.strictObject({
  ...provider,
  check: ProviderCheckName,
  sequence: z.custom<Position>(isPosition, { error: POSITION_IN_WORDS }),
})

/** The open links that may set up a provider: its own, and those that name it. */
export const linksOfDraft = (
  runtime: Runtime,
  { signal, ...input }: DraftInput & RedeemOptions,
): Promise<Result<readonly SetupLinkIds[], WriteError>> =>
  observed(runtime, 'setupLinks.ofDraft', () =>
    catchFaults(async (): Promise<Result<readonly SetupLinkIds[], WriteError>> => {
      const parsed = readInput(DraftInput, input)
      if (parsed.isErr()) return err(parsed.error())
      if (!isSignal(signal)) return err(invalid('signal', 'must be an AbortSignal'))
      return ok(await raceAbort(openLinksOf(runtime, parsed.value), signal))
    }),
  )

/** Records that a provider has passed a check, on each of its open links. */
export const confirmDraft = (
  runtime: Runtime,
  { signal, ...input }: ConfirmDraftInput & RedeemOptions,
): Promise<Result<readonly SetupLinkIds[], WriteError>> =>
  observed(runtime, 'setupLinks.confirmDraft', (observer) =>
    catchFaults(async () => {
      const parsed = readInput(ConfirmDraftInput, input)
      if (parsed.isErr()) return err(parsed.error())
      if (!isSignal(signal)) return err(invalid('signal', 'must be an AbortSignal'))
      const { orgId, check, sequence } = parsed.value
      const links = await raceAbort(openLinksOf(runtime, parsed.value), signal)
      for (const { linkId } of links) {
        const call = { method: 'setupLinks.confirmDraft', observer, signal, orgId, linkId }
        const recorded = await record(runtime, call, (at) => ({
          type: 'ConfirmSetupLinkProvider',
          data: { linkId, at, check, sequence: String(sequence) },
        }))
        if (recorded.isErr()) return err(recorded.error)
      }
      return ok(links)
    }),
  )

const openLinksOf = async (
  runtime: Runtime,
  { orgId, idpId }: { readonly orgId: OrgId; readonly idpId: IdpId },
): Promise<readonly { readonly linkId: LinkId }[]> => {
  // A draft has the id of its link.
  const linkIds = [LinkId.parse(idpId)]
  const wanted = { type: 'setup_link', orgId, conditions: conditionsOf({ idpId }) } as const
  for await (const { linkId } of allObjects(runtime, { signal: undefined }, wanted))
    linkIds.push(LinkId.parse(linkId))
  const links = await Promise.all(
    linkIds.map(async (linkId) => {
      const { state } = await runtime.states.readLatest(setupLinks, orgId, { linkId })
      const isOfDraft =
        isOpen(state, runtime.now().toISOString()) &&
        state.idpId === idpId &&
        state.intents.includes('provider')
      return isOfDraft ? [{ linkId }] : []
    }),
  )
  return links.flat()
}

/** A link, and the caller that it stands for. */
interface OpenLink extends Omit<Exclude<SetupLinkState, { readonly status: 'absent' }>, 'status'> {
  readonly linkId: LinkId
  readonly orgId: string
  readonly actor: Caller
}

interface TokenCommand {
  readonly method: string
  readonly type: 'UseSetupLink' | 'CompleteSetupLink'
}

interface TokenAndSignal extends RedeemSetupLinkInput, RedeemOptions {}

const TokenInput = z.strictObject({ token: z.string({ error: 'must be text' }) })

/** Longest text that is hashed: longer than any token. */
const MAX_TOKEN_LENGTH = 200

/** The same refusal for every token without an open link. */
const REFUSED: Unauthenticated = { kind: 'Unauthenticated' }

/** Records a command on the link of a token. */
const byToken = <Answer>(
  runtime: Runtime,
  { method, type }: TokenCommand,
  { signal, ...input }: TokenAndSignal,
  answerOf: (link: OpenLink) => Answer,
): Promise<Result<Answer, WriteError>> =>
  observed(runtime, method, (observer) =>
    catchFaults(async () => {
      const parsed = readInput(TokenInput, input)
      if (parsed.isErr()) return err(parsed.error())
      if (!isSignal(signal)) return err(invalid('signal', 'must be an AbortSignal'))
      const { token } = parsed.value
      if (token.length > MAX_TOKEN_LENGTH) return err(REFUSED)
      const tokenHash = sha256OfText(token)
      const { state: claim } = await raceAbort(
        runtime.states.readLatest(setupLinkTokens, '', { tokenHash }),
        signal,
      )
      if (claim.status === 'absent') return err(REFUSED)
      const { orgId, linkId } = claim
      const call = { method, observer, signal, orgId, linkId }
      const recorded = await record(runtime, call, (at) => ({ type, data: { linkId, at } }))
      return recorded.map(answerOf)
    }),
  )

interface LinkCall {
  readonly method: string
  readonly observer: Observer | undefined
  readonly signal: AbortSignal | undefined
  readonly orgId: string
  readonly linkId: LinkId
}

/** Records a command on an open link, with the link's caller as the actor. */
const record = async (
  runtime: Runtime,
  { method, observer, signal, orgId, linkId }: LinkCall,
  commandAt: (now: string) => SetupLinkCommand,
): Promise<Result<OpenLink, WriteError>> => {
  const actor = { userId: `setup-link:${linkId}`, orgId }
  const admitted = admit({ caller: actor, signal }, [], { method, observer })
  if (admitted.isErr()) return err(admitted.error)
  const recorded = await transact(runtime, admitted.value, {
    decide: async (streams) => {
      const before = await streams.read(setupLinks, { linkId })
      return setupLinks.decider
        .decide(commandAt(runtime.now().toISOString()), before.state)
        .map((events) => ({ changes: [change(before, events)], state: before.state }))
    },
    answer: ({ decided }) => decided.state,
  })
  if (recorded.isErr()) return err(recorded.error.kind === 'NotFound' ? REFUSED : recorded.error)
  const state = recorded.value
  if (state.status === 'absent') throw new Error('A link without events opens for nobody')
  return ok({ ...state, orgId, linkId, actor })
}

import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type SetupLinkState, setupLinks } from '../../domain/setup-link/aggregate.js'
import type { SetupIntent } from '../../domain/setup-link/events.js'
import { setupLinkTokens } from '../../domain/setup-link/token.js'
import type { Permission } from '../../domain/values.js'
import type { Caller } from '../../ports/host.js'
import { invalid, type Unauthenticated, type WriteError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { type Observer, observed } from '../hooks.js'
import { admit, isSignal } from '../method/context.js'
import { readInput } from '../method/input.js'
import { change } from '../recording/stream-state.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { sha256OfText } from '../sha256.js'
import { raceAbort } from '../waiting.js'

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
}

/** The id of a link in the outcome of a write. */
export interface SetupLinkIds {
  /** Id of the link. */
  readonly linkId: string
}

/** The permissions of each intent. */
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
  given: TokenAndSignal,
): Promise<Result<RedeemedSetupLink, WriteError>> =>
  byToken(runtime, { method: 'setupLinks.redeem', type: 'UseSetupLink' }, given, (link) => {
    const { orgId, linkId, actor, intents, expiresAt } = link
    const permissions = new Set(intents.flatMap((intent) => PERMISSIONS_OF[intent]))
    const caller = Object.freeze({ ...actor, permissions: Object.freeze([...permissions]) })
    runtime.linkCallers.add(caller)
    return { orgId, linkId, caller, intents, expiresAt: new Date(expiresAt) }
  })

/** Ends the link of a token. */
export const completeSetupLink = (
  runtime: Runtime,
  given: TokenAndSignal,
): Promise<Result<SetupLinkIds, WriteError>> =>
  byToken(runtime, { method: 'setupLinks.complete', type: 'CompleteSetupLink' }, given, (link) => ({
    linkId: link.linkId,
  }))

/** A link, and the caller that it stands for. */
interface OpenLink
  extends SetupLinkIds,
    Omit<Exclude<SetupLinkState, { readonly status: 'absent' }>, 'status'> {
  readonly orgId: string
  readonly actor: Caller
}

interface TokenCommand {
  readonly method: string
  readonly type: 'UseSetupLink' | 'CompleteSetupLink'
  readonly observer?: Observer | undefined
}

interface TokenAndSignal extends RedeemSetupLinkInput, RedeemOptions {}

const byToken = <Answer>(
  runtime: Runtime,
  command: TokenCommand,
  given: TokenAndSignal,
  answerOf: (link: OpenLink) => Answer,
): Promise<Result<Answer, WriteError>> =>
  observed(runtime, command.method, (observer) =>
    catchFaults(async () =>
      (await openLink(runtime, { ...command, observer }, given)).map(answerOf),
    ),
  )

const TokenInput = z.strictObject({ token: z.string({ error: 'must be text' }) })

/** Longest text that is hashed: longer than any token. */
const MAX_TOKEN_LENGTH = 200

/** The same refusal for every token without an open link. */
const REFUSED: Unauthenticated = { kind: 'Unauthenticated' }

/** Records a command on the link of a token, with the link's caller as the actor. */
const openLink = async (
  runtime: Runtime,
  { method, type, observer }: TokenCommand,
  { signal, ...input }: TokenAndSignal,
): Promise<Result<OpenLink, WriteError>> => {
  const given = readInput(TokenInput, input)
  if (given.isErr()) return err(given.error())
  if (!isSignal(signal)) return err(invalid('signal', 'must be an AbortSignal'))
  const { token } = given.value
  if (token.length > MAX_TOKEN_LENGTH) return err(REFUSED)
  const tokenHash = sha256OfText(token)
  const { state: claim } = await raceAbort(
    runtime.states.readLatest(setupLinkTokens, '', { tokenHash }),
    signal,
  )
  if (claim.status === 'absent') return err(REFUSED)
  const { orgId, linkId } = claim
  const actor = { userId: `setup-link:${linkId}`, orgId }
  const admitted = admit({ caller: actor, signal }, [], { method, observer })
  if (admitted.isErr()) return err(admitted.error)
  const recorded = await transact(runtime, admitted.value, {
    decide: async (streams) => {
      const before = await streams.read(setupLinks, { linkId })
      const data = { linkId, at: runtime.now().toISOString() }
      return setupLinks.decider
        .decide({ type, data }, before.state)
        .map((events) => ({ changes: [change(before, events)], state: before.state }))
    },
    answer: ({ decided }) => decided.state,
  })
  if (recorded.isErr()) return err(recorded.error.kind === 'NotFound' ? REFUSED : recorded.error)
  const state = recorded.value
  if (state.status === 'absent') throw new Error('A link without events opens for nobody')
  return ok({ orgId, linkId, actor, intents: state.intents, expiresAt: state.expiresAt })
}

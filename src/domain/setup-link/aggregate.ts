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
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { LinkId, type SetupLinkRef, type StreamId } from '../values.js'
import type {
  CompleteSetupLink,
  ConfirmSetupLinkProvider,
  IssueSetupLink,
  RevokeSetupLink,
  SetupLinkCommand,
  UseSetupLink,
} from './command-schemas.js'
import { type ProviderCheckName, type SetupIntent, SetupLinkEvent } from './events.js'

/** The state of a link, on which its commands are decided. */
export type SetupLinkState =
  | { readonly status: 'absent' }
  | {
      /** Whether the link was opened, completed or revoked. */
      readonly status: 'issued' | 'used' | 'completed' | 'revoked'
      /** In RFC 3339. */
      readonly expiresAt: string
      /** The things that the link's holder may set up. */
      readonly intents: readonly SetupIntent[]
      /** As `SetupLink.note`. */
      readonly note?: string | undefined
      /** The provider that the link may set up: the one that it names, or its own draft, which has the id of the link. */
      readonly idpId: string
      /** The domain that was named; undefined if none was. */
      readonly domain: string | undefined
      /** The sequence at which the provider passed each check. */
      readonly passed: Readonly<Partial<Record<ProviderCheckName, string>>>
    }

/** Errors of a link's commands. A link that has ended is `NotFound`, whatever ended it. */
export type SetupLinkRefusal = NotFound<SetupLinkRef> | AlreadyExists<SetupLinkRef>

type Decision = Result<readonly SetupLinkEvent[], SetupLinkRefusal>

const refuse = (
  kind: 'NotFound' | 'AlreadyExists',
  { linkId }: SetupLinkCommand['data'],
): Decision => err({ kind, object: { type: 'setup_link', linkId } })

/** Whether a link is open at a time. Both times have the same format, so comparing their texts compares the times. */
export const isOpen = (
  state: SetupLinkState,
  at: string,
): state is Exclude<SetupLinkState, { readonly status: 'absent' }> =>
  (state.status === 'issued' || state.status === 'used') && at < state.expiresAt

const issue = ({ data }: IssueSetupLink, state: SetupLinkState): Decision => {
  if (exists(state)) return refuse('AlreadyExists', data)
  return ok([{ type: 'setup_link.issued', data }])
}

const use = ({ data }: UseSetupLink, state: SetupLinkState): Decision => {
  const { linkId, at } = data
  if (!isOpen(state, at)) return refuse('NotFound', data)
  return ok(state.status === 'used' ? [] : [{ type: 'setup_link.used', data: { linkId } }])
}

const confirm = ({ data }: ConfirmSetupLinkProvider, state: SetupLinkState): Decision => {
  const { at, ...passed } = data
  if (!isOpen(state, at)) return refuse('NotFound', data)
  if (state.passed[data.check] === data.sequence) return ok([])
  return ok([{ type: 'setup_link.provider_checked', data: passed }])
}

const complete = ({ data }: CompleteSetupLink, state: SetupLinkState): Decision => {
  const { linkId, at } = data
  if (!isOpen(state, at)) return refuse('NotFound', data)
  return ok([{ type: 'setup_link.completed', data: { linkId } }])
}

const revoke = ({ data }: RevokeSetupLink, state: SetupLinkState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  if (state.status === 'completed' || state.status === 'revoked') return ok([])
  return ok([{ type: 'setup_link.revoked', data }])
}

const decide = (command: SetupLinkCommand, state: SetupLinkState): Decision => {
  switch (command.type) {
    case 'IssueSetupLink':
      return issue(command, state)
    case 'UseSetupLink':
      return use(command, state)
    case 'ConfirmSetupLinkProvider':
      return confirm(command, state)
    case 'CompleteSetupLink':
      return complete(command, state)
    case 'RevokeSetupLink':
      return revoke(command, state)
  }
}

const evolve = (state: SetupLinkState, event: SetupLinkEvent): SetupLinkState => {
  switch (event.type) {
    case 'setup_link.issued': {
      const { linkId, expiresAt, intents, note, idpId, domain } = event.data
      return {
        status: 'issued',
        expiresAt,
        intents,
        note,
        idpId: idpId ?? linkId,
        domain,
        passed: {},
      }
    }
    case 'setup_link.used':
      return exists(state) ? { ...state, status: 'used' } : state
    case 'setup_link.provider_checked': {
      if (!exists(state)) return state
      const { check, sequence } = event.data
      return { ...state, passed: { ...state.passed, [check]: sequence } }
    }
    case 'setup_link.completed':
      return exists(state) ? { ...state, status: 'completed' } : state
    case 'setup_link.revoked':
      return exists(state) ? { ...state, status: 'revoked' } : state
  }
}

/** A link that lets somebody without an account set up sign-in for an organization. */
export const setupLink: Decider<
  SetupLinkCommand,
  SetupLinkState,
  SetupLinkEvent,
  SetupLinkRefusal
> = {
  eventSchema: SetupLinkEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

/** A set-up link as reads return it; never with its token. */
export interface SetupLink extends Detailed {
  /** Unique within the organization. */
  readonly linkId: string
  /**
   * Issued, opened at least once, completed, or revoked. A completed, revoked or expired link does not open. Expiry
   * does not change the state.
   */
  readonly state: 'issued' | 'used' | 'completed' | 'revoked'
  /** The things that the link's holder may set up. */
  readonly intents: readonly SetupIntent[]
  /** When the link expires. */
  readonly expiresAt: Date
  /** A note for the organization that issued the link, such as its recipient; absent without a note. */
  readonly note?: string
  /** The provider that the link was issued for; absent if it adds one of its own, with the id of the link. */
  readonly idpId?: string
  /** The domain that the link was issued for; absent if none was named. */
  readonly domain?: string
}

/** The fields of {@link SetupLink} that its own events set. */
export type SetupLinkView = ViewOf<SetupLink>

/** Links that let somebody without an account set up sign-in. */
export const setupLinks = defineAggregate({
  type: 'setup_link',
  label: 'set-up link',
  ids: z.strictObject({ linkId: LinkId }),
  decider: setupLink,
  events: SetupLinkEvent.def.options,
  adds: 'setup_link.issued',
  show: ({ status, expiresAt, intents, note, idpId, domain }, { linkId }): SetupLinkView => ({
    linkId,
    intents: Object.freeze([...intents]),
    ...(note !== undefined && { note }),
    ...(idpId !== linkId && { idpId }),
    ...(domain !== undefined && { domain }),
    state: status,
    expiresAt: new Date(expiresAt),
  }),
  states: ['issued', 'used', 'completed', 'revoked'],
  fields: {
    linkId: filterableText,
    intents: { holds: 'list' },
    expiresAt: { holds: 'time' },
    note: optionalText,
    idpId: optionalText,
    domain: optionalText,
  },
  target: ({ linkId }) => ({ type: 'setup_link', id: linkId }),
  permissions: { read: 'setup_link.read', write: 'setup_link.write' },
} satisfies AggregateDefinition<SetupLinkRef, SetupLinkView, SetupLinkEvent, SetupLinkState>)

/** One stream for each link. */
export const setupLinkStream = (orgId: string, linkId: string): StreamId =>
  setupLinks.stream(orgId, { linkId })

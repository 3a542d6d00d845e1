import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import { command } from '../message.js'
import {
  ExpiryTime,
  LinkId,
  requiredText,
  type SetupIntent,
  SetupIntents,
  type SetupLinkRef,
} from '../values.js'
import { SetupLinkEvent, type SetupLinkIssued } from './events.js'

const ids = { linkId: LinkId }

/** When a link is opened or completed, in RFC 3339; refused from its expiry on. */
const atTime = { at: ExpiryTime }

/** Creates a link. */
export const IssueSetupLink = command('IssueSetupLink', {
  ...ids,
  expiresAt: ExpiryTime,
  intents: SetupIntents,
  note: z.exactOptional(requiredText),
})
export interface IssueSetupLink extends z.infer<typeof IssueSetupLink> {
  /** Its id, expiry, intents and note. */
  readonly data: SetupLinkIssued['data']
}

/** Opens a link. Opening it again changes nothing. */
export const UseSetupLink = command('UseSetupLink', { ...ids, ...atTime })
export interface UseSetupLink extends z.infer<typeof UseSetupLink> {
  /** The link, and the time. */
  readonly data: Pick<SetupLinkIssued['data'], 'linkId'> & {
    /** The present, in RFC 3339. */
    readonly at: string
  }
}

/** Ends a link, because everything is set up. */
export const CompleteSetupLink = command('CompleteSetupLink', { ...ids, ...atTime })
export interface CompleteSetupLink extends z.infer<typeof CompleteSetupLink> {
  /** The link, and the time. */
  readonly data: UseSetupLink['data']
}

/** Revokes a link. A completed or revoked link stays as it is. */
export const RevokeSetupLink = command('RevokeSetupLink', ids)
export interface RevokeSetupLink extends z.infer<typeof RevokeSetupLink> {
  /** The link. */
  readonly data: Pick<SetupLinkIssued['data'], 'linkId'>
}

/** Any command of a link. */
export const SetupLinkCommand = z.discriminatedUnion('type', [
  IssueSetupLink,
  UseSetupLink,
  CompleteSetupLink,
  RevokeSetupLink,
])
export type SetupLinkCommand = IssueSetupLink | UseSetupLink | CompleteSetupLink | RevokeSetupLink

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
    }

/** Errors of a link's commands. A link that has ended is `NotFound`, whatever ended it. */
export type SetupLinkRefusal = NotFound<SetupLinkRef> | AlreadyExists<SetupLinkRef>

type Decision = Result<readonly SetupLinkEvent[], SetupLinkRefusal>

const refuse = (
  kind: 'NotFound' | 'AlreadyExists',
  { linkId }: SetupLinkCommand['data'],
): Decision => err({ kind, object: { type: 'setup_link', linkId } })

/** Whether a link is open at a time. Both times have the same format, so comparing their texts compares the times. */
const isOpen = (state: SetupLinkState, at: string): boolean =>
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
    case 'CompleteSetupLink':
      return complete(command, state)
    case 'RevokeSetupLink':
      return revoke(command, state)
  }
}

const evolve = (state: SetupLinkState, event: SetupLinkEvent): SetupLinkState => {
  switch (event.type) {
    case 'setup_link.issued': {
      const { expiresAt, intents } = event.data
      return { status: 'issued', expiresAt, intents }
    }
    case 'setup_link.used':
      return exists(state) ? { ...state, status: 'used' } : state
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

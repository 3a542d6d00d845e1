import { err, ok, type Result } from 'neverthrow'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import type { SetupLinkRef } from '../values.js'
import type {
  CompleteSetupLink,
  IssueSetupLink,
  RevokeSetupLink,
  SetupLinkCommand,
  UseSetupLink,
} from './commands.js'
import { type SetupIntent, SetupLinkEvent, setupLinkUpcasters } from './events.js'

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
  upcasters: setupLinkUpcasters,
  initialState: { status: 'absent' },
  decide,
  evolve,
}

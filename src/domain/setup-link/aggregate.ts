import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  type ObjectDetails,
  optionalText,
  plainList,
  plainTime,
  type ViewOf,
} from '../aggregate.js'
import { LinkId, type SetupIntent, type SetupLinkRef, type StreamId } from '../values.js'
import { setupLink } from './decider.js'
import { SetupLinkEvent } from './events.js'

/** A set-up link as reads return it; never with its token. */
export interface SetupLink {
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
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** The fields of {@link SetupLink} that its own events set. */
export type SetupLinkView = ViewOf<SetupLink>

/** The link after `event`; undefined if it does not exist. */
export const setupLinkView = (
  view: SetupLinkView | undefined,
  event: SetupLinkEvent,
): SetupLinkView | undefined => {
  switch (event.type) {
    case 'setup_link.issued': {
      const { expiresAt, ...data } = event.data
      return { ...data, state: 'issued', expiresAt: new Date(expiresAt) }
    }
    case 'setup_link.used':
      return view && { ...view, state: 'used' }
    case 'setup_link.completed':
      return view && { ...view, state: 'completed' }
    case 'setup_link.revoked':
      return view && { ...view, state: 'revoked' }
  }
}

/** Links that let somebody without an account set up sign-in. */
export const setupLinks = defineAggregate({
  type: 'setup_link',
  label: 'set-up link',
  ids: z.strictObject({ linkId: LinkId }),
  decider: setupLink,
  events: SetupLinkEvent.def.options,
  effects: {
    'setup_link.issued': 'adds',
    'setup_link.used': 'changes',
    'setup_link.completed': 'changes',
    'setup_link.revoked': 'changes',
  },
  view: setupLinkView,
  states: ['issued', 'used', 'completed', 'revoked'],
  fields: {
    linkId: filterableText((view) => view.linkId),
    intents: plainList,
    expiresAt: plainTime,
    note: optionalText((view) => view.note),
  },
  target: ({ linkId }) => ({ type: 'setup_link', id: linkId }),
  permissions: { read: 'setup_link.read', write: 'setup_link.write' },
} satisfies AggregateDefinition<SetupLinkRef, SetupLinkView, SetupLinkEvent>)

/** One stream for each link. */
export const setupLinkStream = (orgId: string, linkId: string): StreamId =>
  setupLinks.stream(orgId, { linkId })

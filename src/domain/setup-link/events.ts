// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { choice, ExpiryTime, IdpId, LinkId, listOf, onlyOnce, requiredText } from '../values.js'

/** The things that a link lets its holder set up, in the order of the guided pages. */
const SETUP_INTENTS = ['provider', 'domain', 'groups'] as const satisfies SetupIntent[]
/** Something that a link lets its holder set up: connect a provider, prove a domain, map groups to roles. */
export type SetupIntent = 'provider' | 'domain' | 'groups'

/** 1 to 3 intents, without duplicates. */
export const SetupIntents = listOf(choice(SETUP_INTENTS), 1, SETUP_INTENTS.length).check(
  onlyOnce((intent: SetupIntent) => intent, []),
)

const ids = { linkId: LinkId }

/** A domain in ASCII and lower case. */
export const DomainText = z.string().check(z.regex(/^[a-z0-9.-]{3,253}$/))

/** A link was created. Only a hash of its token is stored, in `setup_link_token.claimed`. */
export const SetupLinkIssued = event('setup_link.issued', {
  ...ids,
  expiresAt: ExpiryTime,
  intents: SetupIntents,
  note: z.exactOptional(requiredText),
  idpId: z.exactOptional(IdpId),
  domain: z.exactOptional(DomainText),
})
export interface SetupLinkIssued extends z.infer<typeof SetupLinkIssued> {
  /** The new values. */
  readonly data: {
    /** As `SetupLink.linkId`. */
    readonly linkId: LinkId
    /** As `SetupLink.expiresAt`, in RFC 3339. */
    readonly expiresAt: string
    /** As `SetupLink.intents`. */
    readonly intents: readonly SetupIntent[]
    /** As `SetupLink.note`. */
    readonly note?: string
    /** As `SetupLink.idpId`. */
    readonly idpId?: IdpId
    /** As `SetupLink.domain`. */
    readonly domain?: string
  }
}

/** The link was opened for the first time. */
export const SetupLinkUsed = event('setup_link.used', ids)
export interface SetupLinkUsed extends z.infer<typeof SetupLinkUsed> {
  /** The link. */
  readonly data: Pick<SetupLinkIssued['data'], 'linkId'>
}

/** A proof that a provider works: its test, or a sign-in with it. */
export type ProviderCheckName = 'test' | 'sign_in'
export const ProviderCheckName = choice(['test', 'sign_in'] as const satisfies ProviderCheckName[])

/** A position in the log, in decimal digits. */
export const CheckedSequence = z.string().check(z.regex(/^\d{1,20}$/))

/** The provider of the link passed a check. */
export const SetupLinkProviderChecked = event('setup_link.provider_checked', {
  ...ids,
  check: ProviderCheckName,
  sequence: CheckedSequence,
})
export interface SetupLinkProviderChecked extends z.infer<typeof SetupLinkProviderChecked> {
  /** The link, and what its provider passed. */
  readonly data: {
    /** As `SetupLink.linkId`. */
    readonly linkId: LinkId
    /** What the provider passed: its test, or a sign-in. */
    readonly check: ProviderCheckName
    /** `details.sequence` of the provider as it was checked, in decimal digits. */
    readonly sequence: string
  }
}

/** The set-up was completed: the link does not open again. */
export const SetupLinkCompleted = event('setup_link.completed', ids)
export interface SetupLinkCompleted extends z.infer<typeof SetupLinkCompleted> {
  /** The link. */
  readonly data: Pick<SetupLinkIssued['data'], 'linkId'>
}

/** The link was revoked: it does not open again. */
export const SetupLinkRevoked = event('setup_link.revoked', ids)
export interface SetupLinkRevoked extends z.infer<typeof SetupLinkRevoked> {
  /** The link. */
  readonly data: Pick<SetupLinkIssued['data'], 'linkId'>
}

/** Any event of a link's stream. */
export const SetupLinkEvent = z.discriminatedUnion('type', [
  SetupLinkIssued,
  SetupLinkUsed,
  SetupLinkProviderChecked,
  SetupLinkCompleted,
  SetupLinkRevoked,
])
export type SetupLinkEvent =
  | SetupLinkIssued
  | SetupLinkUsed
  | SetupLinkProviderChecked
  | SetupLinkCompleted
  | SetupLinkRevoked

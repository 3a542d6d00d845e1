import * as z from 'zod/mini'
import { command } from '../message.js'
import { ExpiryTime, IdpId, LinkId, requiredText } from '../values.js'
import {
  CheckedSequence,
  DomainText,
  ProviderCheckName,
  SetupIntents,
  type SetupLinkIssued,
  type SetupLinkProviderChecked,
} from './events.js'

const ids = { linkId: LinkId }

/** When a link is opened or completed, in RFC 3339; refused from its expiry on. */
const atTime = { at: ExpiryTime }

/** Creates a link. */
export const IssueSetupLink = command('IssueSetupLink', {
  ...ids,
  expiresAt: ExpiryTime,
  intents: SetupIntents,
  note: z.exactOptional(requiredText),
  idpId: z.exactOptional(IdpId),
  domain: z.exactOptional(DomainText),
})
export interface IssueSetupLink extends z.infer<typeof IssueSetupLink> {
  /** Its id, expiry, intents and note, and the provider and the domain that it names. */
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

/** Records that the provider of a link passed a check. */
export const ConfirmSetupLinkProvider = command('ConfirmSetupLinkProvider', {
  ...ids,
  ...atTime,
  check: ProviderCheckName,
  sequence: CheckedSequence,
})
export interface ConfirmSetupLinkProvider extends z.infer<typeof ConfirmSetupLinkProvider> {
  /** The link, the time, and what its provider passed. */
  readonly data: UseSetupLink['data'] & Omit<SetupLinkProviderChecked['data'], 'linkId'>
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
  ConfirmSetupLinkProvider,
  CompleteSetupLink,
  RevokeSetupLink,
])
export type SetupLinkCommand =
  | IssueSetupLink
  | UseSetupLink
  | ConfirmSetupLinkProvider
  | CompleteSetupLink
  | RevokeSetupLink

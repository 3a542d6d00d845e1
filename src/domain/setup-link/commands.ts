import * as z from 'zod/mini'
import { command } from '../message.js'
import { ExpiryTime, LinkId, requiredText } from '../values.js'
import { SetupIntents, type SetupLinkIssued } from './events.js'

const ids = { linkId: LinkId }

/** When a link is opened or completed, in RFC 3339: from its expiry on it is refused. */
const at = { at: ExpiryTime }

/** Makes a link. */
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
export const UseSetupLink = command('UseSetupLink', { ...ids, ...at })
export interface UseSetupLink extends z.infer<typeof UseSetupLink> {
  /** Which link, and when. */
  readonly data: Pick<SetupLinkIssued['data'], 'linkId'> & {
    /** The present, in RFC 3339. */
    readonly at: string
  }
}

/** Ends a link, since all is set up. */
export const CompleteSetupLink = command('CompleteSetupLink', { ...ids, ...at })
export interface CompleteSetupLink extends z.infer<typeof CompleteSetupLink> {
  /** Which link, and when. */
  readonly data: UseSetupLink['data']
}

/** Withdraws a link. One that was completed or revoked stays as it is. */
export const RevokeSetupLink = command('RevokeSetupLink', ids)
export interface RevokeSetupLink extends z.infer<typeof RevokeSetupLink> {
  /** Which link. */
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

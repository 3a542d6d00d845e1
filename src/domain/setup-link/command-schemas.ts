import * as z from 'zod/mini'
import { command } from '../message.js'
import { ExpiryTime, LinkId, requiredText } from '../values.js'
import { SetupIntents, type SetupLinkIssued } from './events.js'

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

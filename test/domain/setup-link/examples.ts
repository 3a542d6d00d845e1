import type {
  CompleteSetupLink,
  ConfirmSetupLinkProvider,
  IssueSetupLink,
  RevokeSetupLink,
  UseSetupLink,
} from '../../../src/domain/setup-link/command-schemas.js'
import type { SetupLinkEvent, SetupLinkIssued } from '../../../src/domain/setup-link/events.js'
import { LinkId } from '../../../src/domain/values.js'

/** Names the link of these examples. */
export const id = { linkId: LinkId.parse('link-1') }

/** When it expires, and the last moment before. */
export const EXPIRY = '2026-12-31T12:00:00.000Z'
const BEFORE = '2026-12-31T11:59:59.999Z'

const data = { ...id, expiresAt: EXPIRY, intents: ['provider', 'domain'], note: 'For Ada' } as const

export const issue: IssueSetupLink = { type: 'IssueSetupLink', data }
export const useBefore: UseSetupLink = { type: 'UseSetupLink', data: { ...id, at: BEFORE } }
export const useLate: UseSetupLink = { type: 'UseSetupLink', data: { ...id, at: EXPIRY } }
/** What the provider of the link passed, at the sequence 7 of the provider. */
const passed = { ...id, check: 'test', sequence: '7' } as const
export const confirm: ConfirmSetupLinkProvider = {
  type: 'ConfirmSetupLinkProvider',
  data: { ...passed, at: BEFORE },
}
export const confirmLate: ConfirmSetupLinkProvider = {
  type: 'ConfirmSetupLinkProvider',
  data: { ...passed, at: EXPIRY },
}
export const complete: CompleteSetupLink = {
  type: 'CompleteSetupLink',
  data: { ...id, at: BEFORE },
}
export const completeLate: CompleteSetupLink = {
  type: 'CompleteSetupLink',
  data: { ...id, at: EXPIRY },
}
export const revoke: RevokeSetupLink = { type: 'RevokeSetupLink', data: id }

export const issued: SetupLinkIssued = { type: 'setup_link.issued', data }
export const used: SetupLinkEvent = { type: 'setup_link.used', data: id }
export const checked: SetupLinkEvent = { type: 'setup_link.provider_checked', data: passed }
export const completed: SetupLinkEvent = { type: 'setup_link.completed', data: id }
export const revoked: SetupLinkEvent = { type: 'setup_link.revoked', data: id }

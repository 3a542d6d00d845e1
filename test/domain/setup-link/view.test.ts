import { ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import {
  CompleteSetupLink,
  ConfirmSetupLinkProvider,
  IssueSetupLink,
  RevokeSetupLink,
  SetupLinkCommand,
  UseSetupLink,
} from '../../../src/domain/setup-link/command-schemas.js'
import { SetupLinkEvent, type SetupLinkIssued } from '../../../src/domain/setup-link/events.js'
import { SetupLinkTokenClaimed, setupLinkTokens } from '../../../src/domain/setup-link/token.js'
import { OrgId } from '../../../src/domain/values.js'
import { given } from '../../../src/testing/index.js'
import { objections } from '../objections.js'
import { shownAfter } from '../shown.js'
import {
  checked,
  complete,
  completed,
  confirm,
  EXPIRY,
  id,
  issue,
  issued,
  revoke,
  revoked,
  useBefore,
  used,
} from './examples.js'

const viewOf = (...events: SetupLinkEvent[]) => shownAfter('setup_link', events)

describe('What reads show of a set-up link', () => {
  const shown = { ...issued.data, expiresAt: new Date(EXPIRY) }

  it('has the state of its last event', () => {
    expect(viewOf(issued)).toStrictEqual({ ...shown, state: 'issued' })
    expect(viewOf(issued, used)).toStrictEqual({ ...shown, state: 'used' })
    expect(viewOf(issued, checked)).toStrictEqual({ ...shown, state: 'issued' })
    expect(viewOf(issued, used, completed)).toStrictEqual({ ...shown, state: 'completed' })
    expect(viewOf(issued, revoked)).toStrictEqual({ ...shown, state: 'revoked' })
  })

  it('has its note, its provider and its domain where it was issued with them', () => {
    const { note, ...bare } = issued.data
    const { note: _, ...shownBare } = shown
    const of = (named: object) => ({ ...issued, data: { ...bare, ...named } }) as SetupLinkIssued
    expect(viewOf(of({}))).toStrictEqual({ ...shownBare, state: 'issued' })
    for (const named of [{ note }, { idpId: 'okta' }, { domain: 'globex.example' }])
      expect(viewOf(of(named))).toStrictEqual({ ...shownBare, ...named, state: 'issued' })
  })

  it('begins when the link is issued', () => {
    for (const event of [used, checked, completed, revoked]) expect(viewOf(event)).toBeUndefined()
  })
})

describe('The token of a link', () => {
  const data = { ...id, orgId: OrgId.parse('acme'), tokenHash: 'A_-'.repeat(14).concat('z') }
  const claimed = { type: 'setup_link_token.claimed', data } as const

  it('is recorded for its link', () => {
    const command = { type: 'ClaimSetupLinkToken', data } as const
    expect(given(setupLinkTokens.decider, []).when(command)).toEqual(ok([claimed]))
    expect(setupLinkTokens.decider.initialState).toEqual({ status: 'absent' })
  })

  it('has one stream for all organizations', () => {
    for (const orgId of ['acme', 'other'])
      expect(setupLinkTokens.stream(orgId, data)).toBe(`setup_link_token-${data.tokenHash}`)
  })

  it('is stored as the hash of a token alone', () => {
    expect(SetupLinkTokenClaimed.parse(claimed)).toEqual(claimed)
    for (const tokenHash of ['', `${data.tokenHash}a`, `a${data.tokenHash}`])
      expect(
        SetupLinkTokenClaimed.safeParse({ ...claimed, data: { ...data, tokenHash } }).success,
      ).toBe(false)
  })
})

describe('The schema of a command', () => {
  it.each([
    [IssueSetupLink, issue],
    [UseSetupLink, useBefore],
    [ConfirmSetupLinkProvider, confirm],
    [CompleteSetupLink, complete],
    [RevokeSetupLink, revoke],
  ])('reads its own example alone', (schema, command) => {
    expect(schema.parse(command)).toEqual(command)
    expect(SetupLinkCommand.parse(command)).toEqual(command)
    expect(schema.safeParse({ ...command, type: '' }).success).toBe(false)
    expect(schema.safeParse({ ...command, data: {} }).success).toBe(false)
  })
})

describe('What is stored of a set-up link', () => {
  const isStored = (event: object) => SetupLinkEvent.safeParse(event).success

  it.each([
    ['a.b', true],
    ['a'.repeat(253), true],
    ['ab', false],
    ['a'.repeat(254), false],
    ['Globex.example', false],
    ['globex.example/', false],
    ['/globex.example', false],
  ])('has the domain %s: %s', (domain, isValid) => {
    expect(isStored({ ...issued, data: { ...issued.data, domain } })).toBe(isValid)
  })

  it.each([
    ['0', true],
    ['9'.repeat(20), true],
    ['', false],
    ['9'.repeat(21), false],
    ['7a', false],
    ['a7', false],
  ])('has the sequence %s of a check: %s', (sequence, isValid) => {
    expect(isStored({ ...checked, data: { ...checked.data, sequence } })).toBe(isValid)
  })
})

describe('The intents of a set-up link', () => {
  it('are refused where one is there twice', () => {
    const twice = { ...issue, data: { ...issue.data, intents: ['domain', 'provider', 'domain'] } }
    expect(objections(IssueSetupLink, twice)).toEqual(['data.intents.2: must not appear twice'])
  })
})

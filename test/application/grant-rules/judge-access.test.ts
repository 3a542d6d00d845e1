import { describe, expect, it } from 'vitest'
import {
  type AccessQuestion,
  judgeAccess,
  needsRoleOnResource,
} from '../../../src/application/grant-rules/judge-access.js'
import type {
  FoundAccess,
  FoundGrant,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  LostRole,
} from '../../../src/ports/access-reads.js'

const now = new Date('2026-11-29T12:00:00.000Z')
const past = new Date('2026-11-29T11:59:59.999Z')

const role = (roleKey: string, more: Partial<FoundRole> = {}): FoundRole => ({
  ...{ roleKey, displayName: roleKey, group: '', permissions: [] },
  ...more,
})
const expired = role('a', { expiresAt: past })
const ofGroup = (roleKey: string, more: Partial<FoundMappedRole> = {}): FoundMappedRole => ({
  ...role(roleKey),
  via: { idpId: 'okta', group: 'staff' },
  isProviderActive: true,
  ...more,
})
const grant = (...roles: readonly FoundRole[]): FoundGrant => ({ state: 'active', roles, lost: [] })
const inactive = (...roles: readonly FoundRole[]): FoundGrant => ({
  ...grant(...roles),
  state: 'inactive',
})
const lost = (...causes: readonly LostRole['with'][]): FoundGrant => ({
  ...grant(),
  lost: causes.map((cause) => ({ roleKey: 'a', with: cause })),
})
const project: FoundProject = {
  ...{ name: 'Portal', state: 'active' as const, projectRoleAssertion: false },
  ...{ projectRoleCheck: false, hasProjectCheck: false },
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
}
const foundAccess = (
  grants: readonly FoundGrant[],
  mapped: readonly FoundMappedRole[] = [],
): FoundAccess => ({
  project,
  projectGrant: undefined,
  grants,
  mapped,
})

const isRoleA: AccessQuestion = { isOwn: true, roleKey: 'a', now }

describe('The reasons why a user does not have a role', () => {
  const unreachable = ofGroup('a', { isProviderActive: false })
  const lapsed = ofGroup('a', { expiresAt: past })

  it.each<readonly [string, FoundAccess, readonly string[]]>([
    ['nothing gives a role', foundAccess([]), ['NoGrant']],
    ['a group gives another role', foundAccess([], [ofGroup('b')]), ['NoGrant']],
    ['the provider of the group is inactive', foundAccess([], [unreachable]), ['ProviderInactive']],
    ['the report has expired', foundAccess([], [lapsed]), ['MembershipExpired']],
    [
      'one group has an inactive provider, and the report of another has expired',
      foundAccess([], [unreachable, lapsed]),
      ['ProviderInactive', 'MembershipExpired'],
    ],
    ['the grant gives another role', foundAccess([grant(role('b'))]), ['RoleNotGranted']],
    ['the role has expired', foundAccess([grant(expired)]), ['Expired']],
    ['the grant is inactive', foundAccess([inactive(role('a'))]), ['GrantInactive']],
    ['the role was removed', foundAccess([lost('role')]), ['RoleRemoved']],
    ['the grant of the project lost it', foundAccess([lost('project_grant')]), ['RoleNotGranted']],
    [
      'both ended it',
      foundAccess([lost('role', 'project_grant')]),
      ['RoleRemoved', 'RoleNotGranted'],
    ],
    [
      'one grant gives another role, and the role of the other has expired',
      foundAccess([grant(role('b')), grant(expired)]),
      ['Expired'],
    ],
    [
      'an inactive grant gives another role, and the role of the other has expired',
      foundAccess([inactive(role('b')), grant(expired)]),
      ['GrantInactive', 'Expired'],
    ],
    [
      'no grant gives it, and one is inactive',
      foundAccess([grant(role('b')), inactive(role('c'))]),
      ['RoleNotGranted', 'GrantInactive'],
    ],
    [
      'the grant gives another role, and the provider of the group is inactive',
      foundAccess([grant(role('b'))], [unreachable]),
      ['ProviderInactive'],
    ],
    [
      'an inactive grant gives another role, and the report has expired',
      foundAccess([inactive(role('b'))], [lapsed]),
      ['MembershipExpired', 'GrantInactive'],
    ],
  ])('are all that apply: %s', (_, found, kinds) => {
    const { allowed, reasons } = judgeAccess(found, isRoleA)
    expect(allowed).toBe(false)
    expect(reasons.map(({ kind }) => kind)).toEqual(kinds)
  })

  it.each<readonly [string, FoundAccess, readonly string[]]>([
    ['no grant gives it', foundAccess([grant(role('b'))]), ['PermissionNotGranted']],
    [
      'one grant does not give it, and in the other it has expired',
      foundAccess([grant(role('b')), grant(role('a', { expiresAt: past, permissions: ['read'] }))]),
      ['Expired'],
    ],
  ])('are all that apply to a permission: %s', (_, found, kinds) => {
    const { reasons } = judgeAccess(found, { isOwn: true, permission: 'read', now })
    expect(reasons.map(({ kind }) => kind)).toEqual(kinds)
  })

  it('are none where a grant or a group gives it, whatever else does not', () => {
    for (const found of [
      foundAccess([inactive(role('a')), grant(role('a'))], [unreachable]),
      foundAccess([grant(expired)], [lapsed, ofGroup('a')]),
    ])
      expect(judgeAccess(found, isRoleA)).toMatchObject({ allowed: true, reasons: [] })
  })
})

describe('The roles that count', () => {
  it.each<readonly [string, FoundAccess, readonly string[]]>([
    ['of one grant', foundAccess([grant(role('a'), role('b'))]), ['a', 'b']],
    ['not of an inactive grant', foundAccess([inactive(role('a')), grant(role('b'))]), ['b']],
    ['not after they have expired', foundAccess([grant(expired, role('b'))]), ['b']],
    [
      'of two grants, once each',
      foundAccess([grant(role('b'), role('c')), grant(role('a'), role('b'))]),
      ['a', 'b', 'c'],
    ],
    [
      'of a grant and a group, once each',
      foundAccess([grant(role('a'), role('c'))], [ofGroup('b'), ofGroup('c')]),
      ['a', 'b', 'c'],
    ],
    [
      'not of groups whose provider is inactive or whose report has expired',
      foundAccess(
        [grant(role('d'))],
        [ofGroup('a', { isProviderActive: false }), ofGroup('b', { expiresAt: now }), ofGroup('c')],
      ),
      ['c', 'd'],
    ],
  ])('are sorted: %s', (_, found, roleKeys) => {
    expect(judgeAccess(found, { isOwn: true, now }).roleKeys).toEqual(roleKeys)
  })
})

describe('The login rules that ask for a role', () => {
  const found: FoundAccess = { ...foundAccess([]), project: { ...project, projectRoleCheck: true } }

  it('let in who has one on a resource, and nobody without', () => {
    const login: AccessQuestion = { isOwn: true, now }
    expect(judgeAccess(found, login).reasons).toEqual([{ kind: 'NoGrant' }])
    expect(judgeAccess(found, { ...login, hasRoleOnResource: true }).allowed).toBe(true)
  })
})

describe('The permissions of the roles that count', () => {
  const reader = role('a', { permissions: ['read', 'share'] })
  const writer = role('b', { permissions: ['comment', 'read', 'write'] })

  it.each<readonly [string, FoundAccess, readonly string[]]>([
    ['none of no role', foundAccess([]), []],
    ['those of one role', foundAccess([grant(reader)]), ['read', 'share']],
    [
      'those of two roles, once each and sorted',
      foundAccess([grant(reader, writer)]),
      ['comment', 'read', 'share', 'write'],
    ],
  ])('are %s', (_, found, permissions) => {
    expect(judgeAccess(found, { isOwn: true, now }).permissions).toEqual(permissions)
  })
})

describe('A role on a resource is looked for', () => {
  const login: AccessQuestion = { isOwn: true, now }
  const found = (more: Partial<FoundAccess> = {}): FoundAccess => ({
    ...foundAccess([]),
    project: { ...project, projectRoleCheck: true },
    ...more,
  })

  it.each<readonly [string, FoundAccess, AccessQuestion, boolean]>([
    ['the login rules ask for a role', found(), login, true],
    ['a role is asked for', found(), { ...login, roleKey: 'a' }, false],
    ['a permission is asked for', found(), { ...login, permission: 'invoice.read' }, false],
    ['the login rules ask for no role', foundAccess([]), login, false],
    ['the project does not exist', found({ project: undefined }), login, false],
    ['a role counts for the project', found({ grants: [grant(role('a'))] }), login, false],
    [
      'the project was granted',
      found({ projectGrant: 'active' }),
      { ...login, isOwn: false },
      true,
    ],
    ['the project was not granted', found(), { ...login, isOwn: false }, false],
  ])('or not, when %s', (_, access, question, isNeeded) => {
    expect(needsRoleOnResource(access, question)).toBe(isNeeded)
  })
})

import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../../src/domain/aggregates.js'
import { type PresentAccess, presentAccess } from '../../src/projections/present-access.js'
import { readEvents } from '../../src/projections/read-events.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS, PROVIDER_DEFAULTS } from '../defaults.js'
import { type Happening, logOf } from './small-worlds/worlds.js'

type Step = readonly [orgId: 'own' | 'other', type: AnyEvent['type'], data: object]

const project = { projectId: 'p' }
const idpId = 'okta'
const provider = { idpId, name: idpId, clientId: 'c', issuer: 'https://login.test' }
const own = (key: string) => ({ roleKey: key, roleSince: 1 })
const given = (key: string) => ({ ...own(key), grantSince: 1 })
const role = (roleKey: string) => ({
  ...{ ...project, roleKey, displayName: '', group: '', permissions: [] },
})
const projectGrant = { ...project, grantedOrgId: 'other' }
const userGrant = { userId: 'u', projectOrgId: 'own', ...project }
const mapping = { idpId, group: 'g', projectOrgId: 'own', ...project }
const on = { resource: 'r' }
const reported = { idpId, userId: 'u', groups: ['g'] }

const BEGIN: readonly Step[] = [
  ['own', 'project.added', { id: 'p', name: 'p', ...PROJECT_DEFAULTS }],
  ['own', 'project_role.added', role('a')],
  ['own', 'project_role.added', role('b')],
  ['own', 'project_grant.added', { ...projectGrant, roles: [own('a'), own('b')] }],
  [
    'other',
    'identity_provider.oidc_added',
    { ...provider, ...PROVIDER_DEFAULTS, ...OIDC_DEFAULTS, clientSecret: 's' },
  ],
]

/** A question about the user of {@link BEGIN}'s other organization. */
const USER = { orgId: 'other', userId: 'u' }
const QUERY = { ...USER, projectOrgId: 'own', ...project }
const NOW = { now: new Date() }
const EXPIRED = { expiresAt: '2020-01-01T00:00:00.000Z' }

/** Live checks after the steps, and what `look` found after each of them. */
const played = <Found>(steps: readonly Step[], look: (live: PresentAccess) => Found) => {
  const live = presentAccess()
  const happenings = steps.map(([orgId, type, data]): Happening => ({ orgId, type, data }))
  const found = readEvents(logOf(happenings)).map((event) => {
    live.apply(event)
    return look(live)
  })
  return { live, found }
}

/** Live checks after {@link BEGIN} and the steps. */
const liveAfter = (...steps: readonly Step[]): PresentAccess =>
  played([...BEGIN, ...steps], () => undefined).live

/** The roles of the user after each of the steps that follow {@link BEGIN}, on the resource if there is one. */
const rolesAfter = (steps: readonly Step[], resource?: string): readonly string[] =>
  played([...BEGIN, ...steps], ({ hasRole }) =>
    ['a', 'b'].filter((roleKey) => hasRole({ ...QUERY, resource }, { roleKey }, NOW)).join('+'),
  ).found.slice(BEGIN.length)

describe.each([
  ['the whole project', {}],
  ['a resource', on],
])('Live checks of roles on %s', (_, place) => {
  const { resource }: { readonly resource?: string } = place
  const grant = { ...userGrant, ...place }
  const mapped = { ...mapping, ...place }

  test('follow a grant through all that happens to it', () => {
    const steps: readonly Step[] = [
      ['other', 'user_grant.added', { ...grant, roles: [given('a')] }],
      ['other', 'user_grant.deactivated', grant],
      ['other', 'user_grant.updated', { ...grant, roles: [given('a'), given('b')] }],
      ['other', 'user_grant.reactivated', grant],
      ['other', 'user_grant.updated', { ...grant, roles: [given('b')] }],
      ['other', 'user_grant.removed', grant],
      ['other', 'user_grant.added', { ...grant, roles: [given('a')] }],
    ]
    expect(rolesAfter(steps, resource)).toEqual(['a', '', '', 'a+b', 'b', '', 'a'])
  })

  test('follow a group and the reports of its members', () => {
    const steps: readonly Step[] = [
      ['other', 'role_mapping.added', { ...mapped, roles: [given('a')] }],
      ['other', 'membership.reported', reported],
      ['other', 'role_mapping.updated', { ...mapped, roles: [given('a'), given('b')] }],
      ['other', 'identity_provider.deactivated', { idpId }],
      ['other', 'identity_provider.reactivated', { idpId }],
      ['other', 'membership.reported', { ...reported, groups: [] }],
      ['other', 'membership.reported', reported],
      ['other', 'role_mapping.updated', { ...mapped, roles: [given('b')] }],
      ['other', 'role_mapping.removed', mapped],
      ['other', 'role_mapping.added', { ...mapped, roles: [given('a')] }],
      ['other', 'membership.reported', reported],
      ['other', 'membership.removed', { idpId, userId: 'u' }],
    ]
    const held = ['', 'a', 'a+b', '', 'a+b', '', 'a+b', 'b', '', '', 'a', '']
    expect(rolesAfter(steps, resource)).toEqual(held)
  })

  test('follow the project, its roles and its grant', () => {
    const steps: readonly Step[] = [
      ['other', 'user_grant.added', { ...grant, roles: [given('a'), given('b')] }],
      ['own', 'project.deactivated', { id: 'p' }],
      ['own', 'project.reactivated', { id: 'p' }],
      ['own', 'project_role.updated', role('a')],
      ['own', 'project_grant.deactivated', projectGrant],
      ['own', 'project_grant.reactivated', projectGrant],
      ['own', 'project_grant.updated', { ...projectGrant, roles: [own('b')] }],
      ['own', 'project_grant.updated', { ...projectGrant, roles: [own('a'), own('b')] }],
      ['own', 'project_role.removed', { ...project, roleKey: 'b' }],
      ['own', 'project_role.added', role('b')],
      ['own', 'project.removed', { id: 'p' }],
    ]
    const held = ['a+b', '', 'a+b', 'a+b', '', 'a+b', 'b', 'b', '', '', '']
    expect(rolesAfter(steps, resource)).toEqual(held)
  })
})

test('Live checks keep a role on one resource when the role on another ends', () => {
  const other = { resource: 'q' }
  const steps = (one: AnyEvent['type'], end: AnyEvent['type'], data: object): readonly Step[] => [
    ['other', one, { ...data, ...on, roles: [given('a')] }],
    ['other', one, { ...data, ...other, roles: [given('a')] }],
    ['other', 'membership.reported', reported],
    ['other', end, { ...data, ...other }],
    ['other', end, { ...data, ...on }],
  ]
  const ofUser = steps('user_grant.added', 'user_grant.removed', userGrant)
  expect(rolesAfter(ofUser, 'r')).toEqual(['a', 'a', 'a', 'a', ''])
  const ofGroup = steps('role_mapping.added', 'role_mapping.removed', mapping)
  expect(rolesAfter(ofGroup, 'r')).toEqual(['', '', 'a', 'a', ''])
  expect(rolesAfter(ofGroup, 'q')).toEqual(['', '', 'a', '', ''])
  expect(rolesAfter(ofGroup)).toEqual(['', '', '', '', ''])
})

test('Live checks pass over events of what is gone, or never was', () => {
  const ended: readonly Step[] = [
    ['own', 'project_role.removed', { ...project, roleKey: 'a' }],
    ['own', 'project_grant.removed', projectGrant],
    ['other', 'user_grant.removed', userGrant],
    ['other', 'user_grant.removed', { ...userGrant, ...on }],
    ['other', 'role_mapping.removed', mapping],
    ['other', 'role_mapping.removed', { ...mapping, ...on }],
    ['other', 'membership.removed', { idpId, userId: 'u' }],
    ['other', 'identity_provider.removed', { idpId }],
    ['own', 'project.removed', { id: 'p' }],
  ]
  const nothing = { project: undefined, projectGrant: undefined, grants: [], mapped: [] }
  const look = ({ access }: PresentAccess) => access(QUERY)
  expect(played(ended, look).found).toEqual(ended.map(() => nothing))
  const gone: readonly Step[] = [
    ['other', 'role_mapping.added', { ...mapping, roles: [given('a')] }],
    ['other', 'user_grant.added', { ...userGrant, roles: [given('a')] }],
    ['other', 'membership.reported', reported],
    ...ended.slice(-2),
    ...ended,
  ]
  expect(look(liveAfter(...gone))).toEqual(nothing)
})

test('Live checks find the project, what a user was given there, what ended, and the roles of groups in order', () => {
  const shown = (roleKey: string) => ({ roleKey, displayName: '', group: '', permissions: [] })
  const { access, hasRole } = liveAfter(
    ['other', 'role_mapping.added', { ...mapping, roles: [given('b')] }],
    ['other', 'role_mapping.added', { ...mapping, group: 'h', roles: [given('a')] }],
    ['other', 'role_mapping.added', { ...mapping, ...on, validFor: 1, roles: [given('a')] }],
    ['other', 'membership.reported', { ...reported, groups: ['g', 'h'] }],
    [
      'other',
      'user_grant.added',
      { ...userGrant, roles: [given('b'), { ...given('a'), ...EXPIRED }] },
    ],
    ['other', 'user_grant.added', { ...userGrant, ...on, roles: [given('a')] }],
  )
  const expiresAt = new Date(EXPIRED.expiresAt)
  const ofWhole = { state: 'active', roles: [{ ...shown('a'), expiresAt }, shown('b')], lost: [] }
  const foundProject = { name: 'p', state: 'active', ...PROJECT_DEFAULTS }
  const viaGroup = (group: string) => ({ via: { idpId, group }, isProviderActive: true })
  const found = { project: foundProject, projectGrant: 'active', grants: [ofWhole] }
  const ofGroups = [
    { ...shown('a'), ...viaGroup('h') },
    { ...shown('b'), ...viaGroup('g') },
  ]
  expect(access(QUERY)).toStrictEqual({ ...found, mapped: ofGroups })
  const onResource = { ...shown('a'), ...viaGroup('g'), ...on, expiresAt: expect.any(Date) }
  expect(access({ ...QUERY, ...on })).toStrictEqual({
    ...found,
    grants: [ofWhole, { state: 'active', roles: [shown('a')], lost: [] }],
    mapped: [onResource, ...ofGroups],
  })
  expect(hasRole({ ...QUERY, projectOrgId: 'elsewhere' }, { roleKey: 'b' }, NOW)).toBe(false)
})

test.each([
  ['the role', ['role']],
  ['the permission to give it', ['permission']],
  ['the role, then the permission to give it', ['role', 'permission']],
  ['the permission to give it, then the role', ['permission', 'role']],
])('A role is lost with what ended first: %s', (_, ends) => {
  const { access } = liveAfter(
    ['other', 'user_grant.added', { ...userGrant, roles: [given('a')] }],
    ...ends.map(
      (end): Step =>
        end === 'role'
          ? ['own', 'project_role.removed', { ...project, roleKey: 'a' }]
          : ['own', 'project_grant.updated', { ...projectGrant, roles: [own('b')] }],
    ),
  )
  const lost = [{ roleKey: 'a', with: ends[0] === 'role' ? 'role' : 'project_grant' }]
  expect(access(QUERY).grants).toEqual([{ state: 'active', roles: [], lost }])
})

test('A role that expires for one user does not expire for another who has the same roles', () => {
  const { hasRole } = liveAfter(
    [
      'other',
      'user_grant.added',
      { ...userGrant, roles: [{ ...given('a'), ...EXPIRED }, given('b')] },
    ],
    ['other', 'user_grant.added', { ...userGrant, userId: 'v', roles: [given('a'), given('b')] }],
  )
  const hasA = (userId: string) => hasRole({ ...QUERY, userId }, { roleKey: 'a' }, NOW)
  expect([hasA('u'), hasA('v')]).toEqual([false, true])
})

test('A permission counts if a role has it that counts', () => {
  const { hasRole } = liveAfter(
    ['own', 'project_role.updated', { ...role('b'), permissions: ['read'] }],
    ['other', 'user_grant.added', { ...userGrant, roles: [given('b')] }],
  )
  const asked = ['read', 'write'].map((permission) => hasRole(QUERY, { permission }, NOW))
  expect(asked).toEqual([true, false])
  const roleB = ['read', 'write'].map((permission) => ({ roleKey: 'b', permission }))
  expect(roleB.map((question) => hasRole(QUERY, question, NOW))).toEqual([true, false])
})

describe('Where a role counts', () => {
  const ofProject = { projectId: 'p', projectOrgId: 'own' }
  const onBoth: readonly Step[] = [
    ['other', 'user_grant.added', { ...userGrant, ...on, roles: [given('a')] }],
    ['other', 'user_grant.added', { ...userGrant, resource: 'q', roles: [given('b')] }],
  ]
  const roleA = { roleKey: 'a' }

  test('are the project and the resources on which the user has it, once each', () => {
    const { scopesWith } = liveAfter(
      ['other', 'role_mapping.added', { ...mapping, roles: [given('a')] }],
      ['other', 'role_mapping.added', { ...mapping, ...on, roles: [given('a')] }],
      ['other', 'membership.reported', reported],
      ...onBoth,
    )
    expect(scopesWith(USER, roleA, NOW)).toEqual([ofProject, { ...ofProject, ...on }])
    expect(scopesWith({ ...USER, userId: 'v' }, roleA, NOW)).toEqual([])
  })

  test('are no project that is inactive, and none of its resources', () => {
    const whole: Step = ['other', 'user_grant.added', { ...userGrant, roles: [given('a')] }]
    const { scopesWith, hasRoleOnResource } = liveAfter(whole, ...onBoth, [
      ...(['own', 'project.deactivated'] as const),
      { id: 'p' },
    ])
    expect(scopesWith(USER, roleA, NOW)).toEqual([])
    expect(hasRoleOnResource(QUERY, NOW)).toBe(false)
  })

  test('is a resource, if a role counts on one', () => {
    const asked = (...steps: readonly Step[]) => liveAfter(...steps).hasRoleOnResource(QUERY, NOW)
    expect(asked(...onBoth)).toBe(true)
    expect(asked()).toBe(false)
    const expired = [{ ...given('a'), ...EXPIRED }]
    expect(asked(['other', 'user_grant.added', { ...userGrant, ...on, roles: expired }])).toBe(
      false,
    )
    const byGroup: readonly Step[] = [
      ['other', 'role_mapping.added', { ...mapping, roles: [given('a')] }],
      ['other', 'membership.reported', reported],
    ]
    expect(asked(...byGroup)).toBe(false)
    const elsewhere = { ...QUERY, projectOrgId: 'elsewhere' }
    expect(liveAfter(...onBoth).hasRoleOnResource(elsewhere, NOW)).toBe(false)
    const unknown = { ...QUERY, projectId: 'unknown' }
    expect(liveAfter(...onBoth).hasRoleOnResource(unknown, NOW)).toBe(false)
  })
})

test('A role that no event added counts for nobody, nor one that no grant permits', () => {
  const roles = [
    { ...given('a'), roleSince: 9 },
    { ...given('b'), grantSince: 9 },
  ]
  expect(rolesAfter([['other', 'user_grant.added', { ...userGrant, roles }]])).toEqual([''])
})

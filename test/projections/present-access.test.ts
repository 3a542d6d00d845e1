import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../../src/domain/aggregates.js'
import { presentAccess } from '../../src/projections/present-access.js'
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

/** The roles of the user after each of the steps that follow {@link BEGIN}, on the resource if there is one. */
const rolesAfter = (steps: readonly Step[], resource?: string): readonly string[] => {
  const live = presentAccess()
  const happenings = [...BEGIN, ...steps].map(
    ([orgId, type, data]): Happening => ({ orgId, type, data }),
  )
  const query = { orgId: 'other', userId: 'u', projectOrgId: 'own', ...project }
  const asked = { ...query, ...(resource !== undefined && { resource }) }
  const found: string[] = []
  for (const event of readEvents(logOf(happenings))) {
    live.apply(event)
    const held = ['a', 'b'].filter((roleKey) =>
      live.hasRole(asked, { roleKey }, { now: new Date() }),
    )
    found.push(held.join('+'))
  }
  return found.slice(BEGIN.length)
}

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

import { describe, expect, test } from 'vitest'
import { defineAggregate } from '../../src/domain/aggregate.js'
import {
  aggregateNamed,
  aggregates,
  byType,
  EVENT_TYPES,
  idsOf,
  ObjectInput,
  streamDefinitions,
  TYPES,
} from '../../src/domain/aggregates.js'
import { domains } from '../../src/domain/email-domain/aggregate.js'
import { verifiedDomains } from '../../src/domain/email-domain/verified-domain.js'
import { identityProviders, sealedSecretIn } from '../../src/domain/identity-provider/aggregate.js'
import { memberships } from '../../src/domain/membership/aggregate.js'
import { projects } from '../../src/domain/project/aggregate.js'
import { projectGrants } from '../../src/domain/project-grant/aggregate.js'
import { projectRoles } from '../../src/domain/project-role/aggregate.js'
import { roleMappings } from '../../src/domain/role-mapping/aggregate.js'
import { setupLinks } from '../../src/domain/setup-link/aggregate.js'
import { setupLinkTokens } from '../../src/domain/setup-link/token.js'
import { userGrants } from '../../src/domain/user-grant/aggregate.js'
import { OBJECT_IDS } from '../../src/domain/values.js'
import * as domain from './email-domain/examples.js'
import * as idp from './identity-provider/examples.js'
import * as member from './membership/examples.js'
import * as project from './project/examples.js'
import * as projectGrant from './project-grant/examples.js'
import * as role from './project-role/examples.js'
import * as mapping from './role-mapping/examples.js'
import * as setupLink from './setup-link/examples.js'
import { shownAfter } from './shown.js'
import * as userGrant from './user-grant/examples.js'

const cases = [
  {
    aggregate: identityProviders,
    ids: ['idpId'],
    data: idp.google,
    ref: { type: 'identity_provider', idpId: 'google' },
    key: 'google',
    container: undefined,
    within: undefined,
    stream: 'identity_provider-acme+google',
    target: { type: 'identity_provider', id: 'google' },
    permissions: { read: 'identity_provider.read', write: 'identity_provider.write' },
    removed: idp.removed,
    states: ['active', 'inactive'],
    filterable: ['idpId', 'name', 'clientId', 'issuer'],
    sortable: [
      'idpId',
      'name',
      'stylingType',
      'clientId',
      'issuer',
      'displayNameMapping',
      'usernameMapping',
      'autoRegister',
    ],
    events: 8,
  },
  {
    aggregate: projects,
    ids: ['id'],
    data: project.portal,
    ref: { type: 'project', id: 'portal' },
    key: 'portal',
    container: undefined,
    within: undefined,
    stream: 'project-acme+portal',
    target: { type: 'project', id: 'portal' },
    permissions: { read: 'project.read', write: 'project.write' },
    removed: project.removed,
    states: ['active', 'inactive'],
    filterable: ['id', 'name'],
    sortable: [
      'id',
      'name',
      'projectRoleAssertion',
      'projectRoleCheck',
      'hasProjectCheck',
      'privateLabelingSetting',
    ],
    events: 5,
  },
  {
    aggregate: projectRoles,
    ids: ['projectId', 'roleKey'],
    data: role.editor,
    ref: { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
    key: 'editor',
    container: { type: 'project', id: 'portal' },
    within: ['project'],
    stream: 'project_role-acme+portal+editor',
    target: { type: 'project', id: 'portal' },
    permissions: { read: 'project.role.read', write: 'project.role.write' },
    removed: role.editorRemoved,
    states: ['active'],
    filterable: ['roleKey', 'displayName', 'group', 'permission'],
    sortable: ['projectId', 'roleKey', 'displayName', 'group'],
    events: 3,
  },
  {
    aggregate: projectGrants,
    ids: ['projectId', 'grantedOrgId'],
    data: projectGrant.editorOnly,
    ref: { type: 'project_grant', projectId: 'portal', grantedOrgId: 'globex' },
    key: 'globex',
    container: { type: 'project', id: 'portal' },
    within: ['project'],
    stream: 'project_grant-acme+portal+globex',
    target: { type: 'project', id: 'portal' },
    permissions: { read: 'project.grant.read', write: 'project.grant.write' },
    removed: projectGrant.removed,
    states: ['active', 'inactive'],
    filterable: ['projectId', 'projectOrgId', 'grantedOrgId', 'roleKey'],
    sortable: ['projectId', 'projectOrgId', 'grantedOrgId'],
    events: 5,
  },
  {
    aggregate: userGrants,
    ids: ['userId', 'projectId', 'projectOrgId', 'resource'],
    data: { ...userGrant.editorOnly, projectOrgId: 'initech' },
    ref: { type: 'user_grant', ...userGrant.id, projectOrgId: 'initech' },
    key: 'initech+portal+anna+1@globex.example',
    container: undefined,
    within: ['project'],
    stream: 'user_grant-acme+initech+portal+anna+1@globex.example',
    target: { type: 'granted_project', id: 'portal', orgId: 'initech' },
    permissions: { read: 'user.grant.read', write: 'user.grant.write' },
    removed: userGrant.removed,
    states: ['active', 'inactive'],
    filterable: ['userId', 'projectId', 'projectOrgId', 'resource', 'roleKey'],
    sortable: ['userId', 'projectId', 'projectOrgId', 'resource'],
    events: 5,
  },
  {
    aggregate: domains,
    ids: ['domain'],
    data: { ...domain.id, challenge: '' },
    ref: { type: 'domain', domain: 'globex.example' },
    key: 'globex.example',
    container: undefined,
    within: undefined,
    stream: 'domain-acme+globex.example',
    target: { type: 'domain', id: 'globex.example' },
    permissions: { read: 'domain.read', write: 'domain.write' },
    removed: domain.removed,
    states: ['pending', 'verified'],
    filterable: ['domain', 'idpId'],
    sortable: ['domain', 'idpId'],
    events: 4,
  },
  {
    aggregate: roleMappings,
    ids: ['idpId', 'group', 'projectId', 'projectOrgId', 'resource'],
    data: { ...mapping.id, roles: [] },
    ref: { type: 'role_mapping', ...mapping.id },
    key: 'google+acme+portal+staff+1',
    container: undefined,
    within: ['identity_provider', 'project'],
    stream: 'role_mapping-acme+google+acme+portal+staff+1',
    target: { type: 'identity_provider', id: 'google' },
    permissions: { read: 'role_mapping.read', write: 'role_mapping.write' },
    removed: mapping.removed,
    states: ['active'],
    filterable: ['idpId', 'group', 'projectId', 'projectOrgId', 'resource', 'roleKey'],
    sortable: ['idpId', 'group', 'projectId', 'projectOrgId', 'resource'],
    events: 3,
  },
  {
    aggregate: memberships,
    ids: ['idpId', 'userId'],
    data: { ...member.id, groups: [] },
    ref: { type: 'membership', ...member.id },
    key: 'google+anna+1@globex.example',
    container: undefined,
    within: ['identity_provider'],
    stream: 'membership-acme+google+anna+1@globex.example',
    target: { type: 'identity_provider', id: 'google' },
    permissions: { read: 'membership.read', write: 'membership.write' },
    removed: member.removed,
    states: ['active'],
    filterable: ['idpId', 'userId'],
    sortable: ['idpId', 'userId'],
    events: 2,
  },
  {
    aggregate: setupLinks,
    ids: ['linkId'],
    data: setupLink.issued.data,
    ref: { type: 'setup_link', linkId: 'link-1' },
    key: 'link-1',
    container: undefined,
    within: undefined,
    stream: 'setup_link-acme+link-1',
    target: { type: 'setup_link', id: 'link-1' },
    permissions: { read: 'setup_link.read', write: 'setup_link.write' },
    // A link that is over stays on the list, so that it is seen what became of it.
    removed: undefined,
    states: ['issued', 'used', 'completed', 'revoked'],
    filterable: ['linkId', 'note', 'idpId', 'domain'],
    sortable: ['linkId', 'note', 'idpId', 'domain'],
    events: 5,
  },
] as const

describe.each(cases)('The aggregate $ref.type', ({ aggregate: { type }, ...expected }) => {
  const aggregate = aggregates[type]

  test('names its objects by their ids alone, in order.', () => {
    expect(Object.keys(aggregate.ids.shape)).toEqual(expected.ids)
    expect(aggregate.ref(expected.data)).toEqual(expected.ref)
    expect(aggregate.key(expected.data, 'acme')).toBe(expected.key)
    expect(aggregate.stream('acme', expected.data)).toBe(expected.stream)
    expect(aggregate.ids.safeParse({ ...expected.data }).success).toBe(false)
    expect(ObjectInput.parse(expected.ref)).toEqual(expected.ref)
    expect(ObjectInput.safeParse({ ...expected.ref, more: 1 }).success).toBe(false)
  })

  test('says what they lie in, and what permissions are asked for.', () => {
    expect(aggregate.container?.ref(expected.data)).toEqual(expected.container)
    expect(aggregate.container?.type).toBe(expected.container?.type)
    expect(aggregate.target(expected.data, 'acme')).toEqual(expected.target)
    expect(aggregate.permissions).toEqual(expected.permissions)
  })

  test('says what they are removed with.', () => {
    expect(aggregate.within).toEqual(expected.within)
    expect(aggregate.refOfKey(expected.key, 'portal')).toEqual(expected.ref)
  })

  test('reads its own events and no others.', () => {
    const read = EVENT_TYPES.filter((eventType) => aggregate.reads({ type: eventType, data: {} }))
    expect(read).toEqual(EVENT_TYPES.filter((eventType) => eventType.startsWith(`${type}.`)))
    expect(read).toHaveLength(expected.events)
  })

  test('names the event that adds an object, and the one that removes it.', () => {
    expect(aggregate.adds).toBe(addedBy[type].type)
    expect(aggregate.removes).toBe(expected.removed?.type)
  })

  test('ends with the removal, and shows the states before it.', () => {
    if (expected.removed)
      expect(shownAfter(type, [addedBy[type], expected.removed])).toBeUndefined()
    expect(aggregate.states).toEqual(expected.states)
  })

  test('names and reads the fields to filter and sort by.', () => {
    const fields = Object.entries(aggregate.fields)
    const view = shownAfter(type, [addedBy[type]])
    if (view === undefined) throw new Error('nothing was added')
    const named = (use: 'filterable' | 'sortable') =>
      fields.filter(([, field]) => use in field).map(([name]) => name)
    expect(named('filterable')).toEqual(expected.filterable)
    expect(named('sortable')).toEqual(expected.sortable)
    for (const [name, field] of fields) {
      const value = Reflect.get(view, name) ?? ('isOptional' in field ? '' : undefined)
      if (field.holds === 'roleKeys' || field.holds === 'permissions')
        expect(view).toHaveProperty('state')
      else if (field.holds === 'time') expect(value).toBeInstanceOf(Date)
      else if (field.holds === 'list' || field.holds === 'roles')
        expect(Array.isArray(value)).toBe(true)
      else if (field.holds === 'settings') expect(view).not.toHaveProperty(name)
      else expect(typeof value).toBe(field.holds)
    }
  })
})

const addedBy = {
  identity_provider: idp.googleAdded,
  project: project.portalAdded,
  project_role: role.editorAdded,
  project_grant: projectGrant.added,
  user_grant: userGrant.added,
  domain: domain.added,
  role_mapping: mapping.added,
  membership: member.reported,
  setup_link: setupLink.issued,
} as const

describe('Ids that are not those of the aggregate', () => {
  test('are refused as a bug: an id that is missing is not guessed.', () => {
    expect(() => aggregates.project_role.stream('acme', { projectId: 'portal' })).toThrow(
      new Error('The ids of a project_role lack roleKey'),
    )
    expect(() => aggregates.project.key({}, 'acme')).toThrow(
      new Error('The ids of a project lack id'),
    )
    expect(() => aggregates.user_grant.refOfKey('portal+anna', '')).toThrow(
      new Error('No user_grant has the key portal+anna'),
    )
  })
})

describe('A role', () => {
  test('is the object of the permission to write it.', () => {
    const ids = { projectId: 'portal', roleKey: 'editor' }
    expect(projectRoles.writeTarget?.(ids, 'acme')).toEqual({ type: 'project_role', ...ids })
  })
})

describe('The list of aggregates', () => {
  test('has each under its own type.', () => {
    expect(TYPES).toEqual([
      'identity_provider',
      'project',
      'project_role',
      'project_grant',
      'user_grant',
      'domain',
      'role_mapping',
      'membership',
      'setup_link',
    ])
    expect(byType(({ type }) => type)).toEqual(
      Object.fromEntries(TYPES.map((type) => [type, type])),
    )
    for (const type of TYPES) expect(aggregateNamed(type)).toBe(aggregates[type])
  })

  test('names each type in words.', () => {
    expect(byType(({ label }) => label)).toEqual({
      identity_provider: 'identity provider',
      project: 'project',
      project_role: 'role',
      project_grant: 'project grant',
      user_grant: 'user grant',
      domain: 'domain',
      role_mapping: 'role mapping',
      membership: 'membership',
      setup_link: 'set-up link',
    })
  })

  test('has the ids of each type in the order of OBJECT_IDS.', () => {
    expect(byType(({ ids }) => Object.keys(ids.shape))).toEqual(OBJECT_IDS)
  })

  test.each(['', 'constructor', 'project.added', 5, null, undefined])(
    'does not have %j.',
    (type) => {
      expect(aggregateNamed(type)).toBeUndefined()
    },
  )

  test('returns the ids of an object in the order of its aggregate.', () => {
    expect(idsOf({ type: 'project', id: 'portal' })).toEqual(['portal'])
    expect(idsOf({ roleKey: 'a/b', projectId: 'portal', type: 'project_role' })).toEqual([
      'portal',
      'a/b',
    ])
    const { projectOrgId, ...own } = { type: 'user_grant', ...userGrant.id } as const
    expect(idsOf(own)).toEqual(['anna+1@globex.example', 'portal'])
    expect(idsOf({ ...own, projectOrgId })).toEqual(['anna+1@globex.example', 'portal', 'acme'])
  })

  test('refuses a reference to no type of object.', () => {
    expect(ObjectInput.safeParse({ type: 'user', id: 'u' }).error?.issues).toMatchObject([
      { message: 'must name an object by type and ids' },
    ])
  })
})

describe('A secret', () => {
  test.each([
    [idp.googleAdded, idp.firstSeal, ['clientSecret']],
    [idp.oidcUpdated, idp.secondSeal, ['clientSecret']],
    [idp.resealed, idp.secondSeal, []],
    [idp.oidcUpdatedKeepingSecret, undefined, []],
    [idp.appearanceUpdated, undefined, []],
    [idp.removed, undefined, []],
  ])('in an event is found, and is a change but for a new seal: %#', (event, sealed, changed) => {
    expect(sealedSecretIn(event)).toEqual(sealed && { idpId: 'google', clientSecret: sealed })
    expect(aggregates.identity_provider.secretsChanged(event)).toEqual(changed)
  })

  test('is in no event of another aggregate.', () => {
    const data = { ...project.portal, clientSecret: idp.firstSeal }
    expect(sealedSecretIn({ type: 'project.added', data })).toBeUndefined()
    expect(aggregates.project.secretsChanged(project.portalAdded)).toEqual([])
    expect(aggregates.project_role.secretsChanged(role.editorAdded)).toEqual([])
    expect(aggregates.project_grant.secretsChanged(projectGrant.added)).toEqual([])
    expect(aggregates.user_grant.secretsChanged(userGrant.added)).toEqual([])
  })
})

test('The definitions of streams are those of all objects and of all claims.', () => {
  expect(streamDefinitions).toEqual([
    ...Object.values(aggregates),
    verifiedDomains,
    setupLinkTokens,
  ])
})

test('A definition needs a target or a container.', () => {
  const { target: _, ...untargeted } = projects
  expect(() => defineAggregate(untargeted as typeof projects)).toThrow(
    'The type project needs a target or a container',
  )
})

import { describe, expect, test } from 'vitest'
import {
  aggregateNamed,
  aggregates,
  byType,
  EVENT_TYPES,
  idsOf,
  ObjectInput,
  TYPES,
} from '../../src/domain/aggregates.js'
import { domains } from '../../src/domain/email-domain/aggregate.js'
import { identityProviders } from '../../src/domain/identity-provider/aggregate.js'
import { sealedSecretIn } from '../../src/domain/identity-provider/secret.js'
import { projects } from '../../src/domain/project/aggregate.js'
import { projectGrants } from '../../src/domain/project-grant/aggregate.js'
import { projectRoles } from '../../src/domain/project-role/aggregate.js'
import { userGrants } from '../../src/domain/user-grant/aggregate.js'
import * as domain from './email-domain/examples.js'
import * as idp from './identity-provider/examples.js'
import * as project from './project/examples.js'
import * as projectGrant from './project-grant/examples.js'
import * as role from './project-role/examples.js'
import * as userGrant from './user-grant/examples.js'

const cases = [
  {
    kind: identityProviders,
    ids: ['idpId'],
    data: idp.google,
    ref: { type: 'identity_provider', idpId: 'google' },
    key: 'google',
    container: undefined,
    removedWith: undefined,
    covers: undefined,
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
    events: 7,
  },
  {
    kind: projects,
    ids: ['id'],
    data: project.portal,
    ref: { type: 'project', id: 'portal' },
    key: 'portal',
    container: undefined,
    removedWith: undefined,
    covers: { projectOrgId: 'acme', projectId: 'portal' },
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
    kind: projectRoles,
    ids: ['projectId', 'roleKey'],
    data: role.editor,
    ref: { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
    key: 'editor',
    container: { type: 'project', id: 'portal' },
    removedWith: 'project',
    covers: { projectOrgId: 'acme', projectId: 'portal', roleKey: 'editor' },
    stream: 'project_role-acme+portal+editor',
    target: { type: 'project', id: 'portal' },
    permissions: { read: 'project.role.read', write: 'project.role.write' },
    removed: role.editorRemoved,
    states: ['active'],
    filterable: ['roleKey', 'displayName', 'group'],
    sortable: ['projectId', 'roleKey', 'displayName', 'group'],
    events: 3,
  },
  {
    kind: projectGrants,
    ids: ['projectId', 'grantedOrgId'],
    data: projectGrant.editorOnly,
    ref: { type: 'project_grant', projectId: 'portal', grantedOrgId: 'globex' },
    key: 'globex',
    container: { type: 'project', id: 'portal' },
    removedWith: 'project',
    covers: { projectOrgId: 'acme', projectId: 'portal', orgId: 'globex' },
    stream: 'project_grant-acme+portal+globex',
    target: { type: 'project', id: 'portal' },
    permissions: { read: 'project.grant.read', write: 'project.grant.write' },
    removed: projectGrant.removed,
    states: ['active', 'inactive'],
    filterable: ['grantedOrgId', 'roleKey'],
    sortable: ['projectId', 'projectOrgId', 'grantedOrgId'],
    events: 5,
  },
  {
    kind: userGrants,
    ids: ['userId', 'projectId', 'projectOrgId'],
    data: { ...userGrant.editorOnly, projectOrgId: 'initech' },
    ref: { type: 'user_grant', ...userGrant.id, projectOrgId: 'initech' },
    key: 'initech+portal+anna+1@globex.example',
    container: undefined,
    removedWith: 'project',
    covers: { ...userGrant.id, projectOrgId: 'initech', orgId: 'acme' },
    stream: 'user_grant-acme+initech+portal+anna+1@globex.example',
    target: { type: 'granted_project', id: 'portal', orgId: 'initech' },
    permissions: { read: 'user.grant.read', write: 'user.grant.write' },
    removed: userGrant.removed,
    states: ['active', 'inactive'],
    filterable: ['userId', 'projectId', 'projectOrgId', 'roleKey'],
    sortable: ['userId', 'projectId', 'projectOrgId'],
    events: 5,
  },
  {
    kind: domains,
    ids: ['domain'],
    data: { ...domain.id, challenge: '' },
    ref: { type: 'domain', domain: 'globex.example' },
    key: 'globex.example',
    container: undefined,
    removedWith: undefined,
    covers: undefined,
    stream: 'domain-acme+globex.example',
    target: { type: 'domain', id: 'globex.example' },
    permissions: { read: 'domain.read', write: 'domain.write' },
    removed: domain.removed,
    states: ['pending', 'verified'],
    filterable: ['domain', 'idpId'],
    sortable: ['domain', 'idpId'],
    events: 4,
  },
] as const

describe.each(cases)('The kind of $ref.type', ({ kind: { type }, ...expected }) => {
  const kind = aggregates[type]

  test('names its objects by their ids alone, in order.', () => {
    expect(Object.keys(kind.ids.shape)).toEqual(expected.ids)
    expect(kind.ref(expected.data)).toEqual(expected.ref)
    expect(kind.key(expected.data, 'acme')).toBe(expected.key)
    expect(kind.stream('acme', expected.data)).toBe(expected.stream)
    expect(kind.ids.safeParse({ ...expected.data }).success).toBe(false)
    expect(ObjectInput.parse(expected.ref)).toEqual(expected.ref)
    expect(ObjectInput.safeParse({ ...expected.ref, more: 1 }).success).toBe(false)
  })

  test('says what they lie in, and what permissions are asked for.', () => {
    expect(kind.container?.ref(expected.data)).toEqual(expected.container)
    expect(kind.container?.type).toBe(expected.container?.type)
    expect(kind.target(expected.data, 'acme')).toEqual(expected.target)
    expect(kind.permissions).toEqual(expected.permissions)
  })

  test('says what they are removed with, and which assignments of roles end with them.', () => {
    expect(kind.removedWith).toBe(expected.removedWith)
    expect(kind.covers(expected.data, 'acme')).toEqual(expected.covers)
    expect(kind.refOfKey(expected.key, 'portal')).toEqual(expected.ref)
  })

  test('reads its own events and no others.', () => {
    const read = EVENT_TYPES.filter((eventType) => kind.reads({ type: eventType, data: {} }))
    expect(read).toEqual(EVENT_TYPES.filter((eventType) => eventType.startsWith(`${type}.`)))
    expect(read).toHaveLength(expected.events)
  })

  test('ends with the removal, and shows the states before it.', () => {
    const before = kind.view(undefined, addedBy[type], 'acme')
    expect(kind.removal).toBe(expected.removed.type)
    expect(kind.view(before, expected.removed, 'acme')).toBeUndefined()
    expect(kind.states).toEqual(expected.states)
  })

  test('names and reads the fields to filter and sort by.', () => {
    const fields = Object.entries(kind.fields)
    const view = kind.view(undefined, addedBy[type], 'acme')
    if (view === undefined) throw new Error('nothing was added')
    const named = (use: 'filterable' | 'sortable') =>
      fields.filter(([, field]) => field[use]).map(([name]) => name)
    expect(named('filterable')).toEqual(expected.filterable)
    expect(named('sortable')).toEqual(expected.sortable)
    for (const [name, field] of fields) {
      const value = Reflect.get(view, name) ?? ('isOptional' in field ? '' : undefined)
      if (field.holds === 'roleKeys') expect(view).toHaveProperty('state')
      else if (field.holds === 'text') expect(typeof value).toBe('string')
      else if (field.holds === 'list') expect(Array.isArray(value)).toBe(true)
      else if ('of' in field) expect([typeof value, field.of(view)]).toEqual([field.holds, value])
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
} as const

describe('The list of aggregates', () => {
  test('has each under its own type.', () => {
    expect(TYPES).toEqual([
      'identity_provider',
      'project',
      'project_role',
      'project_grant',
      'user_grant',
      'domain',
    ])
    expect(byType(({ type }) => type)).toEqual(
      Object.fromEntries(TYPES.map((type) => [type, type])),
    )
    for (const type of TYPES) expect(aggregateNamed(type)).toBe(aggregates[type])
  })

  test.each(['', 'constructor', 'project.added', 5, null, undefined])('has none of %j.', (type) => {
    expect(aggregateNamed(type)).toBeUndefined()
  })

  test('returns the ids of an object in the order of its kind.', () => {
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

  test('is in no event of another kind.', () => {
    const data = { ...project.portal, clientSecret: idp.firstSeal }
    expect(sealedSecretIn({ type: 'project.added', data })).toBeUndefined()
    expect(aggregates.project.secretsChanged(project.portalAdded)).toEqual([])
    expect(aggregates.project_role.secretsChanged(role.editorAdded)).toEqual([])
    expect(aggregates.project_grant.secretsChanged(projectGrant.added)).toEqual([])
    expect(aggregates.user_grant.secretsChanged(userGrant.added)).toEqual([])
  })
})

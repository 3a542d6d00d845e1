import { readKeycloakRealm } from 'claviger/import'
import { describe, expect, it } from 'vitest'
import { CANARY } from '../canary.js'
import { keycloakRealm } from './keycloak-realm.js'

describe('a realm of Keycloak', () => {
  const { organizations, warnings } = readKeycloakRealm(keycloakRealm)
  const [acme] = organizations

  it('becomes an organization with a project for itself and for each client with roles', () => {
    expect(organizations).toHaveLength(1)
    expect(acme?.orgId).toBe('acme')
    expect(acme?.access.managedBy).toBe('import:keycloak')
    const shown = acme?.access.projects?.map(({ id, name, roles }) => [
      id.replace(/-[0-9a-f]{12}$/, '-…'),
      name,
      roles?.map(({ roleKey }) => roleKey),
    ])
    expect(shown).toEqual([
      ['realm', 'Acme Inc.', ['employee', 'chief']],
      ['portal', 'The portal', ['editor', 'publisher']],
      ['https:--shop.example.com-…', 'https://shop.example.com', ['buyer']],
      ['realm-…', 'realm', ['auditor']],
    ])
  })

  it('gives users their roles one by one, with those of groups and composites', () => {
    const shown = acme?.userGrants.map(({ userId, projectId, roles }) => [
      userId.slice(-2),
      projectId.replace(/-[0-9a-f]{12}$/, '-…'),
      roles.map(({ roleKey }) => roleKey).toSorted(),
    ])
    expect(shown).toEqual([
      ['01', 'realm', ['chief', 'employee']],
      ['01', 'realm-…', ['auditor']],
      ['01', 'portal', ['editor', 'publisher']],
      ['02', 'realm', ['employee']],
      ['02', 'portal', ['editor']],
      ['al', 'https:--shop.example.com-…', ['buyer']],
    ])
  })

  it('becomes an organization with the OIDC providers', () => {
    const common = {
      scopes: ['openid'],
    }
    expect(acme?.access.identityProviders).toEqual([
      {
        ...common,
        idpId: 'okta',
        name: 'Okta',
        issuer: 'https://okta.example.com',
        clientId: 'c1',
        initialState: 'inactive',
        autoRegister: true,
        scopes: ['openid', 'email'],
        usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
      },
      {
        ...common,
        idpId: 'sibling',
        name: 'sibling',
        issuer: 'https://kc.example.com/realms/b',
        clientId: 'c2',
        clientSecret: CANARY,
        initialState: 'inactive',
        autoRegister: false,
      },
      {
        ...common,
        idpId: 'google',
        name: 'google',
        stylingType: 'STYLING_TYPE_GOOGLE',
        issuer: 'https://accounts.google.com',
        clientId: 'c3',
        clientSecret: CANARY,
        autoRegister: false,
        scopes: ['openid', 'profile', 'email'],
      },
      {
        ...common,
        idpId: 'vaulted',
        name: 'vaulted',
        issuer: 'https://v.example',
        clientId: 'c5',
        initialState: 'inactive',
        autoRegister: true,
      },
    ])
  })

  it('maps the groups of a provider that its mappers give roles or groups', () => {
    const shown = acme?.access.projects?.flatMap(({ id, mappings = [] }) =>
      mappings.map(({ idpId, group, roleKeys }) => [id, idpId, group, roleKeys.toSorted()]),
    )
    expect(shown).toEqual([
      ['realm', 'okta', 'press', ['employee']],
      ['realm', 'sibling', 'chiefs', ['chief', 'employee']],
      ['portal', 'okta', 'press', ['editor', 'publisher']],
      ['portal', 'sibling', 'chiefs', ['editor', 'publisher']],
    ])
  })

  it.each([
    ['of another claim', { claim: 'roles' }],
    ['without a value', { 'claim.value': '' }],
    ['of an unknown role', { role: 'portal.ghost' }],
    ['of a role of Keycloak itself', { role: 'account.view-profile' }],
    ['of an unknown provider', {}, 'github'],
    ['of a group that no event can hold', { 'claim.value': 'x'.repeat(201) }],
  ])('leaves a mapper %s', (_, change, identityProviderAlias = 'okta') => {
    const config = { claim: 'groups', 'claim.value': 'press', role: 'portal.editor', ...change }
    const mapper = { identityProviderMapper: 'oidc-role-idp-mapper', identityProviderAlias, config }
    const read = readKeycloakRealm({ ...keycloakRealm, identityProviderMappers: [mapper] })
    expect(read.warnings).toContainEqual(
      expect.objectContaining({ kind: 'MappingLeft', path: 'identityProviderMappers[0]' }),
    )
    expect(JSON.stringify(read.organizations)).not.toContain('mappings')
  })

  it.each([
    ['several claims', '[{"key":"groups","value":"a"},{"key":"email","value":"b"}]'],
    ['another claim', '[{"key":"email","value":"a"}]'],
    ['a text that is not JSON', 'groups=a'],
    ['a value that is not text', '[{"key":"groups","value":7}]'],
    // Keycloak reads booleans of its configurations as text.
    ['a pattern', '[{"key":"groups","value":".*"}]', { 'are.claim.values.regex': true }],
  ])('leaves a mapper of %s', (_, claims, config: object = {}) => {
    const mapper = {
      identityProviderMapper: 'oidc-advanced-role-idp-mapper',
      identityProviderAlias: 'okta',
      config: { claims, role: 'chief', ...config },
    }
    const read = readKeycloakRealm({ ...keycloakRealm, identityProviderMappers: [mapper] })
    expect(read.warnings.map(({ kind }) => kind)).toContain('MappingLeft')
    expect(JSON.stringify(read.organizations)).not.toContain('mappings')
  })

  it('tells what was changed and left, and where', () => {
    expect(warnings.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(
      [
        'IdChanged roles.client["https://shop.example.com"]',
        'IdChanged roles.client["realm"]',
        'ClientDisabled clients[2]',
        'RolesExpanded roles.realm[2].composites',
        'RolesExpanded roles.realm[4].composites',
        'RolesExpanded roles.client["portal"][1].composites',
        'RolesExpanded groups[0]',
        'RolesExpanded groups[0].subGroups[0]',
        'DefaultsLeft defaultRole',
        'UserDisabled users[2]',
        'UserNamed users[3]',
        'SecretMissing identityProviders[0].config.clientSecret',
        'RegistrationOff identityProviders[2].firstBrokerLoginFlowAlias',
        'ProviderUnsupported identityProviders[3]',
        'ProviderUnsupported identityProviders[4]',
        'SecretMissing identityProviders[5].config.clientSecret',
        'MappingLeft identityProviderMappers[1]',
        'MappingLeft identityProviderMappers[5]',
        'NotKept organizations',
        'NotKept components.org.keycloak.storage.UserStorageProvider',
      ].toSorted(),
    )
  })

  it('may come as text, or as one of several', () => {
    const imported = { organizations, warnings }
    expect(readKeycloakRealm(JSON.stringify(keycloakRealm))).toEqual(imported)
    const both = readKeycloakRealm([keycloakRealm, { realm: 'globex' }, 7, { realm: 'acme' }])
    expect(both.organizations.map(({ orgId }) => orgId)).toEqual(['acme', 'globex'])
    expect(both.warnings.slice(-2)).toMatchObject([
      { kind: 'Malformed', path: '[2]' },
      { kind: 'Doubled', path: '[3].realm' },
    ])
  })

  it.each([
    ['text that is no JSON', 'realm: acme'],
    ['an export of Zitadel', { orgs: [] }],
    ['null', null],
  ])('cannot be read at all: %s', (_, json) => {
    expect(readKeycloakRealm(json)).toMatchObject({
      organizations: [],
      warnings: [{ kind: 'Malformed', path: '' }],
    })
  })
})

describe('roles of Keycloak', () => {
  it('may include each other in a circle', () => {
    const { organizations } = readKeycloakRealm({
      realm: 'acme',
      enabled: true,
      roles: {
        realm: [
          { name: 'a', composites: { realm: ['b'] } },
          { name: 'b', composites: { realm: ['a'] } },
        ],
      },
      users: [{ id: 'u', enabled: true, realmRoles: ['a'] }],
    })
    expect(organizations[0]?.userGrants[0]?.roles).toEqual([{ roleKey: 'a' }, { roleKey: 'b' }])
  })

  it('are left where a user, group or composite names one that is not there', () => {
    const { warnings } = readKeycloakRealm({
      realm: 'acme',
      enabled: true,
      roles: { realm: [{ name: 'a', composites: { client: { shop: ['x'] } } }] },
      groups: [{ name: 'g', realmRoles: ['x'] }],
      users: [
        {
          id: 'u',
          enabled: true,
          realmRoles: ['x'],
          clientRoles: { shop: ['y'] },
          groups: ['/h', '/g'],
        },
      ],
    })
    expect(warnings.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'RoleUnknown roles.realm[0].composites.client["shop"][0]',
      'RoleUnknown groups[0].realmRoles[0]',
      'RoleUnknown users[0].realmRoles[0]',
      'RoleUnknown users[0].clientRoles["shop"][0]',
      'GroupUnknown users[0].groups[0]',
    ])
  })

  it('of the realms that the realm master manages are its own', () => {
    const { organizations } = readKeycloakRealm({
      realm: 'master',
      enabled: true,
      roles: {
        realm: [
          { name: 'admin', composites: { realm: ['create-realm'] } },
          { name: 'create-realm' },
        ],
        client: { 'acme-realm': [{ name: 'manage-users' }] },
      },
      users: [
        {
          id: 'u',
          enabled: true,
          realmRoles: ['admin'],
          clientRoles: { 'acme-realm': ['manage-users'] },
        },
      ],
    })
    expect(organizations[0]?.access.projects).toEqual([])
    expect(organizations[0]?.userGrants).toEqual([])
  })
})

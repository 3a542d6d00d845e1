import { type Imported, readKeycloakRealm } from 'claviger/import'
import { describe, expect, it } from 'vitest'

const shown = ({ warnings }: Imported): readonly string[] =>
  warnings.map(({ kind, path }) => `${kind} ${path}`)

const grantsOf = ({ organizations }: Imported) =>
  organizations.flatMap(({ userGrants }) => userGrants.map(({ userId }) => userId))

const oidc = (fields: object, config: object = {}) => ({
  alias: 'p',
  providerId: 'oidc',
  enabled: true,
  ...fields,
  config: { clientId: 'c', clientSecret: 's', issuer: 'https://i.example.com', ...config },
})

const withProvider = (provider: object, realm: object = {}) => {
  const read = readKeycloakRealm({
    realm: 'acme',
    enabled: true,
    users: [],
    identityProviders: [provider],
    ...realm,
  })
  return { ...read, idp: read.organizations[0]?.access.identityProviders?.[0] }
}

describe('who may sign in', () => {
  // The settings of a Google Workspace, of one address of an owner, of addresses that are verified; and a flow that asks for a group.
  it.each<[what: string, path: string, provider: object]>([
    [
      'a domain of a provider that is not Google',
      'config.hostedDomain',
      oidc({}, { hostedDomain: 'corp.example' }),
    ],
    [
      'a claim within another, which Keycloak does not look for',
      'config.filteredByClaim',
      oidc({}, { filteredByClaim: true, claimFilterName: 'a.b', claimFilterValue: 'c' }),
    ],
    [
      'a pattern of groups',
      'config.filteredByClaim',
      oidc({}, { filteredByClaim: true, claimFilterName: 'g', claimFilterValue: 'staff|admins' }),
    ],
    [
      'a filter without a value',
      'config.filteredByClaim',
      oidc({}, { filteredByClaim: true, claimFilterName: 'g' }),
    ],
    [
      'several domains of Google',
      'config.hostedDomain',
      oidc({ providerId: 'google' }, { hostedDomain: 'a.example,b.example' }),
    ],
    [
      'any domain of Google',
      'config.hostedDomain',
      oidc({ providerId: 'google' }, { hostedDomain: '*' }),
    ],
    [
      'a pattern of addresses',
      'config.filteredByClaim',
      oidc(
        {},
        {
          filteredByClaim: 'true',
          claimFilterName: 'email',
          claimFilterValue: '(?i)^[^@]+@corp\\.example$',
        },
      ),
    ],
    [
      'a flow after the sign-in',
      'postBrokerLoginFlowAlias',
      oidc({ postBrokerLoginFlowAlias: 'Group Protection Authorization' }),
    ],
  ])('is not opened: %s makes the provider inactive', (_, path, provider) => {
    const read = withProvider(provider)
    expect(shown(read)).toEqual([`AdmissionLeft identityProviders[0].${path}`])
    expect(read.idp).toMatchObject({ initialState: 'inactive' })
  })

  it.each<[what: string, provider: object, admit: object]>([
    [
      'a domain of Google',
      oidc({ providerId: 'google' }, { hostedDomain: 'corp.example' }),
      { claim: 'hd', values: ['corp.example'] },
    ],
    [
      'a verified address',
      oidc(
        { providerId: 'keycloak-oidc' },
        { filteredByClaim: true, claimFilterName: 'email_verified', claimFilterValue: 'true' },
      ),
      { claim: 'email_verified', values: ['true'] },
    ],
    [
      'a group in a claim with a long name',
      oidc(
        {},
        {
          filteredByClaim: 'true',
          claimFilterName: 'https://app.example/groups',
          claimFilterValue: 'Domain Users',
        },
      ),
      { claim: 'https://app.example/groups', values: ['Domain Users'] },
    ],
  ])('stays closed by the same rule: %s', (_, provider, admit) => {
    const read = withProvider(provider)
    expect(shown(read)).toEqual([expect.stringMatching(/^AdmissionKept identityProviders\[0\]/)])
    expect(read.idp).toMatchObject({ signIn: { admit: [admit] } })
    expect(read.idp).not.toHaveProperty('initialState')
  })

  it.each<[what: string, provider: object]>([
    ['a filter that is off', oidc({}, { filteredByClaim: 'false', claimFilterName: 'email' })],
    ['an empty domain', oidc({ providerId: 'google' }, { hostedDomain: '' })],
    ['an empty flow', oidc({ postBrokerLoginFlowAlias: '' })],
  ])('is as open as it was: %s', (_, provider) => {
    const read = withProvider(provider)
    expect(read.warnings).toEqual([])
    expect(read.idp).not.toHaveProperty('initialState')
  })

  it.each<[what: string, path: string, realm: object, provider: object]>([
    [
      'the flow of the realm is its own',
      'firstBrokerLoginFlow',
      { firstBrokerLoginFlow: 'Link only' },
      oidc({}),
    ],
    [
      'its step that creates users is disabled',
      'identityProviders[0].firstBrokerLoginFlowAlias',
      {
        authenticationFlows: [
          {
            alias: 'User creation or linking',
            builtIn: true,
            authenticationExecutions: [
              { authenticator: 'idp-create-user-if-unique', requirement: 'DISABLED' },
            ],
          },
        ],
      },
      oidc({ firstBrokerLoginFlowAlias: 'first broker login' }),
    ],
  ])('registers nobody where %s', (_, path, realm, provider) => {
    const read = withProvider(provider, realm)
    expect(shown(read)).toEqual([`RegistrationOff ${path}`])
    expect(read.idp).toMatchObject({ autoRegister: false })
  })

  it.each([false, 'false', `\${OKTA_ENABLED:false}`])(
    'is nobody through a provider that is %s',
    (enabled) => {
      expect(withProvider(oidc({ enabled })).idp).toMatchObject({ initialState: 'inactive' })
    },
  )
})

describe('users of Keycloak', () => {
  const realm = {
    realm: 'acme',
    enabled: true,
    clients: [
      { clientId: 'cron', enabled: false },
      { clientId: 'sync', enabled: true },
    ],
    roles: { realm: [{ name: 'editor' }] },
  }
  const user = { id: 'u', username: 'u', realmRoles: ['editor'] }

  it.each<[what: string, fields: object]>([
    ['enabled is absent', {}],
    ['enabled is null', { enabled: null }],
    ['enabled is false', { enabled: false }],
    ['enabled is a text', { enabled: `\${USER_ENABLED}` }],
    ['their client is disabled', { enabled: true, serviceAccountClientId: 'cron' }],
  ])('get no role where %s', (_, fields) => {
    const read = readKeycloakRealm({ ...realm, users: [{ ...user, ...fields }, { id: 'other' }] })
    expect(grantsOf(read)).toEqual([])
    expect(shown(read)).toContain('UserDisabled users[0]')
  })

  it.each([{ enabled: false }, { enabled: undefined }, { enabled: null }])(
    'get no role of a realm with %j, and its providers are inactive',
    (state) => {
      const read = readKeycloakRealm({
        ...realm,
        ...state,
        users: [{ ...user, enabled: true }],
        identityProviders: [oidc({})],
      })
      expect(grantsOf(read)).toEqual([])
      expect(shown(read)).toEqual(['RealmDisabled enabled'])
      expect(read.organizations[0]?.access.identityProviders).toMatchObject([
        { initialState: 'inactive' },
      ])
    },
  )

  it('are told apart from their accounts at providers, which are left', () => {
    const federatedIdentities = [{ identityProvider: 'google', userId: '1', userName: 'u@x' }]
    const read = readKeycloakRealm({
      ...realm,
      users: [{ ...user, enabled: true, federatedIdentities }],
    })
    expect(grantsOf(read)).toEqual(['u'])
    expect(shown(read)).toEqual(['LinksLeft users[0].federatedIdentities'])
  })
})

describe('roles that new users get automatically', () => {
  const roles = {
    realm: [{ name: 'user' }, { name: 'offline_access' }],
    client: { portal: [{ name: 'guest' }] },
  }
  const base = { realm: 'acme', enabled: true, roles, users: [] }
  it.each<[path: string, realm: object]>([
    ['defaultGroups', { groups: [{ name: 'Users', path: '/Users' }], defaultGroups: ['/Users'] }],
    [
      'defaultRole',
      {
        roles: {
          ...roles,
          realm: [...roles.realm, { name: 'default-roles-acme', composites: { realm: ['user'] } }],
        },
      },
    ],
    ['defaultRoles', { defaultRoles: ['offline_access', 'user'] }],
    ['clients[0].defaultRoles', { clients: [{ clientId: 'portal', defaultRoles: ['guest'] }] }],
  ])('are named: %s', (path, realm) => {
    expect(shown(readKeycloakRealm({ ...base, ...realm }))).toContain(`DefaultsLeft ${path}`)
  })

  it.each<[what: string, realm: object]>([
    ['of a realm', { defaultRoles: ['offline_access', 'uma_authorization'] }],
    ['of a client', { clients: [{ clientId: 'account', defaultRoles: ['view-profile'] }] }],
    ['of no group', { defaultGroups: [] }],
  ])('are not named where they are Keycloak’s own, %s', (_, realm) => {
    expect(readKeycloakRealm({ ...base, ...realm }).warnings).toEqual([])
  })
})

describe('roles of Keycloak itself', () => {
  const internal = {
    realm: [
      {
        name: 'default-roles-acme',
        composites: { realm: ['offline_access'], client: { account: ['view-profile'] } },
      },
      { name: 'offline_access' },
    ],
    client: {
      account: [
        { name: 'manage-account', composites: { client: { account: ['manage-account-links'] } } },
        { name: 'manage-account-links' },
        { name: 'view-profile' },
      ],
      'realm-management': [{ name: 'realm-admin' }],
      broker: [{ name: 'read-token' }],
    },
  }

  it('cause no warning', () => {
    const read = readKeycloakRealm({
      realm: 'acme',
      enabled: true,
      roles: internal,
      users: [
        {
          id: 'u',
          enabled: true,
          realmRoles: ['default-roles-acme'],
          clientRoles: { 'realm-management': ['realm-admin'] },
        },
      ],
    })
    expect(read.warnings).toEqual([])
    expect(read.organizations).toMatchObject([{ access: { projects: [] }, userGrants: [] }])
  })

  it('are those of clients with authorization rules too, beside the roles of the client', () => {
    const read = readKeycloakRealm({
      realm: 'acme',
      enabled: true,
      roles: {
        client: {
          kafka: [{ name: 'uma_protection' }],
          shop: [{ name: 'uma_protection' }, { name: 'buyer' }],
        },
      },
      users: [
        {
          id: 's',
          enabled: true,
          serviceAccountClientId: 'kafka',
          clientRoles: { kafka: ['uma_protection'], shop: ['uma_protection', 'buyer'] },
        },
        { id: 'u', enabled: true },
      ],
    })
    expect(read.warnings).toEqual([])
    const [acme] = read.organizations
    expect(acme?.access.projects).toMatchObject([{ id: 'shop', roles: [{ roleKey: 'buyer' }] }])
    expect(acme?.userGrants).toMatchObject([{ projectId: 'shop', roles: [{ roleKey: 'buyer' }] }])
  })

  it('do not hide authorization rules, which are left', () => {
    const rules = (authorizationSettings: object) =>
      shown(
        readKeycloakRealm({
          realm: 'acme',
          enabled: true,
          clients: [{ clientId: 'kafka', authorizationSettings }],
        }),
      )
    const left = ['PermissionsLeft clients[0].authorizationSettings']
    expect(rules({ resources: [{ name: 'Topic:a' }], policies: [] })).toEqual(left)
    expect(rules({ policies: [{ name: 'Devs', type: 'role' }] })).toEqual(left)
    expect(rules({ scopes: [{ name: 'Describe' }] })).toEqual(left)
    expect(rules({ resources: [], policies: [], scopes: [] })).toEqual([])
  })
})

describe('the issuer of a provider', () => {
  it('is the first of several, and the provider inactive', () => {
    const read = withProvider(oidc({}, { issuer: ' https://a.example , https://b.example' }))
    expect(shown(read)).toEqual(['IssuersLeft identityProviders[0].config.issuer'])
    expect(read.idp).toMatchObject({ issuer: 'https://a.example', initialState: 'inactive' })
  })

  it.each<[path: string, config: object]>([
    ['issuer', { issuer: undefined, tokenUrl: 'https://i.example.com/token' }],
    ['issuer', { issuer: `\${env.OKTA_ISSUER}` }],
    [
      'metadataDescriptorUrl',
      {
        issuer: '',
        metadataDescriptorUrl: 'https://i.example.com/.well-known/openid-configuration',
      },
    ],
  ])('is named where it is missing: %s', (path, config) => {
    const { warnings, idp } = withProvider(oidc({}, config))
    expect(idp).toBeUndefined()
    expect(warnings).toMatchObject([
      {
        kind: 'ProviderIncomplete',
        path: `identityProviders[0].config.${path}`,
        message: expect.stringMatching(/^The issuer is missing(?!.*client id)/),
      },
    ])
  })
})

describe('a file that is not a whole export', () => {
  const roles = { realm: [{ name: 'ROLE_ADMIN' }] }
  const realm = {
    realm: 'jhipster',
    enabled: true,
    roles,
    groups: [{ name: 'Admins', path: '/Admins', realmRoles: ['ROLE_ADMIN'] }],
  }
  const users = {
    realm: 'jhipster',
    users: [{ id: 'admin', enabled: true, groups: ['/Admins'] }],
  }

  it.each<[what: string, users: object]>([
    ['no users, as of the admin console', {}],
    [
      'service accounts alone, as of the admin console with clients',
      { users: [{ id: 's', enabled: true, serviceAccountClientId: 'portal' }] },
    ],
  ])('has %s', (_, fields) => {
    const { warnings } = readKeycloakRealm({ ...realm, ...fields })
    expect(warnings).toContainEqual(
      expect.objectContaining({ kind: 'UsersMissing', path: 'users' }),
    )
    expect(warnings.map(({ message }) => message).join()).toMatch(/no users/)
  })

  it('is completed by the files of its users, in any order and as text', () => {
    for (const files of [
      [realm, users],
      [users, realm],
      [JSON.stringify(users), new TextEncoder().encode(JSON.stringify([realm]))],
    ]) {
      const read = readKeycloakRealm(files)
      expect(grantsOf(read)).toEqual(['admin'])
      expect(shown(read).filter((line) => !line.startsWith('RolesExpanded'))).toEqual([])
    }
  })

  it('tells in which file something is left', () => {
    const read = readKeycloakRealm([realm, { ...users, users: [{ id: 'x' }] }])
    expect(shown(read)).toContain('UserDisabled [1].users[0]')
  })

  it.each<[kind: string, path: string, document: unknown]>([
    ['RealmMissing', '', users],
    ['RealmMissing', '[1]', [{ realm: 'other', enabled: true }, users]],
    ['RealmMissing', '', { ifResourceExists: 'SKIP', users: users.users }],
    ['RealmMissing', '', { roles, clients: [] }],
    [
      'AdapterFile',
      '',
      {
        realm: 'jhipster',
        'auth-server-url': 'https://kc.example.com/',
        'ssl-required': 'external',
        resource: 'portal',
        'public-client': true,
      },
    ],
    ['AdapterFile', '', { realm: 'jhipster', 'realm-public-key': 'MIIB', resource: 'portal' }],
    ['AdapterFile', '', { realm: 'jhipster', public_key: 'MIIB', 'token-service': 'https://kc' }],
    ['AdapterFile', '', { clientId: 'portal', protocol: 'openid-connect', enabled: true }],
  ])('is %s at "%s"', (kind, path, document) => {
    const read = readKeycloakRealm(document)
    expect(shown(read)).toEqual([`${kind} ${path}`])
    expect(grantsOf(read)).toEqual([])
  })
})

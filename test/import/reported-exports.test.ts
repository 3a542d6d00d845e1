import {
  type Imported,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import { describe, expect, it } from 'vitest'

// What people reported of moves between products: what their files had, in our own words. No role may come that the
// source did not give, and nothing may be lost without a warning.

/** A report, the file, the roles of users as `user project role`, and the kinds of the warnings with their paths. */
type Report = readonly [
  url: string,
  read: () => Imported,
  roles: readonly string[],
  warnings: readonly string[],
]

const github = (path: string) => `https://github.com/${path}`
const keycloakSource = (file: string) => github(`keycloak/keycloak/blob/main/${file}.java`)

const realm = (fields: object) => ({ realm: 'acme', enabled: true, ...fields })
const ada = (fields: object) => ({ id: 'u-ada', username: 'ada', enabled: true, ...fields })
const keycloak = (source: unknown) => () => readKeycloakRealm(source)
const roles = (...names: readonly string[]) => ({ realm: names.map((name) => ({ name })) })
const provider = (fields: object, config: object = {}) =>
  realm({
    identityProviders: [
      {
        ...{ alias: 'google', providerId: 'google', enabled: true, ...fields },
        config: { clientId: 'c', clientSecret: 's', ...config },
      },
    ],
  })

const granted = (userRoles: readonly string[], grantRoles: readonly string[]) => ({
  orgs: [
    {
      orgId: 'root',
      projects: [{ projectId: 'app', project: { name: 'App' } }],
      projectRoles: ['admin', 'reader'].map((roleKey) => ({
        ...{ projectId: 'app', roleKey, displayName: roleKey },
      })),
      projectGrants: [
        {
          grantId: 'g',
          projectGrant: { projectId: 'app', grantedOrgId: 'tenant', roleKeys: grantRoles },
        },
      ],
    },
    {
      orgId: 'tenant',
      userGrants: [{ userId: 'u-ada', projectId: 'app', projectGrantId: 'g', roleKeys: userRoles }],
      humanUsers: [{ userId: 'u-ada', user: {} }],
    },
  ],
})

const member = (role: string) => ({ organizationId: 'acme', userId: 'u-ada', role })
const betterAuth = (tables: object) => () => readBetterAuth(tables)

/** A realm with rules of authorization services, which belong to a client. */
const withRules = (clientId: string, authorizationSettings: object) =>
  realm({ clients: [{ clientId, authorizationServicesEnabled: true, authorizationSettings }] })

/** Roles that an extension adds to a client of Keycloak's own. */
const MANAGED = { 'realm-management': ['publish-events', 'view-organizations'] }

const inSnakeCase = (value: object): unknown =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/"\w+":/g, (name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ),
  )

const REPORTS: Readonly<Record<string, readonly Report[]>> = {
  'Keycloak: a part of a realm': [
    [
      github('keycloak/keycloak/issues/19257'),
      keycloak({ users: [ada({ realmRoles: ['user'] })] }),
      [],
      ['RealmMissing '],
    ],
    [
      github('keycloak/keycloak/issues/36408'),
      keycloak({ ifResourceExists: 'OVERWRITE', users: [ada({ realmRoles: ['user'] })] }),
      [],
      ['RealmMissing '],
    ],
    [
      github('keycloak/keycloak/issues/30128'),
      keycloak(realm({ roles: roles('user') })),
      [],
      ['UsersMissing users'],
    ],
    [
      github('keycloak/keycloak/issues/13667'),
      keycloak([
        realm({ roles: roles('user') }),
        { realm: 'acme', users: [ada({ realmRoles: ['user'] })] },
      ]),
      ['u-ada realm user'],
      [],
    ],
    [
      github('keycloak/keycloak/issues/34793'),
      keycloak({ realm: 'acme', users: [ada({ realmRoles: ['user'] })] }),
      [],
      ['RealmMissing '],
    ],
  ],
  'Keycloak: a file that is written or joined by hand': [
    [
      github('adorsys/keycloak-config-cli#variable-substitution'),
      keycloak(provider({}, { clientSecret: '$(env:GOOGLE_SECRET)' })),
      ['google inactive'],
      ['SecretMissing identityProviders[0].config.clientSecret'],
    ],
    [
      github('adorsys/keycloak-config-cli#variable-substitution'),
      keycloak(provider({ providerId: 'oidc' }, { issuer: 'https://$(idp.host)/realms/a' })),
      [],
      ['ProviderIncomplete identityProviders[0].config.issuer'],
    ],
    [
      // Its script joins what the admin API answers.
      github('cph-cachet/carp-webservices-spring'),
      keycloak(realm({ roles: [{ id: 'r', name: 'user' }], users: [ada({})] })),
      [],
      ['Malformed roles'],
    ],
    [
      // `splitPath`
      keycloakSource(
        'server-spi-private/src/main/java/org/keycloak/models/utils/KeycloakModelUtils',
      ),
      keycloak(
        realm({
          roles: roles('user', 'chief'),
          groups: [
            {
              name: 'board',
              realmRoles: ['user'],
              subGroups: [{ name: 'a', realmRoles: ['chief'] }],
            },
          ],
          users: [ada({ groups: ['board'] }), ada({ id: 'u-bob', groups: ['board/a/'] })],
        }),
      ),
      ['u-ada realm user', 'u-bob realm user', 'u-bob realm chief'],
      ['RolesExpanded groups[0]', 'RolesExpanded groups[0].subGroups[0]'],
    ],
    [
      // Applications are the clients of the first versions. A realm of Keycloak's own tests has them still.
      github(
        'keycloak/keycloak/blob/main/testsuite/integration-arquillian/tests/base/src/test/resources/admin-test/testrealm.json',
      ),
      keycloak(
        realm({
          defaultRoles: ['user'],
          users: [
            {
              ...{ username: 'test-user@localhost', enabled: true, realmRoles: ['user'] },
              applicationRoles: { 'test-app': ['customer-user'], account: ['view-profile'] },
            },
          ],
          applications: [{ name: 'test-app', enabled: true, defaultRoles: ['customer-user'] }],
          roles: {
            ...roles('user', 'admin'),
            application: { 'test-app': [{ name: 'customer-user' }, { name: 'customer-admin' }] },
          },
        }),
      ),
      ['test-user@localhost realm user', 'test-user@localhost test-app customer-user'],
      [
        'UserNamed users[0]',
        'DefaultsLeft defaultRoles',
        'DefaultsLeft applications[0].defaultRoles',
      ],
    ],
  ],
  'Keycloak: roles that the file does not define': [
    [
      github('cryptomator/hub/issues/142'),
      keycloak(
        realm({
          roles: { realm: [{ name: 'admin', composites: { realm: ['user'] } }] },
          users: [ada({ realmRoles: ['admin'] })],
        }),
      ),
      ['u-ada realm admin'],
      ['RoleUnknown roles.realm[0].composites.realm[0]'],
    ],
    [
      github('keycloak/keycloak/issues/31033'),
      keycloak(
        realm({
          users: [
            ada({
              realmRoles: ['offline_access', 'uma_authorization'],
              clientRoles: { account: ['view-profile'], shop: ['uma_protection'] },
            }),
          ],
        }),
      ),
      [],
      [],
    ],
    [
      github('keycloak/keycloak/issues/32663'),
      keycloak(
        realm({ users: [ada({ clientRoles: { shop: ['buyer'] }, realmRoles: ['nobody'] })] }),
      ),
      [],
      ['RoleUnknown users[0].realmRoles[0]', 'RoleUnknown users[0].clientRoles["shop"][0]'],
    ],
    [
      github('keycloak/keycloak/issues/44778'),
      keycloak(
        realm({
          roles: roles('user', 'default-roles-acme'),
          defaultRole: { name: 'default-roles-acme' },
          defaultRoles: ['user'],
          users: [ada({})],
        }),
      ),
      [],
      ['DefaultsLeft defaultRoles'],
    ],
    [
      github('keycloak/keycloak/issues/40214'),
      keycloak(
        realm({
          roles: roles('chief'),
          groups: [{ name: 'board', path: '/board' }],
          users: [ada({ groups: ['/board'] })],
        }),
      ),
      [],
      [],
    ],
  ],
  'Keycloak: a user twice': [
    [
      github('Captain-P-Goldfish/scim-for-keycloak/issues/157'),
      keycloak([
        realm({ roles: roles('user', 'chief'), users: [ada({ realmRoles: ['user'] })] }),
        { realm: 'acme', users: [ada({ realmRoles: ['chief'] })] },
      ]),
      ['u-ada realm user'],
      ['Doubled [1].users[0]'],
    ],
    [
      github('keycloak/keycloak/issues/23285'),
      keycloak(
        realm({
          roles: roles('chief'),
          users: [ada({ enabled: false }), ada({ realmRoles: ['chief'] })],
        }),
      ),
      [],
      ['UserDisabled users[0]', 'Doubled users[1]'],
    ],
    [
      github('keycloak/keycloak/issues/24141'),
      keycloak(
        realm({
          roles: roles('user', 'chief'),
          users: [
            ada({ realmRoles: ['user'] }),
            { username: 'u-ada', enabled: true, realmRoles: ['chief'] },
          ],
        }),
      ),
      ['u-ada realm user'],
      ['Doubled users[1]'],
    ],
  ],
  'Keycloak: who may come in': [
    [
      github('keycloak/keycloak/issues/16787'),
      keycloak(provider({}, { hostedDomain: 'a.example,b.example' })),
      ['google inactive'],
      ['AdmissionLeft identityProviders[0].config.hostedDomain'],
    ],
    [
      github('keycloak/keycloak/issues/38910'),
      keycloak(provider({}, { hostedDomain: '*' })),
      ['google inactive'],
      ['AdmissionLeft identityProviders[0].config.hostedDomain'],
    ],
    [
      github('goharbor/harbor/issues/13004'),
      keycloak(provider({}, { hostedDomain: 'corp.example' })),
      ['google admits hd=corp.example'],
      ['AdmissionKept identityProviders[0].config.hostedDomain'],
    ],
    [
      github('keycloak/keycloak/issues/12063'),
      keycloak({
        ...provider({}, { clientSecret: '**********' }),
        components: { 'org.keycloak.storage.UserStorageProvider': [{ name: 'ldap' }] },
      }),
      ['google inactive'],
      [
        'SecretMissing identityProviders[0].config.clientSecret',
        'NotKept components.org.keycloak.storage.UserStorageProvider',
      ],
    ],
  ],
  'Keycloak: roles on resources, by rules of a client': [
    [
      github('adorsys/keycloak-config-cli/issues/231'),
      keycloak(
        realm({
          clients: [
            {
              clientId: 'realm-management',
              authorizationSettings: {
                ...{ allowRemoteResourceManagement: false, policyEnforcementMode: 'ENFORCING' },
                resources: [{ name: 'client.resource.shop', type: 'Client', scopes: [] }],
                policies: [
                  {
                    ...{ name: 'view.permission.client.shop', type: 'scope', logic: 'POSITIVE' },
                    config: { resources: '["client.resource.shop"]', scopes: '["view"]' },
                  },
                ],
              },
            },
          ],
        }),
      ),
      [],
      ['PermissionsLeft clients[0].authorizationSettings'],
    ],
    [
      github('keycloak/keycloak/pull/4206'),
      keycloak(
        realm({
          roles: { client: { shop: [{ name: 'editor' }] } },
          clients: [
            {
              clientId: 'shop',
              authorizationServicesEnabled: true,
              authorizationSettings: {
                ...{ policyEnforcementMode: 'ENFORCING', decisionStrategy: 'AFFIRMATIVE' },
                resources: [{ name: 'workspace:42', ownerManagedAccess: true, uris: ['/w/42'] }],
                policies: [
                  {
                    ...{ name: 'Editors', type: 'role', logic: 'POSITIVE' },
                    config: { roles: '[{"id":"shop/editor","required":true}]' },
                  },
                  {
                    ...{ name: 'Workspace 42', type: 'resource', logic: 'POSITIVE' },
                    config: { resources: '["workspace:42"]', applyPolicies: '["Editors"]' },
                  },
                ],
              },
            },
          ],
          users: [ada({ clientRoles: { shop: ['editor'] } })],
        }),
      ),
      ['u-ada shop editor'],
      ['PermissionsLeft clients[0].authorizationSettings'],
    ],
    [
      github('marcospereirampj/python-keycloak/issues/6'),
      keycloak({
        ...{ allowRemoteResourceManagement: true, policyEnforcementMode: 'ENFORCING' },
        resources: [{ name: 'workspace:42', attributes: {}, uris: ['/*'] }],
        policies: [{ name: 'Editors', type: 'role', config: { roles: '[{"id":"editor"}]' } }],
        scopes: [],
      }),
      [],
      ['PermissionsLeft '],
    ],
    [
      github('keycloak/keycloak/issues/25975'),
      keycloak([
        realm({ roles: roles('user'), users: [ada({ realmRoles: ['user'] })] }),
        { resources: [{ name: 'A-resource' }], policies: [{ name: 'A-policy', type: 'client' }] },
      ]),
      ['u-ada realm user'],
      ['PermissionsLeft [1]'],
    ],
  ],
  'Keycloak: rules and defaults that are left': [
    [
      github('adorsys/keycloak-config-cli/issues/1245'),
      keycloak(
        withRules('realm-management', {
          resources: [{ name: 'client.resource.3f', scopes: [{ name: 'token-exchange' }] }],
          policies: [{ name: 'exchange', type: 'client', config: { clients: '["app"]' } }],
          scopes: [{ name: 'token-exchange' }],
        }),
      ),
      [],
      ['PermissionsLeft clients[0].authorizationSettings'],
    ],
    [
      github('keycloak/keycloak/issues/25975'),
      keycloak(
        withRules('test', {
          resources: [{ name: 'A-resource' }],
          policies: [
            { name: 'A-policy', type: 'client' },
            { name: 'A-permission', type: 'resource', config: { resources: '["A-resource"]' } },
          ],
        }),
      ),
      [],
      ['PermissionsLeft clients[0].authorizationSettings'],
    ],
    [
      github('adorsys/keycloak-config-cli/issues/1008'),
      keycloak({
        ...withRules('shop', {
          policies: [{ name: 'board', type: 'group', config: { groups: '[{"path":"/board"}]' } }],
          scopes: [{ name: 'view' }],
        }),
        groups: [{ name: 'board', path: '/board' }],
        users: [ada({ groups: ['/board'] })],
      }),
      [],
      ['PermissionsLeft clients[0].authorizationSettings'],
    ],
    [
      github('adorsys/keycloak-config-cli/issues/451'),
      keycloak(
        realm({
          roles: {
            realm: [
              { name: 'user' },
              { name: 'default-roles-acme', composites: { realm: ['user'] } },
            ],
          },
          users: [ada({})],
        }),
      ),
      [],
      ['RolesExpanded roles.realm[1].composites', 'DefaultsLeft defaultRole'],
    ],
  ],
  'Keycloak: its own roles': [
    [
      github('keycloak/keycloak/issues/38647'),
      keycloak(
        realm({
          clients: [
            { clientId: 'keys', serviceAccountsEnabled: true, authorizationServicesEnabled: true },
          ],
          roles: { client: { keys: [{ name: 'uma_protection', clientRole: true }] } },
          users: [
            {
              ...{ id: 's', username: 'service-account-keys', enabled: true },
              ...{ serviceAccountClientId: 'keys', clientRoles: { keys: ['uma_protection'] } },
            },
          ],
        }),
      ),
      [],
      [],
    ],
    [
      github('keycloak/keycloak/issues/27816'),
      keycloak({
        ...{ realm: 'master', enabled: true, clients: [{ clientId: 'demo-realm' }] },
        roles: {
          realm: [{ name: 'admin', composites: { client: { 'demo-realm': ['view-users'] } } }],
          client: { 'demo-realm': [{ name: 'view-users' }, { name: 'realm-admin' }] },
        },
        users: [ada({ clientRoles: { 'demo-realm': ['realm-admin'] } })],
      }),
      [],
      [],
    ],
    [
      github('p2-inc/keycloak-orgs/issues/134'),
      keycloak(
        realm({
          roles: {
            client: {
              'realm-management': [
                { name: 'realm-admin', composites: { client: MANAGED } },
                { name: 'publish-events' },
                { name: 'view-organizations' },
              ],
            },
          },
          users: [ada({ clientRoles: MANAGED })],
        }),
      ),
      [],
      [],
    ],
  ],
  'Zitadel: granted projects': [
    [
      github('zitadel/zitadel/issues/8275'),
      () => readZitadelExport(granted(['reader'], ['reader'])),
      ['u-ada app reader'],
      ['NotKept orgs[1].humanUsers'],
    ],
    [
      github('zitadel/zitadel/issues/1756'),
      () => readZitadelExport(granted(['reader', 'admin'], ['reader'])),
      ['u-ada app reader'],
      ['NotKept orgs[1].humanUsers', 'GrantMissing orgs[1].userGrants[0].roleKeys[1]'],
    ],
    [
      github('advisories/GHSA-v859-c572-qh5p'),
      () => readZitadelExport(granted(['gone', 'reader'], ['gone', 'reader'])),
      ['u-ada app reader'],
      [
        'RoleUnknown orgs[0].projectGrants[0].projectGrant.roleKeys[0]',
        'NotKept orgs[1].humanUsers',
        'RoleUnknown orgs[1].userGrants[0].roleKeys[0]',
      ],
    ],
  ],
  'Zitadel: other spellings': [
    [
      'https://zitadel.com/docs/guides/migrate/users',
      () => readZitadelExport({ timeout: '10m', data_orgs: granted(['reader'], ['reader']) }),
      ['u-ada app reader'],
      ['NotKept data_orgs.orgs[1].humanUsers'],
    ],
    [
      github('zitadel/zitadel/pull/3798'),
      () => readZitadelExport({ data_orgsv1: inSnakeCase(granted(['reader'], ['reader'])) }),
      ['u-ada app reader'],
      ['NotKept data_orgsv1.orgs[1].human_users'],
    ],
    [
      'https://zitadel.com/docs/apis/proto/admin#importdatarequest',
      () => readZitadelExport({ data_orgs_local: { path: '/export.json' } }),
      [],
      ['Malformed '],
    ],
    [
      github('zitadel/zitadel/issues/10308'),
      () =>
        readZitadelExport({
          dataOrgs: { orgs: [{ orgId: '329986579672089504', humanUsers: [{ userId: 'u-ada' }] }] },
        }),
      [],
      ['NotKept dataOrgs.orgs[0].humanUsers'],
    ],
  ],
  'better-auth: roles of members': [
    [
      // `generateId: 'serial'`: a query returns numbers.
      'https://www.better-auth.com/docs/concepts/database',
      betterAuth({ members: [{ organizationId: 5, userId: 7, role: 'admin' }] }),
      ['7 organization admin'],
      [],
    ],
    [
      github('usenotra/notra/pull/672'),
      betterAuth({ members: [member('owner')] }),
      ['u-ada organization owner'],
      [],
    ],
    [
      github('better-auth/better-auth/pull/10273'),
      betterAuth({
        members: [member(Array.from({ length: 120 }, (_, n) => `role-${n}`).join(','))],
      }),
      Array.from({ length: 120 }, (_, n) => `u-ada organization role-${n}`),
      [],
    ],
    [
      github('better-auth/better-auth/issues/10229'),
      betterAuth({ members: [{ ...member('admin'), organizationId: undefined }] }),
      [],
      ['OrganizationMissing members[0]'],
    ],
  ],
  'better-auth: roles in teams': [
    [
      github('better-auth/better-auth/pull/1425'),
      betterAuth({
        teams: [{ id: 'team-1', name: 'Sales', organizationId: 'acme' }],
        members: [
          { ...member('admin'), teamId: 'team-1' },
          { ...member('admin'), userId: 'u-bob', teamId: null },
        ],
      }),
      ['u-ada organization admin', 'u-bob organization admin'],
      ['NotKept members[0].teamId', 'NotKept teams'],
    ],
    [
      github('better-auth/better-auth/issues/4786'),
      betterAuth({
        members: [member('member')],
        teams: [{ id: 'team-1', name: 'Sales', organizationId: 'acme' }],
        teamMembers: [{ id: 'tm', teamId: 'team-1', userId: 'u-ada', role: 'lead' }],
      }),
      ['u-ada organization member'],
      ['NotKept teams', 'NotKept teamMembers'],
    ],
    [
      github('archestra-ai/archestra/pull/819'),
      () =>
        readBetterAuth([
          { members: [member('editor')] },
          { agentTeam: [{ agentId: 'agent-1', teamId: 'team-1' }] },
        ]),
      ['u-ada organization editor'],
      ['Malformed [1]'],
    ],
  ],
  'better-auth: a member twice': [
    [
      github('decocms/studio/pull/4716'),
      () => readBetterAuth([{ members: [member('member')] }, { members: [member('owner')] }]),
      ['u-ada organization member'],
      ['Doubled [1].members[0]'],
    ],
    [
      github('naveedharri/baalda/issues/14'),
      betterAuth({ members: [member('member'), member('admin')] }),
      ['u-ada organization member'],
      ['Doubled members[1]'],
    ],
    [
      github('better-auth-extended/better-auth-extended/issues/67'),
      betterAuth({ members: [member('member'), { ...member('admin'), organizationId: 'globex' }] }),
      ['u-ada organization member', 'u-ada organization admin'],
      [],
    ],
  ],
  'files that are nearly JSON': [
    [
      github('jotaen/klog/issues/217'),
      keycloak(
        new Uint8Array([
          0xff,
          0xfe,
          ...Buffer.from(
            JSON.stringify(
              realm({ roles: roles('größer'), users: [ada({ realmRoles: ['größer'] })] }),
            ),
            'utf16le',
          ),
        ]),
      ),
      ['u-ada realm größer'],
      [],
    ],
    [
      github('microsoft/playwright/pull/39420'),
      keycloak(
        `\uFEFF${JSON.stringify(realm({ roles: roles('user'), users: [ada({ realmRoles: ['user'] })] }))}`,
      ),
      ['u-ada realm user'],
      [],
    ],
    [
      github('MatteoGuadrini/PSCouchDB/issues/9'),
      betterAuth({ members: JSON.stringify([member('owner')]) }),
      ['u-ada organization owner'],
      [],
    ],
    [
      github('vmware-archive/scripted/issues/54'),
      keycloak("{'realm': 'acme'}"),
      [],
      ['Malformed '],
    ],
  ],
}

/** Roles of users; of a file with providers, what becomes of them. */
const shown = ({ organizations }: Imported): readonly string[] =>
  organizations.flatMap(({ access, userGrants }) => [
    ...(access.identityProviders ?? []).map(({ idpId, initialState, signIn }) => {
      const rules = signIn?.admit?.map(({ claim, values }) => `${claim}=${values.join('|')}`)
      return `${idpId} ${rules ? `admits ${rules}` : (initialState ?? 'active')}`
    }),
    ...userGrants.flatMap(({ userId, projectId, roles: held }) =>
      held.map(({ roleKey }) => `${userId} ${projectId} ${roleKey}`),
    ),
  ])

describe.each(Object.entries(REPORTS))('%s', (_, reports) => {
  it('has three public reports', () => {
    expect(new Set(reports.map(([url]) => url)).size).toBeGreaterThanOrEqual(3)
  })

  it.each(reports)('%s', (_url, read, expected, warnings) => {
    const imported = read()
    expect(shown(imported)).toEqual(expected)
    expect(imported.warnings.map(({ kind, path }) => `${kind} ${path}`)).toEqual(warnings)
  })
})

import { CANARY } from '../canary.js'

const account = ['manage-account', 'view-profile']

/** A realm as `kc.sh export --users same_file` writes it, as far as access goes. */
export const keycloakRealm = {
  id: '0b8a0f2e-5d39-4c2f-9f0e-000000000001',
  realm: 'acme',
  displayName: 'Acme Inc.',
  enabled: true,
  sslRequired: 'external',
  defaultRole: { name: 'default-roles-acme', composite: true, clientRole: false },
  roles: {
    realm: [
      { id: 'r1', name: 'offline_access', composite: false, clientRole: false },
      { id: 'r2', name: 'uma_authorization', composite: false, clientRole: false },
      {
        id: 'r3',
        name: 'default-roles-acme',
        composite: true,
        composites: {
          realm: ['offline_access', 'uma_authorization', 'employee'],
          client: { account },
        },
        clientRole: false,
      },
      { id: 'r4', name: 'employee', composite: false, clientRole: false },
      {
        id: 'r5',
        name: 'chief',
        description: 'All of them',
        composite: true,
        composites: { realm: ['employee'], client: { portal: ['publisher'] } },
        clientRole: false,
      },
    ],
    client: {
      account: account.map((name) => ({ name, clientRole: true })),
      'realm-management': [{ name: 'realm-admin', clientRole: true }],
      'security-admin-console': [],
      portal: [
        { id: 'p1', name: 'editor', composite: false, clientRole: true },
        {
          id: 'p2',
          name: 'publisher',
          composite: true,
          composites: { client: { portal: ['editor'] } },
          clientRole: true,
        },
      ],
      'https://shop.example.com': [{ id: 's1', name: 'buyer', composite: false, clientRole: true }],
      realm: [{ id: 'x1', name: 'auditor', composite: false, clientRole: true }],
    },
  },
  groups: [
    {
      id: 'g1',
      name: 'staff',
      path: '/staff',
      realmRoles: ['employee'],
      clientRoles: {},
      subGroups: [
        {
          id: 'g2',
          name: 'press',
          path: '/staff/press',
          realmRoles: [],
          clientRoles: { portal: ['editor'] },
          subGroups: [],
        },
      ],
    },
  ],
  clients: [
    { id: 'c1', clientId: 'account', name: `\${client_account}`, enabled: true },
    { id: 'c2', clientId: 'portal', name: 'The portal', enabled: true, secret: CANARY },
    { id: 'c3', clientId: 'https://shop.example.com', name: `\${client_shop}`, enabled: false },
    { id: 'c4', clientId: 'realm', enabled: true, secret: '**********' },
  ],
  users: [
    {
      id: '5b0e6a60-0000-4000-8000-000000000001',
      username: 'ann',
      enabled: true,
      credentials: [{ type: 'password', secretData: `{"value":"${CANARY}"}` }],
      realmRoles: ['default-roles-acme', 'chief'],
      clientRoles: { account: ['view-profile'], realm: ['auditor'] },
      groups: [],
    },
    {
      id: '5b0e6a60-0000-4000-8000-000000000002',
      username: 'bob',
      enabled: true,
      realmRoles: ['offline_access'],
      groups: ['/staff/press'],
    },
    { id: '5b0e6a60-0000-4000-8000-000000000003', username: 'eve', enabled: false },
    {
      username: 'service-account-portal',
      enabled: true,
      serviceAccountClientId: 'portal',
      clientRoles: { 'https://shop.example.com': ['buyer'], 'realm-management': ['realm-admin'] },
    },
  ],
  identityProviders: [
    {
      alias: 'okta',
      displayName: 'Okta',
      internalId: 'i1',
      providerId: 'oidc',
      enabled: true,
      linkOnly: false,
      firstBrokerLoginFlowAlias: 'first broker login',
      config: {
        issuer: 'https://okta.example.com',
        clientId: 'c1',
        clientSecret: '**********',
        defaultScope: 'openid  email',
        clientAuthMethod: 'client_secret_post',
      },
    },
    {
      alias: 'sibling',
      providerId: 'keycloak-oidc',
      enabled: false,
      linkOnly: true,
      config: { issuer: 'https://kc.example.com/realms/b', clientId: 'c2', clientSecret: CANARY },
    },
    {
      alias: 'google',
      providerId: 'google',
      enabled: true,
      firstBrokerLoginFlowAlias: 'our own',
      config: { clientId: 'c3', clientSecret: CANARY },
    },
    { alias: 'github', providerId: 'github', config: { clientId: 'c4', clientSecret: CANARY } },
    { alias: 'adfs', providerId: 'saml', config: { singleSignOnServiceUrl: 'https://a.example' } },
    {
      alias: 'vaulted',
      providerId: 'oidc',
      config: { issuer: 'https://v.example', clientId: 'c5', clientSecret: `\${vault.secret}` },
    },
  ],
  identityProviderMappers: [
    {
      id: 'm1',
      name: 'email as name',
      identityProviderAlias: 'okta',
      identityProviderMapper: 'oidc-username-idp-mapper',
      config: { template: `\${CLAIM.email}`, syncMode: 'INHERIT' },
    },
    {
      id: 'm2',
      name: 'first name',
      identityProviderAlias: 'okta',
      identityProviderMapper: 'oidc-user-attribute-idp-mapper',
      config: { claim: 'given_name', 'user.attribute': 'firstName' },
    },
    {
      id: 'm3',
      name: 'press may publish',
      identityProviderAlias: 'okta',
      identityProviderMapper: 'oidc-role-idp-mapper',
      config: { claim: 'groups', 'claim.value': 'press', role: 'portal.publisher' },
    },
    {
      id: 'm4',
      name: 'press is staff',
      identityProviderAlias: 'okta',
      identityProviderMapper: 'oidc-advanced-group-idp-mapper',
      config: {
        claims: '[{"key":"groups","value":"press"}]',
        'are.claim.values.regex': 'false',
        group: '/staff/press',
      },
    },
    {
      id: 'm5',
      name: 'chiefs',
      identityProviderAlias: 'sibling',
      identityProviderMapper: 'oidc-advanced-role-idp-mapper',
      config: { claims: '[{"key":"groups","value":"chiefs"}]', role: 'chief' },
    },
    {
      id: 'm6',
      name: 'by a pattern',
      identityProviderAlias: 'okta',
      identityProviderMapper: 'oidc-advanced-role-idp-mapper',
      config: {
        claims: '[{"key":"groups","value":"chief.*"}]',
        'are.claim.values.regex': 'true',
        role: 'chief',
      },
    },
  ],
  organizations: [{ id: 'o1', name: 'Globex', domains: [{ name: 'globex.example' }] }],
  components: { 'org.keycloak.storage.UserStorageProvider': [{ name: 'ldap' }] },
}

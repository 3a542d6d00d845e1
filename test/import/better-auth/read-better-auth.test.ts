import { readBetterAuth } from 'claviger/import'
import { describe, expect, it } from 'vitest'
import { CANARY } from '../canary.js'
import { betterAuthInstance } from './better-auth-instance.js'

describe('the tables of better-auth', () => {
  it('are read as the real package leaves them', async () => {
    const { tables, organizationId, users } = await betterAuthInstance()
    const { organizations, warnings } = readBetterAuth(tables)
    const role = (roleKey: string) => ({ roleKey, displayName: roleKey })
    const grant = (userId: string, ...roleKeys: string[]) => ({
      userId,
      projectId: 'organization',
      roles: roleKeys.map((roleKey) => ({ roleKey })),
    })
    expect(organizations).toEqual([
      {
        orgId: organizationId,
        access: {
          managedBy: 'import:better-auth',
          projects: [
            {
              id: 'organization',
              name: 'Organization',
              roles: [role('editor'), role('owner'), role('member')],
            },
          ],
          identityProviders: [
            {
              idpId: 'okta',
              name: 'okta',
              issuer: 'https://okta.example.com',
              clientId: 'c1',
              clientSecret: CANARY,
              scopes: ['openid', 'email'],
              displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
            },
          ],
        },
        userGrants: [
          grant(users.ann, 'owner'),
          grant(users.bob, 'member'),
          grant(users.cleo, 'member', 'editor'),
        ],
      },
    ])
    expect(warnings.map(({ kind, path }) => [kind, path])).toEqual([
      ['DomainLeft', 'ssoProviders[0].domain'],
      ['OrganizationMissing', 'ssoProviders[1]'],
      ['PermissionsLeft', 'organizationRoles[0].permission'],
    ])
    // A dump of the tables is JSON.
    expect(readBetterAuth(JSON.parse(JSON.stringify(tables)))).toEqual({ organizations, warnings })
  })

  const oidcConfig = { clientId: 'c', clientSecret: 's' }
  const provider = { providerId: 'p', issuer: 'https://i.example.com', organizationId: 'acme' }
  const withConfig = (config: object) => ({ ssoProviders: [{ ...provider, oidcConfig: config }] })
  it.each<[kind: string, path: string, tables: object]>([
    [
      'ProviderUnsupported',
      'ssoProviders[0]',
      { ssoProviders: [{ ...provider, samlConfig: '{}' }] },
    ],
    [
      'ProviderUnsupported',
      'ssoProviders[0]',
      { ssoProviders: [{ ...provider, oidcConfig: '{' }] },
    ],
    ['SecretMissing', 'ssoProviders[0].oidcConfig.clientSecret', withConfig({ clientId: 'c' })],
    ['ProviderIncomplete', 'ssoProviders[0].oidcConfig.clientId', withConfig({})],
    [
      'KeyUnusable',
      'ssoProviders[0].providerId',
      { ssoProviders: [{ ...provider, providerId: 5, oidcConfig }] },
    ],
    [
      'MappingLeft',
      'ssoProviders[0].oidcConfig.mapping.name',
      withConfig({ ...oidcConfig, mapping: { name: 'nickname' } }),
    ],
    [
      'MappingLeft',
      'ssoProviders[0].oidcConfig.mapping.email',
      withConfig({ ...oidcConfig, mapping: { email: 'upn' } }),
    ],
    [
      'MappingLeft',
      'ssoProviders[0].oidcConfig.mapping.extraFields',
      withConfig({ ...oidcConfig, mapping: { extraFields: { a: 'b' } } }),
    ],
    ['Malformed', 'members', { members: { 0: 'ann' } }],
    [
      'NoRoles',
      'members[0].role',
      { members: [{ userId: 'u', organizationId: 'acme', role: ' , ' }] },
    ],
    ['UserUnknown', 'members[0].role', { members: [{ organizationId: 'acme', role: 'owner' }] }],
    [
      'IdChanged',
      'members[0].organizationId',
      { members: [{ userId: 'u', organizationId: 'a b', role: 'owner' }] },
    ],
    [
      'OrganizationMissing',
      'members[0]',
      { members: [{ userId: 'u', organizationId: null, role: 'owner' }] },
    ],
    ['NotKept', 'member', { members: [], member: [{ userId: 'u' }] }],
    [
      'KeyUnusable',
      'organizationRoles[0].role',
      { organizationRoles: [{ organizationId: 'acme', role: '' }] },
    ],
  ])('%s at %s', (kind, path, tables) => {
    const { warnings } = readBetterAuth(tables)
    expect(warnings.map((warning) => [warning.kind, warning.path])).toContainEqual([kind, path])
  })

  it('request the default scopes of better-auth if none are set', () => {
    const [acme] = readBetterAuth(withConfig(oidcConfig)).organizations
    const scopes = ['openid', 'email', 'profile', 'offline_access']
    expect(acme?.access.identityProviders).toMatchObject([{ scopes }])
  })

  it.each<[tables: object]>([[{}], [{ realm: 'acme' }], [[]]])(
    'cannot be read at all: %j',
    (tables) => {
      expect(readBetterAuth(tables)).toMatchObject({
        organizations: [],
        warnings: [{ kind: 'Malformed', path: '' }],
      })
    },
  )
})

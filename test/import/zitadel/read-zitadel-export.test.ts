import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFileRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { readAccess } from 'claviger'
import { readZitadelExport } from 'claviger/import'
import { describe, expect, it } from 'vitest'
import { CANARY } from '../canary.js'
import { zitadelExport } from './zitadel-export.js'

const root = join(import.meta.dirname, '../../..')

/** The answer's schema, of the facts in the fixture. */
const exportSchema = async () => {
  const { stdout } = await promisify(execFile)(
    join(root, 'node_modules/.bin/buf'),
    ['build', 'zitadel-export.proto', '-o', '-'],
    { cwd: join(root, 'test/fixtures'), encoding: 'buffer' },
  )
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, stdout))
  const schema = registry.getMessage('zitadel.facts.ExportDataResponse')
  if (!schema) throw new Error('The fixture has no such message')
  return schema
}

const [acme, globex] = zitadelExport.orgs

describe('an export of Zitadel', () => {
  it('is read as its schema parses it, with and without what has its default', async () => {
    const schema = await exportSchema()
    const message = fromJson(schema, zitadelExport)
    const imported = readZitadelExport(zitadelExport)
    expect(readZitadelExport(toJson(schema, message))).toEqual(imported)
    const verbose = toJson(schema, message, { alwaysEmitImplicit: true })
    expect(readZitadelExport(verbose)).toEqual(imported)
    const wrapped = readZitadelExport(JSON.stringify({ dataOrgs: verbose }))
    expect(wrapped.organizations).toEqual(imported.organizations)
    expect(wrapped.warnings[0]?.path).toBe('dataOrgs.orgs[0].oidcIdps[1].idp.clientSecret')
  })

  it('becomes organizations with projects, roles, grants and providers', () => {
    const { organizations } = readZitadelExport(zitadelExport)
    expect(organizations).toEqual([
      {
        orgId: acme?.orgId,
        access: {
          managedBy: 'import:zitadel',
          projects: [
            {
              id: '225480000000000011',
              name: 'Portal',
              settings: {
                projectRoleAssertion: true,
                projectRoleCheck: true,
                hasProjectCheck: false,
                privateLabelingSetting:
                  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
              },
              roles: [
                { roleKey: 'editor', displayName: 'Editor', group: 'content' },
                { roleKey: 'viewer', displayName: 'Viewer', group: '' },
              ],
              grants: [{ grantedOrgId: globex?.orgId, roleKeys: ['viewer'] }],
            },
          ],
          identityProviders: [
            {
              idpId: '225480000000000041',
              name: 'Google',
              stylingType: 'STYLING_TYPE_GOOGLE',
              issuer: 'https://accounts.google.com',
              clientId: 'c1',
              clientSecret: CANARY,
              scopes: ['openid', 'email'],
              autoRegister: true,
              displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
              usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
            },
            {
              idpId: '225480000000000042',
              name: 'Entra',
              stylingType: 'STYLING_TYPE_UNSPECIFIED',
              issuer: 'https://login.example.com',
              clientId: 'c2',
              initialState: 'inactive',
              scopes: [],
              autoRegister: false,
              displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
              usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
            },
          ],
        },
        userGrants: [
          {
            userId: '225480000000000021',
            projectId: '225480000000000011',
            roles: [{ roleKey: 'editor' }, { roleKey: 'viewer' }],
          },
        ],
      },
      {
        orgId: globex?.orgId,
        access: { managedBy: 'import:zitadel', projects: [], identityProviders: [] },
        userGrants: [
          {
            userId: '225480000000000022',
            projectId: '225480000000000011',
            projectOrgId: acme?.orgId,
            roles: [{ roleKey: 'viewer' }],
          },
        ],
      },
    ])
  })

  it('tells what was changed and left, and where', () => {
    const { warnings } = readZitadelExport(zitadelExport)
    expect(warnings.map(({ kind, action, path }) => [kind, action, path])).toEqual([
      ['SecretMissing', 'changed', 'orgs[0].oidcIdps[1].idp.clientSecret'],
      ['ProviderUnsupported', 'left', 'orgs[0].jwtIdps[0]'],
      ['NotKept', 'left', 'orgs[0].humanUsers'],
      ['NotKept', 'left', 'orgs[0].orgMembers'],
      ['DomainLeft', 'left', 'orgs[0].domains[0]'],
      ['GrantMissing', 'left', 'orgs[1].userGrants[0].roleKeys[1]'],
    ])
  })

  it.each([
    ['text that is no JSON', '{"orgs": ['],
    ['no organizations', { orgs: {} }],
    ['nothing', undefined],
    ['a realm of Keycloak', { realm: 'acme' }],
  ])('cannot be read at all: %s', (_, json) => {
    const { organizations, warnings } = readZitadelExport(json)
    expect(organizations).toEqual([])
    expect(warnings).toMatchObject([{ kind: 'Malformed', path: '' }])
  })
})

/** One organization with what is given, beside a project with a role. */
const withOrg = (fields: object) => ({
  orgs: [
    {
      orgId: 'acme',
      projects: [{ projectId: 'p', project: { name: 'P' } }],
      projectRoles: [{ projectId: 'p', roleKey: 'r', displayName: 'R' }],
      ...fields,
    },
  ],
})

describe('what Zitadel allows and we do not, or the other way round', () => {
  const long = 'n'.repeat(201)
  const provider = { name: 'N', clientId: 'c', clientSecret: 's', issuer: 'https://i.example.com' }
  const idp = (fields: object) => ({ oidcIdps: [{ idpId: 'i', idp: { ...provider, ...fields } }] })
  it.each<[kind: string, path: string, fields: object]>([
    ['IdChanged', 'orgId', { orgId: 'größe & co' }],
    ['KeyUnusable', 'orgId', { orgId: '' }],
    [
      'NameChanged',
      'projects[0].project.name',
      { projects: [{ projectId: 'p', project: { name: long } }] },
    ],
    ['Malformed', 'projects[0]', { projects: [5], projectRoles: [] }],
    [
      'Doubled',
      'projects[1].projectId',
      {
        projects: [
          { projectId: 'p', project: { name: 'P' } },
          { projectId: 'p', project: { name: 'Q' } },
        ],
      },
    ],
    [
      'Doubled',
      'projectRoles[1].roleKey',
      {
        projectRoles: [
          { projectId: 'p', roleKey: 'r', displayName: 'R' },
          { projectId: 'p', roleKey: 'r', displayName: 'S' },
        ],
      },
    ],
    [
      'KeyUnusable',
      'projectRoles[0].roleKey',
      { projectRoles: [{ projectId: 'p', roleKey: long, displayName: 'R' }] },
    ],
    [
      'ProjectUnknown',
      'projectRoles[0]',
      { projectRoles: [{ projectId: 'q', roleKey: 'r', displayName: 'R' }] },
    ],
    [
      'RoleUnknown',
      'userGrants[0].roleKeys[0]',
      { userGrants: [{ userId: 'u', projectId: 'p', roleKeys: ['x'] }] },
    ],
    [
      'UserUnknown',
      'userGrants[0].roleKeys[0]',
      { userGrants: [{ userId: long, projectId: 'p', roleKeys: ['r'] }] },
    ],
    [
      'ProjectUnknown',
      'userGrants[0]',
      { userGrants: [{ userId: 'u', projectId: 'q', roleKeys: ['r'] }] },
    ],
    ['NoRoles', 'userGrants[0]', { userGrants: [{ userId: 'u', projectId: 'p' }] }],
    [
      'OrganizationUnknown',
      'projectGrants[0]',
      {
        projectGrants: [
          { projectGrant: { projectId: 'p', grantedOrgId: 'acme', roleKeys: ['r'] } },
        ],
      },
    ],
    [
      'NoRoles',
      'projectGrants[0]',
      {
        projectGrants: [{ projectGrant: { projectId: 'p', grantedOrgId: 'globex', roleKeys: [] } }],
      },
    ],
    ['ProviderIncomplete', 'oidcIdps[0].idp.issuer', idp({ issuer: '' })],
    ['ProviderIncomplete', 'oidcIdps[0].idp.clientId', idp({ clientId: long })],
    ['SecretMissing', 'oidcIdps[0].idp.clientSecret', idp({ clientSecret: '********' })],
    ['SecretMissing', 'oidcIdps[0].idp.clientSecret', idp({ clientSecret: long })],
    ['ScopesChanged', 'oidcIdps[0].idp.scopes', idp({ scopes: ['openid', 'a b'] })],
    [
      'MappingLeft',
      'oidcIdps[0].idp.usernameMapping',
      idp({ usernameMapping: 'OIDC_MAPPING_FIELD_SUB' }),
    ],
  ])('%s at %s', (kind, path, fields) => {
    const { warnings } = readZitadelExport(withOrg(fields))
    expect(warnings.map((warning) => [warning.kind, warning.path])).toContainEqual([
      kind,
      `orgs[0].${path}`,
    ])
  })

  it('derives the same id for the same name, wherever it is referred to', () => {
    const name = 'größe & co'
    const { organizations } = readZitadelExport({
      orgs: [
        ...withOrg({
          projectGrants: [
            { projectGrant: { projectId: 'p', grantedOrgId: name, roleKeys: ['r'] } },
          ],
        }).orgs,
        { orgId: name },
      ],
    })
    const [owner, granted] = organizations
    expect(granted?.orgId).toBe('gr--e---co-8316378137f8')
    expect(owner?.access.projects?.[0]?.grants).toEqual([
      { grantedOrgId: granted?.orgId, roleKeys: ['r'] },
    ])
  })

  it('takes no more than one object can have', () => {
    const keys = Array.from({ length: 10_001 }, (_, index) => `r${index}`)
    const granted = keys.slice(0, 401)
    const { organizations, warnings } = readZitadelExport(
      withOrg({
        projectRoles: keys.map((roleKey) => ({ projectId: 'p', roleKey, displayName: 'R' })),
        projectGrants: [
          { projectGrant: { projectId: 'p', grantedOrgId: 'globex', roleKeys: granted } },
        ],
        userGrants: [{ userId: 'u', projectId: 'p', roleKeys: granted }],
      }),
    )
    const [{ access, userGrants } = { access: {}, userGrants: [] }] = organizations
    expect(readAccess(access).isOk()).toBe(true)
    expect(userGrants[0]?.roles).toHaveLength(400)
    expect(warnings.map(({ kind, path }) => [kind, path])).toEqual([
      ['TooMany', 'orgs[0].projectRoles[10000].roleKey'],
      ['TooMany', 'orgs[0].projectGrants[0].projectGrant.roleKeys[400]'],
      ['TooMany', 'orgs[0].userGrants[0].roleKeys[400]'],
    ])
  })

  it('splits an organization with more than a desired state can hold', () => {
    const projects = Array.from({ length: 1_001 }, (_, index) => ({
      projectId: `p${index}`,
      project: { name: 'P' },
    }))
    const userGrants = [{ userId: 'u', projectId: 'p', roleKeys: ['r'] }]
    const [last] = withOrg({}).orgs[0]?.projects ?? []
    const { organizations } = readZitadelExport(
      withOrg({ projects: [...projects, last], userGrants }),
    )
    expect(organizations.map(({ orgId, access }) => [orgId, access.projects?.length])).toEqual([
      ['acme', 1_000],
      ['acme', 2],
    ])
    expect(organizations.map(({ userGrants }) => userGrants.length)).toEqual([1, 0])
  })
})

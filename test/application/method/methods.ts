import type { ResultAsync } from 'neverthrow'
import type { IamError, Permission, PermissionQuestion } from '../../../src/index.js'
import type { Iam } from '../host.js'

/** A public method, as anyone may call it. */
export type Call = (input: unknown, context: unknown) => ResultAsync<unknown, IamError>

/** A public method of the library and what it asks for. */
export interface Method {
  readonly name: string
  readonly of: (iam: Iam) => Call
  /** Well-formed, and successful after `addAllSamples`. */
  readonly input: object
  readonly permissions: readonly Permission[]
  /** What `permissions` are asked for. */
  readonly object?: PermissionQuestion['object']
  /** The roles that the last of `permissions` is asked for before it is decided. */
  readonly roleKeys?: readonly string[]
  /** Fields of the context that it refuses. */
  readonly refuses?: readonly string[]
}

const google = { type: 'identity_provider', id: 'google' } as const
const portal = { type: 'project', id: 'portal' } as const
const editor = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const

const provider = { idpId: 'google' }
const oidc = { clientId: 'c', clientSecret: 's', issuer: 'https://i.example' }
const role = { projectId: 'portal', roleKey: 'editor' }
const object = { type: 'project_role', ...role }
const projectGrant = { projectId: 'portal', grantedOrgId: 'initech' }
const ofAcme = { domain: 'acme.example' }
const ofLink = { linkId: 'link-1' }
const userGrant = { userId: 'bob', projectId: 'portal' }
const mapping = { ...provider, group: 'staff', projectId: 'portal' }

/** A mapping as `authorize` is asked about its writes in the organization `globex`. */
const mappingIn = (group: string) =>
  ({ type: 'role_mapping', ...mapping, projectOrgId: 'globex', group }) as const
const membership = { ...provider, userId: 'mia' }

/** Casts, so that tests can send what no type allows. */
const method = <Group extends keyof Iam, Name extends keyof Iam[Group] & string>(
  group: Group,
  name: Name,
  rest: Omit<Method, 'name' | 'of'>,
): Method => ({
  name: `${group}.${name}`,
  of: (iam) => iam[group][name] as unknown as Call,
  ...rest,
})

const isNew = ['expectedSequence']

/** What is for a write of one object. */
const OF_ONE_OBJECT = ['expectedSequence', 'idempotencyKey', 'dryRun']

/** Every method that changes one object. */
export const writes: readonly Method[] = [
  method('identityProviders', 'addOidc', {
    input: { idpId: 'new', name: 'n', ...oidc },
    permissions: ['identity_provider.write'],
    object: { type: 'identity_provider', id: 'new' },
    refuses: isNew,
  }),
  method('identityProviders', 'updateOidcConfig', {
    input: { ...provider, ...oidc },
    permissions: ['identity_provider.write'],
    object: google,
  }),
  method('identityProviders', 'update', {
    input: { ...provider, name: 'n' },
    permissions: ['identity_provider.write'],
    object: google,
  }),
  method('identityProviders', 'patch', {
    input: { ...provider, name: 'n' },
    permissions: ['identity_provider.write'],
    object: google,
  }),
  method('identityProviders', 'configureSignIn', {
    input: { ...provider, subjectClaim: 'oid' },
    permissions: ['identity_provider.write'],
    object: google,
  }),
  ...(['deactivate', 'reactivate', 'remove'] as const).map((name) =>
    method('identityProviders', name, {
      input: provider,
      permissions: ['identity_provider.write'],
      object: google,
    }),
  ),
  method('projects', 'add', {
    input: { id: 'new', name: 'n' },
    permissions: ['project.write'],
    object: { type: 'project', id: 'new' },
    refuses: isNew,
  }),
  method('projects', 'update', {
    input: { id: 'portal', name: 'n' },
    permissions: ['project.write'],
    object: portal,
  }),
  method('projects', 'patch', {
    input: { id: 'portal', name: 'n' },
    permissions: ['project.write'],
    object: portal,
  }),
  ...(['deactivate', 'reactivate', 'remove'] as const).map((name) =>
    method('projects', name, {
      input: { id: 'portal' },
      permissions: ['project.write'],
      object: portal,
    }),
  ),
  method('projectRoles', 'add', {
    input: { projectId: 'portal', roleKey: 'new', displayName: 'n' },
    permissions: ['project.role.write'],
    object: { type: 'project_role', projectId: 'portal', roleKey: 'new' },
    refuses: isNew,
  }),
  method('projectRoles', 'addMany', {
    input: { projectId: 'portal', roles: [{ roleKey: 'new', displayName: 'n' }] },
    permissions: ['project.role.write'],
    object: portal,
    refuses: isNew,
  }),
  method('projectRoles', 'update', {
    input: { ...role, displayName: 'n' },
    permissions: ['project.role.write'],
    object: editor,
  }),
  method('projectRoles', 'patch', {
    input: { ...role, displayName: 'n' },
    permissions: ['project.role.write'],
    object: editor,
  }),
  method('projectRoles', 'remove', {
    input: role,
    permissions: ['project.role.write'],
    object: editor,
  }),
  method('projectGrants', 'add', {
    input: { projectId: 'portal', grantedOrgId: 'new', roleKeys: ['editor'] },
    permissions: ['project.grant.write'],
    object: portal,
    roleKeys: ['editor'],
    refuses: isNew,
  }),
  method('projectGrants', 'update', {
    input: { ...projectGrant, roleKeys: ['editor', 'viewer'] },
    permissions: ['project.grant.write'],
    object: portal,
    roleKeys: [],
  }),
  ...(['deactivate', 'reactivate', 'remove'] as const).map((name) =>
    method('projectGrants', name, {
      input: projectGrant,
      permissions: ['project.grant.write'],
      object: portal,
      roleKeys: [],
    }),
  ),
  method('userGrants', 'add', {
    input: { userId: 'new', projectId: 'portal', roles: [{ roleKey: 'editor' }] },
    permissions: ['user.grant.write'],
    object: portal,
    roleKeys: ['editor'],
    refuses: isNew,
  }),
  ...(['update', 'addRoles'] as const).map((name) =>
    method('userGrants', name, {
      input: { ...userGrant, roles: [{ roleKey: 'editor' }, { roleKey: 'viewer' }] },
      permissions: ['user.grant.write'],
      object: portal,
      roleKeys: name === 'addRoles' ? ['editor', 'viewer'] : [],
    }),
  ),
  method('userGrants', 'give', {
    input: { ...userGrant, roles: [{ roleKey: 'editor' }, { roleKey: 'viewer' }] },
    permissions: ['user.grant.write'],
    object: portal,
    roleKeys: ['editor', 'viewer'],
  }),
  method('userGrants', 'removeRoles', {
    input: { ...userGrant, roleKeys: ['editor'] },
    permissions: ['user.grant.write'],
    object: portal,
    roleKeys: ['editor'],
  }),
  ...(['deactivate', 'reactivate', 'remove'] as const).map((name) =>
    method('userGrants', name, {
      input: userGrant,
      permissions: ['user.grant.write'],
      object: portal,
      roleKeys: [],
    }),
  ),
  method('roleMappings', 'add', {
    input: { ...mapping, group: 'new', roleKeys: ['editor'] },
    permissions: ['role_mapping.write'],
    object: mappingIn('new'),
    roleKeys: ['editor'],
    refuses: isNew,
  }),
  ...(['update', 'addRoles', 'removeRoles'] as const).map((name) =>
    method('roleMappings', name, {
      input: { ...mapping, roleKeys: name === 'removeRoles' ? ['editor'] : ['editor', 'viewer'] },
      permissions: ['role_mapping.write'],
      object: mappingIn(mapping.group),
      roleKeys: { update: [], addRoles: ['editor', 'viewer'], removeRoles: ['editor'] }[name],
    }),
  ),
  method('roleMappings', 'remove', {
    input: mapping,
    permissions: ['role_mapping.write'],
    object: mappingIn(mapping.group),
    roleKeys: [],
  }),
  method('memberships', 'report', {
    input: { ...membership, groups: [] },
    permissions: ['membership.write'],
    object: google,
  }),
  method('memberships', 'remove', {
    input: membership,
    permissions: ['membership.write'],
    object: google,
  }),
  method('domains', 'add', {
    input: { domain: 'new.example' },
    permissions: ['domain.write'],
    object: { type: 'domain', id: 'new.example' },
    refuses: isNew,
  }),
  method('domains', 'setProvider', {
    input: { ...ofAcme, idpId: 'google' },
    permissions: ['domain.write'],
    object: { type: 'domain', id: 'acme.example' },
  }),
  ...(['verify', 'remove'] as const).map((name) =>
    method('domains', name, {
      input: ofAcme,
      permissions: ['domain.write'],
      object: { type: 'domain', id: 'acme.example' },
    }),
  ),
  method('setupLinks', 'issue', {
    input: { linkId: 'new', expiresAt: new Date('2999-12-31T00:00:00Z'), intents: ['domain'] },
    permissions: ['setup_link.write'],
    object: { type: 'setup_link', id: 'new' },
    refuses: [...isNew, 'idempotencyKey'],
  }),
  method('setupLinks', 'revoke', {
    input: ofLink,
    permissions: ['setup_link.write'],
    object: { type: 'setup_link', id: 'link-1' },
  }),
].map((each) => ({ ...each, refuses: [...(each.refuses ?? []), 'onProgress'] }))

/** The one that makes many writes of its own. */
export const resealSecrets: Method = method('identityProviders', 'resealSecrets', {
  input: provider,
  permissions: ['identity_provider.write'],
  object: google,
  refuses: OF_ONE_OBJECT,
})

/** Another one: it takes as many roles as there are. */
export const importRoles: Method = method('projectRoles', 'import', {
  input: { projectId: 'portal', roles: [{ roleKey: 'new', displayName: 'n' }] },
  permissions: ['project.role.read', 'project.role.write'],
  object: portal,
  refuses: OF_ONE_OBJECT,
})

/** Another one: it removes as many grants as the user has. */
export const removeAllOfUser: Method = method('userGrants', 'removeAllOfUser', {
  input: { userId: 'bob' },
  permissions: ['user.grant.read', 'user.grant.write'],
  roleKeys: [],
  refuses: [...OF_ONE_OBJECT, 'onProgress'],
})

/** Another one: it removes as many grants and mappings as there are on a resource. */
export const removeAllOfResource: Method = method('userGrants', 'removeAllOfResource', {
  input: { projectId: 'portal', resource: 'workspace:42' },
  permissions: ['user.grant.read', 'user.grant.write'],
  object: { ...portal, resource: 'workspace:42' },
  roleKeys: [],
  refuses: [...OF_ONE_OBJECT, 'onProgress'],
})

/** Another one: it takes as many grants as there are. */
export const importGrants: Method = method('userGrants', 'import', {
  input: { grants: [{ userId: 'new', projectId: 'portal', roles: [{ roleKey: 'editor' }] }] },
  permissions: ['user.grant.read', 'user.grant.write'],
  roleKeys: [],
  refuses: OF_ONE_OBJECT,
})

/** Every method that only reads. */
export const reads: readonly Method[] = [
  method('identityProviders', 'get', {
    input: provider,
    permissions: ['identity_provider.read'],
    object: google,
  }),
  method('identityProviders', 'list', { input: {}, permissions: ['identity_provider.read'] }),
  method('identityProviders', 'revealClientSecret', {
    input: provider,
    permissions: ['identity_provider.secret.read'],
    object: google,
  }),
  method('projects', 'get', {
    input: { id: 'portal' },
    permissions: ['project.read'],
    object: portal,
  }),
  method('projects', 'list', { input: {}, permissions: ['project.read'] }),
  method('projects', 'checkLogin', {
    input: { id: 'portal', userOrgId: 'acme' },
    permissions: ['project.read', 'project.role.read'],
    object: portal,
  }),
  method('projects', 'roleClaims', {
    input: { id: 'portal', userOrgId: 'acme', userId: 'bob' },
    permissions: ['project.read', 'project.role.read', 'user.grant.read'],
    object: portal,
  }),
  method('projectRoles', 'get', {
    input: role,
    permissions: ['project.role.read'],
    object: portal,
  }),
  method('projectRoles', 'list', {
    input: { projectId: 'portal' },
    permissions: ['project.role.read'],
    object: portal,
  }),
  method('projectGrants', 'get', {
    input: projectGrant,
    permissions: ['project.grant.read'],
    object: portal,
  }),
  method('projectGrants', 'list', {
    input: { projectId: 'portal' },
    permissions: ['project.grant.read'],
    object: portal,
  }),
  method('projectGrants', 'listReceived', { input: {}, permissions: ['project.grant.read'] }),
  method('projectGrants', 'getReceived', {
    input: { projectId: 'shop', projectOrgId: 'hooli' },
    permissions: ['project.grant.read'],
  }),
  method('userGrants', 'get', {
    input: userGrant,
    permissions: ['user.grant.read'],
    object: portal,
  }),
  method('userGrants', 'list', { input: {}, permissions: ['user.grant.read'] }),
  method('roleMappings', 'get', {
    input: mapping,
    permissions: ['role_mapping.read'],
    object: google,
  }),
  method('roleMappings', 'list', { input: {}, permissions: ['role_mapping.read'] }),
  method('memberships', 'get', {
    input: membership,
    permissions: ['membership.read'],
    object: google,
  }),
  method('memberships', 'list', { input: {}, permissions: ['membership.read'] }),
  method('domains', 'get', {
    input: ofAcme,
    permissions: ['domain.read'],
    object: { type: 'domain', id: 'acme.example' },
  }),
  method('domains', 'list', { input: {}, permissions: ['domain.read'] }),
  method('setupLinks', 'get', {
    input: ofLink,
    permissions: ['setup_link.read'],
    object: { type: 'setup_link', id: 'link-1' },
  }),
  method('setupLinks', 'list', { input: {}, permissions: ['setup_link.read'] }),
  method('access', 'check', {
    input: { ...userGrant, roleKey: 'editor' },
    permissions: ['user.grant.read'],
    object: portal,
  }),
  method('access', 'require', {
    input: { ...userGrant, roleKey: 'editor' },
    permissions: ['user.grant.read'],
    object: portal,
  }),
  method('access', 'explain', {
    input: { ...userGrant, roleKey: 'editor' },
    permissions: ['user.grant.read', 'event.read'],
    object: portal,
  }),
  method('access', 'rolesOf', { input: { userId: 'bob' }, permissions: ['user.grant.read'] }),
  method('access', 'scopesOf', {
    input: { userId: 'bob', roleKey: 'editor' },
    permissions: ['user.grant.read'],
  }),
  method('access', 'whoHas', {
    input: { projectId: 'portal' },
    permissions: ['user.grant.read'],
    object: portal,
  }),
  method('access', 'users', { input: { projectId: 'portal' }, permissions: ['user.grant.read'] }),
  method('history', 'list', { input: { object }, permissions: ['event.read'], object: portal }),
  method('history', 'stateAt', {
    input: { object, sequence: 2n ** 60n },
    permissions: ['event.read'],
    object: portal,
  }),
].map((each) => ({ ...each, refuses: [...OF_ONE_OBJECT, 'reason', 'onProgress'] }))

export const methods: readonly Method[] = [
  ...writes,
  resealSecrets,
  importRoles,
  removeAllOfUser,
  removeAllOfResource,
  importGrants,
  ...reads,
]

/** Methods that stand for the others where all of them would take too long. */
export const SAMPLE: readonly string[] = ['projects.update', 'history.list']

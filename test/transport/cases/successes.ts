import type { Call } from '../call.js'
import {
  addOidc,
  configureSignIn,
  deactivateIdentityProvider,
  getIdentityProvider,
  listIdentityProviders,
  patchIdentityProvider,
  reactivateIdentityProvider,
  removeIdentityProvider,
  testIdentityProvider,
  updateIdentityProvider,
  updateOidcConfig,
} from '../calls/identity-providers.js'
import {
  addProjectRole,
  addProjectRoles,
  getProjectRole,
  listProjectRoles,
  patchProjectRole,
  removeProjectRole,
  updateProjectRole,
} from '../calls/project-roles.js'
import {
  addProject,
  checkLogin,
  deactivateProject,
  getProject,
  listProjects,
  patchProject,
  reactivateProject,
  removeProject,
  updateProject,
} from '../calls/projects.js'
import { validating } from '../calls/validating.js'
import { IDP_ID } from '../host.js'
import { oidc, provider, role, STRANGE_KEY, settings, signInSettings } from '../samples.js'

/** Every rpc, as it is meant. */
export const successes: readonly (readonly [name: string, ...calls: Call[]])[] = [
  ['adds an identity provider', addOidc(provider)],
  ['tests an identity provider', testIdentityProvider(IDP_ID)],
  [
    'adds an identity provider with an empty issuer and nothing else that may be left out',
    addOidc({ name: 'n', clientId: 'c', clientSecret: 's', issuer: '' }),
  ],
  [
    'warns of an issuer with which nobody could sign in',
    addOidc({ ...provider, issuer: 'http://idp.example/.well-known/openid-configuration' }),
    updateOidcConfig(IDP_ID, { ...oidc, clientSecret: 'new', issuer: 'urn:idp' }),
    patchIdentityProvider(IDP_ID, { issuer: 'http://idp.example', clientSecret: 'new' }),
    validating((details) =>
      patchIdentityProvider(IDP_ID, { issuer: 'urn:x', clientSecret: 'n' }, details),
    ),
  ],
  ['updates an OIDC configuration, keeping the secret', updateOidcConfig(IDP_ID, oidc)],
  [
    'updates an OIDC configuration with a new secret',
    updateOidcConfig(IDP_ID, { ...oidc, clientSecret: 'new' }),
  ],
  [
    'updates an identity provider',
    updateIdentityProvider(IDP_ID, { name: 'Other', stylingType: 'STYLING_TYPE_GOOGLE' }),
  ],
  [
    'patches an identity provider and its OIDC configuration, keeping the rest',
    patchIdentityProvider(IDP_ID, { name: 'Patched', scopes: ['openid', 'profile'] }),
    getIdentityProvider(IDP_ID),
  ],
  [
    'patches the secret of an identity provider, and its enumerations with their defaults',
    updateOidcConfig(IDP_ID, oidc),
    patchIdentityProvider(IDP_ID, {
      clientSecret: 'new',
      autoRegister: false,
      usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
    }),
    getIdentityProvider(IDP_ID),
  ],
  [
    'configures how users sign in, keeps it through updates, and ends it',
    configureSignIn(IDP_ID, signInSettings),
    updateOidcConfig(IDP_ID, oidc),
    updateIdentityProvider(IDP_ID, { name: 'Other' }),
    getIdentityProvider(IDP_ID),
    configureSignIn(IDP_ID, { admit: [] }),
    getIdentityProvider(IDP_ID),
  ],
  [
    'deactivates and reactivates an identity provider',
    deactivateIdentityProvider(IDP_ID),
    getIdentityProvider(IDP_ID),
    reactivateIdentityProvider(IDP_ID),
  ],
  ['removes an identity provider', removeIdentityProvider(IDP_ID)],
  ['shows an identity provider', getIdentityProvider(IDP_ID)],
  ['lists identity providers', listIdentityProviders()],
  ['adds a project under an id of its own', addProject({ id: 'shop', ...settings })],
  ['adds a project', addProject({ name: 'Shop' })],
  ['updates a project', updateProject('portal', settings)],
  [
    'patches a project, keeping the rest',
    updateProject('portal', settings),
    patchProject('portal', { hasProjectCheck: false }),
    patchProject('portal', { name: 'Patched' }),
    getProject('portal'),
  ],
  ['patches nothing of a project', patchProject('portal', {}), getProject('portal')],
  [
    'patches a role with a group that is empty, keeping its name',
    patchProjectRole(['portal', 'editor'], { group: '' }),
    getProjectRole(['portal', 'editor']),
  ],
  [
    'gives a role permissions, and takes them',
    patchProjectRole(['portal', 'editor'], { permissions: ['b:all', 'a.read'] }),
    getProjectRole(['portal', 'editor']),
    listProjectRoles('portal', {}, ['permission', 'a.read']),
    listProjectRoles('portal', {}, ['permission', 'a.write']),
    addProjectRole('portal', { ...role, permissions: ['a.read'] }),
    addProjectRoles('portal', {
      roles: [{ roleKey: 'owner', displayName: 'Owner', permissions: ['b:all'] }],
    }),
    updateProjectRole(['portal', 'owner'], { displayName: 'Owner', permissions: ['c'] }),
    updateProjectRole(['portal', 'owner'], { displayName: 'Owner' }),
    patchProjectRole(['portal', 'editor'], { permissions: [], updateMask: 'permissions' }),
    listProjectRoles('portal'),
  ],
  ['updates a project to defaults', updateProject('portal', { name: 'Portal' })],
  [
    'deactivates and reactivates a project',
    deactivateProject('portal'),
    getProject('portal'),
    reactivateProject('portal'),
  ],
  ['removes a project', removeProject('portal')],
  ['shows a project', getProject('portal')],
  ['lists projects page by page', addProject({ id: 'another', name: 'Another' }), listProjects(1)],
  ['lets a user log in', checkLogin('portal', { userOrgId: 'acme', userRoleKeys: ['editor'] })],
  ['adds a role', addProjectRole('portal', role)],
  [
    'adds a role under a key that is strange',
    addProjectRole('portal', { ...role, roleKey: STRANGE_KEY }),
    getProjectRole(['portal', STRANGE_KEY]),
    updateProjectRole(['portal', STRANGE_KEY], { displayName: 'Strange' }),
    removeProjectRole(['portal', STRANGE_KEY]),
  ],
  [
    'adds several roles',
    addProjectRoles('portal', { roles: [role, { roleKey: 'owner', displayName: 'Owner' }] }),
  ],
  ['shows a role', getProjectRole(['portal', 'editor'])],
  ['lists roles', listProjectRoles('portal')],
]

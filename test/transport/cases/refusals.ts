import { toStatus } from 'claviger'
import type { Call } from '../call.js'
import { addOidc, testIdentityProvider, updateOidcConfig } from '../calls/identity-providers.js'
import {
  addProjectRole,
  addProjectRoles,
  getProjectRole,
  updateProjectRole,
} from '../calls/project-roles.js'
import {
  addProject,
  checkLogin,
  getProject,
  patchProject,
  removeProject,
  updateProject,
} from '../calls/projects.js'
import { IDP_ID } from '../host.js'
import { oidc, provider, role, STRANGE_KEY, settings, stale } from '../samples.js'
import type { Case } from './case.js'

/** Every refusal of the library, with its HTTP status. */
export const errors: readonly (readonly [name: string, httpStatus: number, ...calls: Call[]])[] = [
  ['nobody calls', 401, updateProject('portal', settings, { caller: '' })],
  ['nobody calls what is deprecated', 401, updateOidcConfig(IDP_ID, oidc, { caller: '' })],
  ['the caller lacks the permission', 403, updateProject('portal', settings, { caller: 'guest' })],
  [
    'the caller lacks the permission in the selected organization',
    403,
    getProject('portal', {
      headers: { 'x-service-orgid': 'initech' },
      context: { orgId: 'initech' },
    }),
  ],
  [
    'the organization header is malformed',
    400,
    getProject('portal', {
      headers: { 'x-service-orgid': 'no+org' },
      context: { orgId: 'no+org' },
    }),
  ],
  ['fields are malformed', 400, addOidc({ ...provider, name: '', clientId: 'x'.repeat(201) })],
  [
    'a field that must be present is absent',
    400,
    addOidc({ name: 'n', clientId: 'c', clientSecret: 's' }),
  ],
  [
    'one of several roles is malformed',
    400,
    addProjectRoles('portal', { roles: [role, { roleKey: '', displayName: 'Owner' }, role] }),
  ],
  ['an id is malformed', 400, getProject('a/b')],
  ['what is patched is malformed', 400, patchProject('portal', { name: '' })],
  ['what is patched is not there', 404, patchProject('nowhere', { name: 'X' })],
  ['what is patched has changed meanwhile', 409, patchProject('portal', { name: 'X' }, stale)],
  ['an identity provider is not there', 404, updateOidcConfig('nowhere', oidc)],
  ['a project is not there', 404, updateProject('nowhere', settings)],
  ['the project of a role is not there', 404, addProjectRole('nowhere', role)],
  ['a role is not there', 404, getProjectRole(['portal', STRANGE_KEY])],
  [
    'the key of a role is taken',
    409,
    addProjectRole('portal', { roleKey: 'editor', displayName: 'E' }),
  ],
  ['the id of a project is taken', 409, addProject({ id: 'portal', name: 'P' })],
  ['the object has changed meanwhile', 409, updateOidcConfig(IDP_ID, oidc, stale)],
  [
    'the role has changed meanwhile',
    409,
    updateProjectRole(['portal', 'editor'], { displayName: 'Chief' }, stale),
  ],
  ['what is removed has changed meanwhile', 409, removeProject('portal', stale)],
  ['If-Match makes no sense', 400, addProject({ name: 'P' }, stale)],
  [
    'the idempotency key is of another command',
    409,
    addProject(settings, {
      headers: { 'idempotency-key': 'k' },
      context: { idempotencyKey: 'k' },
    }),
    updateProject('portal', settings, {
      headers: { 'idempotency-key': 'k' },
      context: { idempotencyKey: 'k' },
    }),
  ],
  ['a provider to test is not there', 404, testIdentityProvider('absent')],
  [
    'a provider is tested without permission',
    403,
    testIdentityProvider(IDP_ID, { caller: 'guest' }),
  ],
  [
    'a provider is tested without a caller',
    401,
    testIdentityProvider(IDP_ID, { caller: 'nobody' }),
  ],
  [
    'a user may not log in',
    409,
    updateProject('portal', settings),
    checkLogin('portal', { userOrgId: 'initech', userRoleKeys: ['editor'] }),
  ],
]

/** What the transport refuses by itself. */
export const transportRefusals: readonly Case[] = [
  addOidc(provider, { headers: { 'x-service-orgid': 'globex' } }),
  updateOidcConfig(IDP_ID, oidc, { headers: { 'x-service-orgid': 'globex' } }),
].map((call) => ({
  name: `Refused: ${call.rpc} in another organization`,
  calls: [call],
  httpStatus: 400,
  throws: {
    iam: (iam) => iam,
    answer: {
      error: toStatus({
        kind: 'InvalidArgument',
        violations: [
          {
            field: 'orgId',
            description: "must be the caller's own organization, or absent, on identity providers",
          },
        ],
      }),
      isDeprecated: true,
    },
  },
}))

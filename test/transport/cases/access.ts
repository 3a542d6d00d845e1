import type { Call, JsonObject } from '../call.js'
import { applyAccess, planAccess } from '../calls/access.js'
import { getIdentityProvider } from '../calls/identity-providers.js'
import { listProjectGrants, listReceivedProjectGrants } from '../calls/project-grants.js'
import {
  addProjectRole,
  getProjectRole,
  listProjectRoles,
  removeProjectRole,
} from '../calls/project-roles.js'
import { addProject, getProject, removeProject } from '../calls/projects.js'
import { addUserGrant } from '../calls/user-grants.js'
import { IDP_ID } from '../host.js'
import { oidc, signInSettings, stale, TRACE_ID, traceparent } from '../samples.js'

const managed = { managedBy: 'platform', version: '3' }

const desired = {
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      settings: { projectRoleCheck: true, hasProjectCheck: false },
      roles: [
        { roleKey: 'editor', displayName: 'Editor' },
        { roleKey: 'viewer', displayName: 'Viewer', group: 'content' },
      ],
    },
    { id: 'shop', name: 'Shop' },
  ],
  identityProviders: [
    { idpId: 'new', name: 'New', clientSecret: 'hush', ...oidc, signIn: signInSettings },
    {
      idpId: IDP_ID,
      clientId: 'client-2',
      clientSecret: 'other',
      issuer: 'https://idp.example.com',
    },
  ],
  ...managed,
}

const portalWith = (fields: JsonObject) => ({
  projects: [{ id: 'portal', name: 'Portal', ...fields }],
})

const withoutSecret = {
  identityProviders: [{ idpId: 'later', name: 'Later', initialState: 'STATE_INACTIVE', ...oidc }],
}

const portalWithGrant = {
  ...portalWith({
    roles: [{ roleKey: 'a', displayName: 'A' }],
    grants: [{ grantedOrgId: 'globex', roleKeys: ['a'] }],
  }),
  ...managed,
}

/** Desired states, applied and planned. */
export const desiredStates: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'is planned with a warning of a permission that no declared role has',
    addProjectRole('portal', {
      roleKey: 'intern',
      displayName: 'Intern',
      permissions: ['invoice.aprove'],
    }),
    planAccess(
      portalWith({
        roles: [{ roleKey: 'a', displayName: 'A', permissions: ['invoice.approve'] }],
      }),
    ),
  ],
  [
    'is planned, then applied, and then unchanged',
    planAccess(desired),
    getProject('portal'),
    applyAccess(desired, { headers: { traceparent }, context: { correlationId: TRACE_ID } }),
    planAccess(desired),
    applyAccess(desired),
    getProject('portal'),
  ],
  ['declares nothing', planAccess({}), applyAccess({})],
  [
    'protects what it declares, and lifts that',
    applyAccess(portalWithGrant),
    planAccess({ ...portalWithGrant, protect: true }),
    applyAccess({ ...portalWithGrant, protect: true }),
    getProject('portal'),
    listProjectRoles('portal'),
    listProjectGrants('portal'),
    listReceivedProjectGrants({
      headers: { 'x-service-orgid': 'globex' },
      context: { orgId: 'globex' },
    }),
    planAccess({ projects: [{ id: 'shop', name: 'Shop' }], protect: true, ...managed }),
    applyAccess({ projects: [{ id: 'shop', name: 'Shop' }], protect: true, ...managed }),
    getProject('portal'),
  ],
  [
    'prunes the last of its roles',
    applyAccess({ ...portalWith({ roles: [{ roleKey: 'a', displayName: 'A' }] }), ...managed }),
    planAccess({ ...portalWith({}), prune: true, ...managed }),
    applyAccess({
      ...portalWith({ roles: [], updateMask: 'roles' }),
      prune: true,
      ...managed,
    }),
    listProjectRoles('portal'),
  ],
  [
    'shows who loses a role by it',
    applyAccess({ ...portalWith({ roles: [{ roleKey: 'a', displayName: 'A' }] }), ...managed }),
    addUserGrant({ userId: 'carol', projectId: 'portal', roles: [{ roleKey: 'a' }] }),
    planAccess({
      ...portalWith({ roles: [], updateMask: 'roles' }),
      prune: true,
      ...managed,
    }),
  ],
  [
    'declares grants, and then none of them',
    planAccess({
      ...portalWith({
        roles: [{ roleKey: 'a', displayName: 'A' }],
        grants: [{ grantedOrgId: 'globex', roleKeys: ['a'] }],
      }),
      ...managed,
    }),
    applyAccess({
      ...portalWith({
        roles: [{ roleKey: 'a', displayName: 'A' }],
        grants: [{ grantedOrgId: 'globex', roleKeys: ['a'] }],
      }),
      ...managed,
    }),
    applyAccess({ ...portalWith({ grants: [], updateMask: 'grants' }), prune: true, ...managed }),
  ],
  [
    'declares mappings, changes them, and then none of them',
    ...[{ validFor: 24 }, {}].flatMap((validity) => {
      const mappings = [{ idpId: IDP_ID, group: 'staff', roleKeys: ['a'], ...validity }]
      const state = {
        ...portalWith({ roles: [{ roleKey: 'a', displayName: 'A' }], mappings }),
        ...managed,
      }
      return [planAccess(state), applyAccess(state)]
    }),
    applyAccess({
      ...portalWith({ mappings: [], updateMask: 'mappings' }),
      prune: true,
      ...managed,
    }),
  ],
  [
    'gives roles permissions, keeps them where they are absent, and takes them',
    applyAccess(
      portalWith({ roles: [{ roleKey: 'editor', displayName: 'E', permissions: ['b', 'a'] }] }),
    ),
    planAccess(portalWith({ roles: [{ roleKey: 'editor', displayName: 'E' }] })),
    planAccess(
      portalWith({ roles: [{ roleKey: 'editor', displayName: 'E', permissions: ['a'] }] }),
    ),
    applyAccess(
      portalWith({
        roles: [
          { roleKey: 'editor', displayName: 'E', permissions: [], updateMask: 'permissions' },
        ],
      }),
    ),
    getProjectRole(['portal', 'editor']),
  ],
  [
    'leaves what a newer one has marked, and what cannot be added again',
    applyAccess({ ...portalWith({ settings: { projectRoleCheck: true } }), ...managed }),
    applyAccess({ ...portalWith({}), managedBy: 'platform', version: '2' }),
    addProject({ id: 'gone', name: 'Gone' }),
    removeProject('gone'),
    applyAccess({
      projects: [{ id: 'gone', name: 'Gone', roles: [{ roleKey: 'r', displayName: 'R' }] }],
    }),
  ],
  [
    'empties a group and scopes, and keeps what is absent',
    applyAccess({
      ...portalWith({ roles: [{ roleKey: 'editor', displayName: 'Editor', group: '' }] }),
      identityProviders: [
        {
          idpId: IDP_ID,
          clientId: 'client-1',
          issuer: 'https://idp.example.com',
          scopes: [],
          updateMask: 'issuer,scopes',
        },
      ],
    }),
    getProjectRole(['portal', 'editor']),
  ],
  [
    'adds a provider without a secret as inactive',
    planAccess(withoutSecret),
    applyAccess(withoutSecret),
    getIdentityProvider('later'),
    applyAccess(withoutSecret),
  ],
  [
    'is of another organization',
    applyAccess(portalWith({ roles: [{ roleKey: 'a', displayName: 'A' }] }), {
      headers: { 'x-service-orgid': 'globex' },
      context: { orgId: 'globex' },
    }),
  ],
]

/** What is refused of a desired state. */
export const desiredStateRefusals: readonly (readonly [
  name: string,
  httpStatus: number,
  ...calls: Call[],
])[] = [
  ['a desired state without permission', 403, applyAccess(desired, { caller: 'guest' })],
  [
    'a change of what a desired state protects',
    409,
    applyAccess({ ...portalWithGrant, protect: true }),
    applyAccess({ ...portalWithGrant, managedBy: 'others' }),
    removeProjectRole(['portal', 'a']),
  ],
  ['a plan without permission', 403, planAccess(desired, { caller: 'guest' })],
  [
    'a desired state that is malformed',
    400,
    applyAccess({
      projects: [
        { id: 'a+b', name: '', roles: [{ roleKey: 'r', displayName: '' }] },
        {
          id: 'b',
          name: 'B',
          roles: [
            { roleKey: 'r', displayName: 'R' },
            { roleKey: 'r', displayName: 'R' },
          ],
        },
      ],
      identityProviders: [{ idpId: 'n', clientId: '', clientSecret: '' }],
    }),
  ],
  ['a version without its mark', 400, planAccess({ version: '1' })],
  ['a version that is none', 400, applyAccess({ managedBy: 'platform', version: '0' })],
  ['pruning without a mark', 400, applyAccess({ prune: true })],
  [
    'a new provider without a secret',
    400,
    applyAccess({ identityProviders: [{ idpId: 'n', name: 'N', ...oidc }] }),
  ],
  ['a desired state with If-Match', 400, applyAccess({}, stale)],
  [
    'a desired state under an idempotency key',
    400,
    applyAccess({}, { headers: { 'idempotency-key': 'k' }, context: { idempotencyKey: 'k' } }),
  ],
]

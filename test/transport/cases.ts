import type { EventStore, Iam } from 'claviger'
import { err } from 'neverthrow'
import type { Answer, Call } from './call.js'
import * as calls from './calls.js'
import { IDP_ID } from './host.js'

/** Calls one after the other, and the HTTP status of the last. */
export interface Case {
  readonly name: string
  readonly calls: readonly Call[]
  readonly httpStatus: number
  /** Puts something between the library and its store. */
  readonly store?: (store: EventStore) => EventStore
  /** A call that the library throws at, and what is answered instead. */
  readonly throws?: { readonly iam: (iam: Iam) => Iam; readonly answer: Answer }
}

const oidc = {
  issuer: 'https://accounts.example.com',
  clientId: 'client-4711',
  scopes: ['openid', 'profile', 'openid'],
  displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
}

const provider = {
  name: 'Google 🔑',
  stylingType: 'STYLING_TYPE_GOOGLE',
  clientSecret: 'a secret',
  autoRegister: true,
  ...oidc,
}

const settings = {
  name: 'Portal 2',
  projectRoleAssertion: true,
  projectRoleCheck: true,
  hasProjectCheck: true,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
}

const role = { roleKey: 'viewer', displayName: 'Viewer', group: 'content' }

/** Keys are any text: with what URLs, JSON and headers use for themselves. */
const STRANGE_KEY = 'a/b?c=d&e+f %2F"\\ü🔑'

/** Far from what any object has. */
const stale = { headers: { 'if-match': '"1"' }, context: { expectedSequence: 1n } }

/** Of the project that every host has: 2026-02-03T04:05:06Z, in microseconds. */
const FIRST_SEQUENCE = 1770091506000000n

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`

const successes: readonly (readonly [name: string, ...calls: Call[]])[] = [
  ['adds an identity provider', calls.addOidc(provider)],
  [
    'adds an identity provider with an empty issuer and nothing else that may be left out',
    calls.addOidc({ name: 'n', clientId: 'c', clientSecret: 's', issuer: '' }),
  ],
  ['updates an OIDC configuration, keeping the secret', calls.updateOidcConfig(IDP_ID, oidc)],
  [
    'updates an OIDC configuration with a new secret',
    calls.updateOidcConfig(IDP_ID, { ...oidc, clientSecret: 'new' }),
  ],
  [
    'updates an identity provider',
    calls.updateIdentityProvider(IDP_ID, { name: 'Other', stylingType: 'STYLING_TYPE_GOOGLE' }),
  ],
  [
    'deactivates and reactivates an identity provider',
    calls.deactivateIdentityProvider(IDP_ID),
    calls.getIdentityProvider(IDP_ID),
    calls.reactivateIdentityProvider(IDP_ID),
  ],
  ['removes an identity provider', calls.removeIdentityProvider(IDP_ID)],
  ['shows an identity provider', calls.getIdentityProvider(IDP_ID)],
  ['lists identity providers', calls.listIdentityProviders()],
  ['adds a project under an id of its own', calls.addProject({ id: 'shop', ...settings })],
  ['adds a project', calls.addProject({ name: 'Shop' })],
  ['updates a project', calls.updateProject('portal', settings)],
  ['updates a project to defaults', calls.updateProject('portal', { name: 'Portal' })],
  [
    'deactivates and reactivates a project',
    calls.deactivateProject('portal'),
    calls.getProject('portal'),
    calls.reactivateProject('portal'),
  ],
  ['removes a project', calls.removeProject('portal')],
  ['shows a project', calls.getProject('portal')],
  [
    'lists projects page by page',
    calls.addProject({ id: 'another', name: 'Another' }),
    calls.listProjects(1),
  ],
  [
    'lets a user log in',
    calls.checkLogin('portal', { userOrgId: 'acme', userRoleKeys: ['editor'] }),
  ],
  ['adds a role', calls.addProjectRole('portal', role)],
  [
    'adds a role under a key that is strange',
    calls.addProjectRole('portal', { ...role, roleKey: STRANGE_KEY }),
    calls.getProjectRole(['portal', STRANGE_KEY]),
    calls.updateProjectRole(['portal', STRANGE_KEY], { displayName: 'Strange' }),
    calls.removeProjectRole(['portal', STRANGE_KEY]),
  ],
  [
    'adds several roles',
    calls.addProjectRoles('portal', { roles: [role, { roleKey: 'owner', displayName: 'Owner' }] }),
  ],
  ['shows a role', calls.getProjectRole(['portal', 'editor'])],
  ['lists roles', calls.listProjectRoles('portal')],
]

const headers: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'organization header: selects the organization',
    calls.getProject('portal', {
      headers: { 'x-service-orgid': 'globex' },
      context: { orgId: 'globex' },
    }),
  ],
  [
    'organization header: empty is absent',
    calls.updateProject('portal', { name: 'X' }, { headers: { 'x-service-orgid': '' } }),
  ],
  [
    'organization header: has no effect on identity providers',
    calls.updateOidcConfig(IDP_ID, oidc, { headers: { 'x-service-orgid': 'globex' } }),
  ],
  [
    'Idempotency-Key: a repeated write takes effect once',
    calls.addProject(settings, {
      headers: { 'idempotency-key': 'key 1' },
      context: { idempotencyKey: 'key 1' },
    }),
    calls.addProject(settings, {
      headers: { 'idempotency-key': 'key 1' },
      context: { idempotencyKey: 'key 1' },
    }),
  ],
  [
    'If-Match: holds',
    calls.updateProject('portal', settings, {
      headers: { 'if-match': `"${FIRST_SEQUENCE}"` },
      context: { expectedSequence: FIRST_SEQUENCE },
    }),
  ],
  ['If-Match: any', calls.updateProject('portal', settings, { headers: { 'if-match': '*' } })],
  [
    'traceparent: its trace id is kept',
    calls.addProject(settings, { headers: { traceparent }, context: { correlationId: TRACE_ID } }),
  ],
  [
    'traceparent: malformed is ignored',
    calls.addProject(settings, { headers: { traceparent: '00-xyz' } }),
  ],
]

const errors: readonly (readonly [name: string, httpStatus: number, ...calls: Call[]])[] = [
  ['nobody calls', 401, calls.updateProject('portal', settings, { caller: '' })],
  [
    'the caller lacks the permission',
    403,
    calls.updateProject('portal', settings, { caller: 'guest' }),
  ],
  [
    'the caller lacks the permission in the selected organization',
    403,
    calls.getProject('portal', {
      headers: { 'x-service-orgid': 'initech' },
      context: { orgId: 'initech' },
    }),
  ],
  [
    'the organization header is malformed',
    400,
    calls.getProject('portal', {
      headers: { 'x-service-orgid': 'no+org' },
      context: { orgId: 'no+org' },
    }),
  ],
  [
    'fields are malformed',
    400,
    calls.addOidc({ ...provider, name: '', clientId: 'x'.repeat(201) }),
  ],
  [
    'a field that must be present is absent',
    400,
    calls.addOidc({ name: 'n', clientId: 'c', clientSecret: 's' }),
  ],
  [
    'one of several roles is malformed',
    400,
    calls.addProjectRoles('portal', { roles: [role, { roleKey: '', displayName: 'Owner' }, role] }),
  ],
  ['an id is malformed', 400, calls.getProject('a/b')],
  ['an identity provider is not there', 404, calls.updateOidcConfig('nowhere', oidc)],
  ['a project is not there', 404, calls.updateProject('nowhere', settings)],
  ['the project of a role is not there', 404, calls.addProjectRole('nowhere', role)],
  ['a role is not there', 404, calls.getProjectRole(['portal', STRANGE_KEY])],
  [
    'the key of a role is taken',
    409,
    calls.addProjectRole('portal', { roleKey: 'editor', displayName: 'E' }),
  ],
  ['the id of a project is taken', 409, calls.addProject({ id: 'portal', name: 'P' })],
  ['the object has changed meanwhile', 409, calls.updateOidcConfig(IDP_ID, oidc, stale)],
  ['If-Match makes no sense', 400, calls.addProject({ name: 'P' }, stale)],
  [
    'the idempotency key is of another command',
    409,
    calls.addProject(settings, {
      headers: { 'idempotency-key': 'k' },
      context: { idempotencyKey: 'k' },
    }),
    calls.updateProject('portal', settings, {
      headers: { 'idempotency-key': 'k' },
      context: { idempotencyKey: 'k' },
    }),
  ],
  [
    'a user may not log in',
    409,
    calls.updateProject('portal', settings),
    calls.checkLogin('portal', { userOrgId: 'initech', userRoleKeys: ['editor'] }),
  ],
]

const faults: readonly Case[] = [
  {
    name: 'others keep changing the object',
    calls: [calls.addProject(settings)],
    httpStatus: 409,
    store: (store) => ({
      ...store,
      append: async ({ writes }) =>
        err({ kind: 'VersionConflict', stream: writes[0]?.stream ?? 'project-' }),
    }),
  },
  {
    name: 'the store is out of order',
    calls: [calls.updateProject('portal', settings)],
    httpStatus: 503,
    store: (store) => ({
      ...store,
      readStream: async () => {
        throw new Error('SELECT secret FROM tables: connection lost')
      },
    }),
  },
  {
    name: 'the library is at fault',
    calls: [calls.updateProject('portal', settings, { headers: { traceparent } })],
    httpStatus: 500,
    throws: {
      iam: (iam) => ({
        ...iam,
        projects: {
          ...iam.projects,
          update: () => {
            throw new Error('SELECT secret FROM tables: column not found')
          },
        },
      }),
      answer: {
        error: {
          code: 13,
          message: 'An unexpected error. Tell the operator its correlation id',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'UNEXPECTED',
              domain: 'claviger',
              metadata: { correlationId: TRACE_ID },
            },
          ],
        },
        isDeprecated: false,
      },
    },
  },
]

/** Everything that each client goes through. */
export const cases: readonly Case[] = [
  ...successes.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...headers.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...errors.map(([name, httpStatus, ...made]) => ({
    name: `Refused: ${name}`,
    calls: made,
    httpStatus,
  })),
  ...faults,
]

import type { Call } from '../call.js'
import { updateOidcConfig } from '../calls/identity-providers.js'
import { addProjectRole, updateProjectRole } from '../calls/project-roles.js'
import {
  addProject,
  getProject,
  patchProject,
  removeProject,
  updateProject,
} from '../calls/projects.js'
import { IDP_ID } from '../host.js'
import { FIRST_SEQUENCE, oidc, role, settings, TRACE_ID, traceparent } from '../samples.js'

const keyed = { headers: { 'idempotency-key': 'key 2' }, context: { idempotencyKey: 'key 2' } }

/** Every header, and what it does. */
export const headers: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'organization header: selects the organization',
    getProject('portal', {
      headers: { 'x-service-orgid': 'globex' },
      context: { orgId: 'globex' },
    }),
  ],
  [
    'organization header: selects the organization of a role',
    addProjectRole('portal', role, {
      headers: { 'x-service-orgid': 'globex' },
      context: { orgId: 'globex' },
    }),
  ],
  [
    'organization header: empty is absent',
    updateProject('portal', { name: 'X' }, { headers: { 'x-service-orgid': '' } }),
  ],
  [
    'organization header: may name the own organization, on identity providers',
    updateOidcConfig(IDP_ID, oidc, { headers: { 'x-service-orgid': 'acme' } }),
  ],
  [
    'organization header: empty is absent, on identity providers',
    updateOidcConfig(IDP_ID, oidc, { headers: { 'x-service-orgid': '' } }),
  ],
  [
    'Idempotency-Key: a repeated write takes effect once',
    addProject(settings, {
      headers: { 'idempotency-key': 'key 1' },
      context: { idempotencyKey: 'key 1' },
    }),
    addProject(settings, {
      headers: { 'idempotency-key': 'key 1' },
      context: { idempotencyKey: 'key 1' },
    }),
  ],
  [
    'Idempotency-Key: a repeated patch takes effect once',
    patchProject('portal', { name: 'Once' }, keyed),
    updateProject('portal', settings),
    patchProject('portal', { name: 'Once' }, keyed),
    getProject('portal'),
  ],
  [
    'If-Match: holds',
    updateProject('portal', settings, {
      headers: { 'if-match': `"${FIRST_SEQUENCE}"` },
      context: { expectedSequence: FIRST_SEQUENCE },
    }),
  ],
  [
    'If-Match: holds for a project that is removed',
    removeProject('portal', {
      headers: { 'if-match': `"${FIRST_SEQUENCE}"` },
      context: { expectedSequence: FIRST_SEQUENCE },
    }),
  ],
  ['If-Match: any', updateProject('portal', settings, { headers: { 'if-match': '*' } })],
  [
    'traceparent: its trace id is kept',
    addProject(settings, { headers: { traceparent }, context: { correlationId: TRACE_ID } }),
  ],
  [
    'traceparent: its trace id is kept of what is changed and removed, too',
    updateProjectRole(
      ['portal', 'editor'],
      { displayName: 'Chief' },
      { headers: { traceparent }, context: { correlationId: TRACE_ID } },
    ),
    removeProject('portal', { headers: { traceparent }, context: { correlationId: TRACE_ID } }),
  ],
  [
    'traceparent: malformed is ignored',
    addProject(settings, { headers: { traceparent: '00-xyz' } }),
  ],
]

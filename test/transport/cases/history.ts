import type { Call } from '../call.js'
import { getState, listHistory, listHistoryOf } from '../calls/history.js'
import { configureSignIn, patchIdentityProvider } from '../calls/identity-providers.js'
import { addProjectRole, removeProjectRole, updateProjectRole } from '../calls/project-roles.js'
import { deactivateProject, getProject, removeProject, updateProject } from '../calls/projects.js'
import { IDP_ID } from '../host.js'
import {
  FIRST_SEQUENCE,
  role,
  STRANGE_KEY,
  settings,
  signInSettings,
  TRACE_ID,
  traceparent,
} from '../samples.js'

const LATER = '2026-02-03T04:05:07.001Z'

/** What every operation of history answers. */
export const histories: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'lists the history of an organization, of every kind of value',
    updateProject('portal', settings, {
      headers: { traceparent },
      context: { correlationId: TRACE_ID },
    }),
    deactivateProject('portal'),
    patchIdentityProvider(IDP_ID, { scopes: ['openid'], clientSecret: 'another secret' }),
    configureSignIn(IDP_ID, signInSettings),
    configureSignIn(IDP_ID, { admit: signInSettings.admit }),
    removeProject('portal'),
    listHistory(),
  ],
  [
    'lists the newest history first, page by page',
    updateProject('portal', settings),
    listHistory({
      request: { order: 'desc', pageSize: 2 },
      query: 'order=desc&page_size=2',
      input: { order: 'desc', limit: 2 },
    }),
    listHistory({
      request: { order: 'desc', pageSize: 2, before: String(FIRST_SEQUENCE + 1n) },
      query: `order=desc&pageSize=2&before=${FIRST_SEQUENCE + 1n}`,
      input: { order: 'desc', limit: 2, before: FIRST_SEQUENCE + 1n },
    }),
    listHistory({
      request: { pageSize: 1, after: String(FIRST_SEQUENCE) },
      query: `pageSize=1&after=${FIRST_SEQUENCE}`,
      input: { limit: 1, after: FIRST_SEQUENCE },
    }),
  ],
  [
    'lists the history of one type, actor and time',
    updateProject('portal', settings),
    listHistory({
      request: {
        actor: 'alice',
        types: ['project.added', 'project.updated'],
        time: { from: '2026-02-03T05:05:06.000+01:00', to: LATER },
      },
      query: `actor=alice&types=project.added&types=project.updated&time.from=2026-02-03T05:05:06%2B01:00&time.to=${LATER}`,
      input: {
        actor: 'alice',
        types: ['project.added', 'project.updated'],
        time: { from: new Date('2026-02-03T04:05:06Z'), to: new Date(LATER) },
      },
    }),
  ],
  [
    'lists the history of a project with all in it',
    addProjectRole('portal', { ...role, roleKey: STRANGE_KEY }),
    listHistory({
      request: { projectId: 'portal', projectOrgId: 'acme' },
      query: 'project_id=portal&projectOrgId=acme',
      input: { projectId: 'portal', projectOrgId: 'acme' },
    }),
    listHistory({
      request: { projectId: 'portal', roleKey: 'editor', permission: 'invoice.read' },
      query: 'project_id=portal&roleKey=editor&permission=invoice.read',
      input: { projectId: 'portal', roleKey: 'editor', permission: 'invoice.read' },
    }),
  ],
  [
    'lists the history of a project with its roles',
    addProjectRole('portal', { ...role, roleKey: STRANGE_KEY }),
    removeProject('portal'),
    listHistoryOf(['project', 'portal']),
    listHistoryOf(['project', 'portal'], {
      request: { including: 'roles' },
      query: 'including=roles',
      input: { including: 'roles' },
    }),
    listHistoryOf(['project_role', 'portal', STRANGE_KEY]),
  ],
  ['lists the history of an identity provider', listHistoryOf(['identity_provider', IDP_ID])],
  [
    'shows objects as they were',
    updateProject('portal', settings),
    getState(['project', 'portal'], { sequence: FIRST_SEQUENCE }),
    getState(['project', 'portal'], { time: '2026-02-03T04:05:06.000Z' }),
    updateProjectRole(['portal', 'editor'], { displayName: 'Chief' }),
    removeProjectRole(['portal', 'editor']),
    getState(['project_role', 'portal', 'editor'], { time: LATER }),
    getState(['identity_provider', IDP_ID], { time: '2026-02-04T00:00:00.000Z' }),
    getProject('portal'),
  ],
  [
    'lists the history of another organization',
    listHistory({}, { headers: { 'x-service-orgid': 'globex' }, context: { orgId: 'globex' } }),
  ],
]

const HISTORY_REFUSED = { caller: 'guest' }

/** What the operations of history refuse. */
export const historyRefusals: readonly (readonly [
  name: string,
  httpStatus: number,
  ...calls: Call[],
])[] = [
  ['history without permission', 403, listHistory({}, HISTORY_REFUSED)],
  [
    'history of a project without permission',
    403,
    listHistoryOf(['project', 'portal'], {}, HISTORY_REFUSED),
  ],
  [
    'a past state without permission',
    403,
    getState(['project', 'portal'], { sequence: 1n }, HISTORY_REFUSED),
  ],
  [
    'history in an order that there is not',
    400,
    listHistory({
      request: { order: 'newest', types: ['project.painted'], actor: 'x'.repeat(201) },
      query: `order=newest&types=project.painted&actor=${'x'.repeat(201)}`,
      input: { order: 'newest', types: ['project.painted'], actor: 'x'.repeat(201) } as never,
    }),
  ],
  ['an object that did not exist yet', 404, getState(['project', 'portal'], { sequence: 1n })],
  [
    'an object before the log began',
    404,
    getState(['project', 'portal'], { time: '0001-01-01T00:00:00.000Z' }),
  ],
  [
    'a role that ended with its project',
    404,
    removeProject('portal'),
    getState(['project_role', 'portal', 'editor'], { time: '9999-12-31T23:59:59.999Z' }),
  ],
]

import type { Call, Details } from '../call.js'
import {
  checkAccess,
  explainAccess,
  listAllRoleHolders,
  listPastRolesOfUser,
  listPermissions,
  listRoleHolders,
  listRolesOfUser,
  listScopesOfUser,
  listUsers,
} from '../calls/access.js'
import { getState, listHistory, listHistoryOf } from '../calls/history.js'
import {
  addProjectGrant,
  deactivateProjectGrant,
  getProjectGrant,
  getReceivedProjectGrant,
  listProjectGrants,
  listReceivedProjectGrants,
  reactivateProjectGrant,
  removeProjectGrant,
  updateProjectGrant,
} from '../calls/project-grants.js'
import { addProjectRole, patchProjectRole, removeProjectRole } from '../calls/project-roles.js'
import { checkLogin, listRoleClaims, removeProject, updateProject } from '../calls/projects.js'
import {
  addUserGrant,
  addUserGrantRoles,
  deactivateUserGrant,
  getUserGrant,
  giveUserGrant,
  listUserGrants,
  reactivateUserGrant,
  removeAllGrantsOfResource,
  removeAllUserGrants,
  removeUserGrant,
  removeUserGrantRoles,
  updateUserGrant,
} from '../calls/user-grants.js'
import { validating } from '../calls/validating.js'
import { role, STRANGE_KEY, settings, stale } from '../samples.js'

const LATER = '2099-12-31T23:59:59.500Z'

/** When everything is recorded. */
const NOW = '2026-02-03T04:05:06.000Z'

const inGlobex: Details = {
  headers: { 'x-service-orgid': 'globex' },
  context: { orgId: 'globex' },
}

const keyed: Details = {
  headers: { 'idempotency-key': 'k' },
  context: { idempotencyKey: 'k' },
}

const GLOBEX = ['portal', 'globex'] as const

const editor = { roleKey: 'editor' }
const viewer = { roleKey: 'viewer', expiresAt: LATER }

const addViewer = addProjectRole('portal', role)
const grantToGlobex = addProjectGrant('portal', {
  grantedOrgId: 'globex',
  roleKeys: ['editor', 'viewer'],
})
const grantToCarol = addUserGrant({ userId: 'carol', projectId: 'portal', roles: [editor, viewer] })
const CAROL = ['carol', 'portal'] as const

const grantToDave = addUserGrant(
  { userId: 'dave', projectId: 'portal', projectOrgId: 'acme', roles: [viewer, editor] },
  inGlobex,
)
const DAVE = ['dave', 'portal', 'acme'] as const

/** A resource whose name needs every encoding. */
const RESOURCE = 'workspace/42 & +100%😀'
const ERIN = ['erin', 'portal', undefined, RESOURCE] as const
const onResource = { projectId: 'portal', resource: RESOURCE }
const grantToErin = addUserGrant({ ...onResource, userId: 'erin', roles: [editor] })

/** What every operation on grants answers. */
export const grants: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'gives a user roles on a resource, shows where they count and removes all on it',
    addViewer,
    grantToErin,
    giveUserGrant(ERIN, { roles: [viewer] }),
    getUserGrant(ERIN),
    getUserGrant(['erin', 'portal']),
    checkAccess({ ...onResource, userId: 'erin', roleKey: 'editor' }),
    checkAccess({ userId: 'erin', projectId: 'portal', roleKey: 'editor' }),
    explainAccess({ ...onResource, userId: 'erin', roleKey: 'editor' }),
    listRolesOfUser('erin', 10),
    listRoleHolders('portal', { roleKey: 'viewer' }),
    listRoleHolders('portal', { resource: RESOURCE }),
    listUsers(onResource),
    deactivateUserGrant(ERIN),
    reactivateUserGrant(ERIN),
    removeUserGrantRoles(ERIN, { roleKeys: ['viewer'] }),
    listUserGrants('edit'),
    removeAllGrantsOfResource('portal', 'another'),
    removeAllGrantsOfResource('portal', RESOURCE),
    removeAllGrantsOfResource('portal', ''),
    getUserGrant(ERIN),
    listUserGrants('edit'),
  ],
  [
    'grants a project to an organization, changes the grant and removes it',
    addViewer,
    grantToGlobex,
    getProjectGrant(GLOBEX),
    updateProjectGrant(GLOBEX, { roleKeys: ['editor'] }),
    listProjectGrants('portal'),
    deactivateProjectGrant(GLOBEX),
    getProjectGrant(GLOBEX),
    reactivateProjectGrant(GLOBEX),
    listReceivedProjectGrants(inGlobex),
    getReceivedProjectGrant(['portal', 'acme'], inGlobex),
    removeProjectGrant(GLOBEX),
    listReceivedProjectGrants(inGlobex),
  ],
  [
    'gives a user roles, changes them and takes them',
    addViewer,
    grantToCarol,
    getUserGrant(CAROL),
    updateUserGrant(CAROL, { roles: [{ ...editor, expiresAt: LATER }] }),
    giveUserGrant(CAROL, { roles: [viewer] }),
    addUserGrantRoles(CAROL, { roles: [viewer] }),
    removeUserGrantRoles(CAROL, { roleKeys: ['editor'] }),
    getUserGrant(CAROL),
    deactivateUserGrant(CAROL),
    listUserGrants('view'),
    reactivateUserGrant(CAROL),
    removeUserGrant(CAROL),
    listUserGrants('view'),
  ],
  [
    'gives roles to a user whose id is strange',
    addUserGrant({ userId: STRANGE_KEY, projectId: 'portal', roles: [editor] }),
    updateUserGrant([STRANGE_KEY, 'portal'], { roles: [{ ...editor, expiresAt: LATER }] }),
    getUserGrant([STRANGE_KEY, 'portal', 'acme']),
    listRolesOfUser(STRANGE_KEY, 10),
    removeUserGrant([STRANGE_KEY, 'portal']),
  ],
  [
    'gives roles to a user whose id is two dots',
    addUserGrant({ userId: '..', projectId: 'portal', roles: [editor] }),
    deactivateUserGrant(['..', 'portal']),
    getUserGrant(['..', 'portal']),
  ],
  [
    'takes all roles of a user',
    addViewer,
    grantToCarol,
    grantToGlobex,
    removeAllUserGrants('carol'),
    removeAllUserGrants('carol'),
    grantToDave,
    removeAllUserGrants('dave', inGlobex),
    listUserGrants('', inGlobex),
  ],
  [
    'shows roles of another organization, and no longer after they have ended',
    addViewer,
    grantToGlobex,
    grantToDave,
    getUserGrant(DAVE, inGlobex),
    removeProjectRole(['portal', 'viewer']),
    getUserGrant(DAVE, inGlobex),
    getProjectGrant(GLOBEX),
    updateProjectGrant(GLOBEX, { roleKeys: ['editor'] }),
    removeProjectGrant(GLOBEX),
    getUserGrant(DAVE, inGlobex),
  ],
  [
    'brings no role back that is added again, nor one of a grant that is widened or added again',
    addViewer,
    grantToGlobex,
    grantToCarol,
    grantToDave,
    removeProjectRole(['portal', 'viewer']),
    addViewer,
    updateProjectGrant(GLOBEX, { roleKeys: ['viewer'] }),
    updateProjectGrant(GLOBEX, { roleKeys: ['viewer', 'editor'] }),
    checkAccess({ userId: 'carol', projectId: 'portal', roleKey: 'viewer' }),
    checkAccess(
      { userId: 'dave', projectId: 'portal', projectOrgId: 'acme', roleKey: 'editor' },
      inGlobex,
    ),
    listRolesOfUser('dave', 100, inGlobex),
    listRoleHolders('portal', {}),
    updateUserGrant(DAVE, { roles: [editor] }, inGlobex),
    removeProjectGrant(GLOBEX),
    grantToGlobex,
    getUserGrant(DAVE, inGlobex),
    listRoleHolders('portal', {}),
    removeProject('portal'),
    getUserGrant(DAVE, inGlobex),
    listUserGrants('', inGlobex),
    checkAccess({ userId: 'carol', projectId: 'portal', roleKey: 'editor' }),
  ],
  [
    'checks access',
    addViewer,
    grantToCarol,
    checkAccess({ userId: 'carol', projectId: 'portal', roleKey: 'editor' }),
    checkAccess({ userId: 'carol', projectId: 'portal', roleKey: 'owner' }),
    checkAccess({ userId: 'erin', projectId: 'portal' }),
    updateProject('portal', settings),
    checkAccess({ userId: 'carol', projectId: 'portal', projectOrgId: 'acme' }),
    checkAccess({ userId: 'erin', projectId: 'portal' }),
    deactivateUserGrant(CAROL),
    checkAccess({ userId: 'carol', projectId: 'portal' }),
    checkAccess({ userId: 'carol', projectId: 'nowhere' }),
    checkAccess({ userId: 'dave', projectId: 'portal', projectOrgId: 'acme' }, inGlobex),
  ],
  [
    'checks permissions of roles, and lists who has them',
    addViewer,
    grantToCarol,
    patchProjectRole(['portal', 'editor'], { permissions: ['article.edit', 'article.Read'] }),
    checkAccess({ userId: 'carol', projectId: 'portal', permission: 'article.edit' }),
    checkAccess({ userId: 'carol', projectId: 'portal', permission: 'article.delete' }),
    listRolesOfUser('carol', 100),
    listRoleHolders('portal', { permission: 'article.edit' }),
    listRoleHolders('portal', { permission: 'article.edit', at: '2026-01-01T00:00:00.000Z' }),
  ],
  [
    'lists the roles of a user, and who has a role, today and before',
    addViewer,
    grantToGlobex,
    grantToCarol,
    grantToDave,
    listRolesOfUser('carol', 100),
    listRolesOfUser('carol', 1),
    listRolesOfUser('dave', 100, inGlobex),
    listRoleHolders('portal', {}),
    removeUserGrant(CAROL),
    listRoleHolders('portal', { roleKey: 'viewer' }),
    listRoleHolders('portal', { roleKey: 'viewer', at: NOW }),
    listRoleHolders('portal', { at: '2026-01-01T00:00:00.000Z' }),
  ],
  [
    'asks about one user, about all projects, and about the past',
    addViewer,
    grantToGlobex,
    grantToCarol,
    grantToDave,
    listRoleHolders('portal', { userId: 'carol' }),
    listAllRoleHolders({}),
    listRoleHolders('portal', { projectOrgId: 'acme' }, inGlobex),
    listAllRoleHolders({ projectOrgId: 'acme', roleKey: 'editor' }, inGlobex),
    listScopesOfUser({ userId: 'carol', roleKey: 'editor' }),
    listScopesOfUser({ userId: 'carol', permission: 'article.edit', projectId: 'portal', at: NOW }),
    listScopesOfUser({ userId: 'dave', roleKey: 'editor', pageSize: 1 }, inGlobex),
    listUsers({}),
    listUsers({}, inGlobex),
    listUsers({ userIds: ['carol', 'erin'], projectId: 'portal', roleKey: 'viewer' }),
    listUsers({ projectOrgId: 'acme', permission: 'article.edit', pageSize: 1 }, inGlobex),
    listAllRoleHolders({ userId: 'dave', roleKey: 'editor' }),
    removeUserGrant(CAROL),
    listAllRoleHolders({ at: NOW }),
    checkAccess({ userId: 'carol', projectId: 'portal', roleKey: 'editor', at: NOW }),
    checkAccess({ userId: 'carol', projectId: 'portal', at: '2026-01-01T00:00:00.000Z' }),
    listUsers({ at: NOW }),
    listUsers({ at: '2026-01-01T00:00:00.000Z' }),
    listPastRolesOfUser('carol', NOW),
    listPastRolesOfUser('carol', '2026-01-01T00:00:00.000Z'),
  ],
  [
    'explains an access, with less of what another organization did',
    addViewer,
    grantToGlobex,
    grantToCarol,
    grantToDave,
    explainAccess({ userId: 'carol', projectId: 'portal', roleKey: 'editor' }),
    explainAccess({ userId: 'erin', projectId: 'portal', roleKey: 'editor' }),
    explainAccess(
      { userId: 'dave', projectId: 'portal', projectOrgId: 'acme', roleKey: 'editor' },
      inGlobex,
    ),
    removeProjectRole(['portal', 'editor']),
    explainAccess({ userId: 'carol', projectId: 'portal', roleKey: 'editor' }),
    explainAccess({ userId: 'carol', projectId: 'portal', roleKey: 'editor', at: NOW }),
    listHistory({ request: { user: 'carol' }, query: 'user=carol', input: { user: 'carol' } }),
  ],
  [
    'lists the permissions of the caller',
    listPermissions(),
    listPermissions(inGlobex),
    listPermissions({ caller: 'guest' }),
  ],
  [
    'lets a user log in by the grants, and lists the roles for the user info',
    addViewer,
    updateProject('portal', settings),
    grantToGlobex,
    grantToDave,
    checkLogin('portal', { userId: 'dave', userOrgId: 'globex' }),
    listRoleClaims('portal', { userId: 'dave', userOrgId: 'globex' }),
    listRoleClaims('portal', { userId: STRANGE_KEY, userOrgId: 'acme' }),
  ],
  [
    'lists the history of grants, and shows them as they were',
    addViewer,
    grantToGlobex,
    grantToDave,
    updateUserGrant(DAVE, { roles: [{ ...editor, expiresAt: LATER }] }, inGlobex),
    updateProjectGrant(GLOBEX, { roleKeys: ['editor'] }),
    deactivateProjectGrant(GLOBEX),
    listHistory(),
    listHistory({}, inGlobex),
    listHistoryOf(['project_grant', ...GLOBEX], {
      request: { order: 'desc' },
      query: 'order=desc',
      input: { order: 'desc' },
    }),
    listHistoryOf(['user_grant', ...DAVE], {}, inGlobex),
    getState(['project_grant', ...GLOBEX], { time: NOW }),
    getState(['user_grant', ...DAVE], { time: NOW }, inGlobex),
  ],
  [
    'tells what would change of grants',
    addViewer,
    validating((details) =>
      addProjectGrant('portal', { grantedOrgId: 'globex', roleKeys: ['editor'] }, details),
    ),
    validating((details) =>
      addUserGrant({ userId: 'carol', projectId: 'portal', roles: [editor, viewer] }, details),
    ),
    grantToGlobex,
    grantToCarol,
    validating((details) => updateProjectGrant(GLOBEX, { roleKeys: ['viewer'] }, details)),
    validating((details) => deactivateProjectGrant(GLOBEX, details)),
    validating((details) => reactivateProjectGrant(GLOBEX, details)),
    validating((details) => removeProjectGrant(GLOBEX, details)),
    validating((details) => updateUserGrant(CAROL, { roles: [editor] }, details)),
    validating((details) => addUserGrantRoles(CAROL, { roles: [{ roleKey: 'viewer' }] }, details)),
    validating((details) => removeUserGrantRoles(CAROL, { roleKeys: ['viewer'] }, details)),
    validating((details) => deactivateUserGrant(CAROL, details)),
    validating((details) => reactivateUserGrant(CAROL, details)),
    validating((details) => removeUserGrant(CAROL, details)),
    validating((details) => removeProjectRole(['portal', 'viewer'], details)),
    validating((details) => removeProject('portal', details)),
  ],
  [
    'records a change of a grant once under an idempotency key',
    addViewer,
    grantToCarol,
    ...[1, 2].map(() => removeUserGrantRoles(CAROL, { roleKeys: ['viewer'] }, keyed)),
  ],
]

/** What the operations on grants refuse. */
export const grantRefusals: readonly (readonly [
  name: string,
  httpStatus: number,
  ...calls: Call[],
])[] = [
  [
    'a grant without permission',
    403,
    addProjectGrant(
      'portal',
      { grantedOrgId: 'globex', roleKeys: ['editor'] },
      { caller: 'guest' },
    ),
  ],
  [
    'a check of access without permission',
    403,
    checkAccess({ userId: 'carol', projectId: 'portal' }, { caller: 'guest' }),
  ],
  [
    'a grant to the owner itself',
    400,
    addProjectGrant('portal', { grantedOrgId: 'acme', roleKeys: ['editor'] }),
  ],
  ['a grant without roles', 400, addUserGrant({ userId: 'carol', projectId: 'portal', roles: [] })],
  [
    'a grant with a role twice, to a user without a name',
    400,
    addUserGrant({ userId: '', projectId: 'portal', roles: [editor, editor] }),
  ],
  [
    'a role that has expired already',
    400,
    addUserGrant({
      userId: 'carol',
      projectId: 'portal',
      roles: [{ ...editor, expiresAt: '2026-02-03T04:05:05.999Z' }],
    }),
  ],
  ['a grant to a user whose id is too long', 400, getUserGrant(['x'.repeat(201), 'portal'])],
  ['an organization that owns the project and has no name', 400, getUserGrant(['u', 'portal', ''])],
  [
    'a role that is not there',
    404,
    addUserGrant({ userId: 'carol', projectId: 'portal', roles: [{ roleKey: 'owner' }] }),
  ],
  [
    'a project of another organization without a grant',
    404,
    addUserGrant(
      { userId: 'dave', projectId: 'portal', projectOrgId: 'acme', roles: [editor] },
      inGlobex,
    ),
  ],
  ['a grant that is not there', 404, getProjectGrant(GLOBEX)],
  ['a second grant', 409, addViewer, grantToCarol, grantToCarol],
  [
    'a grant that has changed meanwhile',
    409,
    addViewer,
    grantToCarol,
    addUserGrantRoles(CAROL, { roles: [editor] }, stale),
  ],
  ['taking all roles with If-Match', 400, removeAllUserGrants('carol', stale)],
  ['taking all roles under an idempotency key', 400, removeAllUserGrants('carol', keyed)],
  ['the permissions of nobody', 401, listPermissions({ caller: '' })],
  [
    'a check of a role and a permission',
    400,
    checkAccess({ userId: 'carol', projectId: 'portal', roleKey: 'a', permission: 'b' }),
  ],
  [
    'a check in the future',
    400,
    checkAccess({ userId: 'carol', projectId: 'portal', at: '2026-02-03T04:05:06.001Z' }),
  ],
  [
    'an explanation without a role',
    400,
    explainAccess({ userId: 'carol', projectId: 'portal', roleKey: '' }),
  ],
  ['roles in the future', 400, listPastRolesOfUser('carol', '2026-02-03T04:05:06.001Z')],
  ['users in the future', 400, listUsers({ at: '2026-02-03T04:05:06.001Z' })],
  ['scopes of nothing', 400, listScopesOfUser({ userId: 'carol' })],
  ['scopes of both', 400, listScopesOfUser({ userId: 'carol', roleKey: 'a', permission: 'a' })],
  ['users of no name', 400, listUsers({ userIds: [''], projectId: '-', roleKey: '' })],
  ['holders in the future', 400, listRoleHolders('portal', { at: '2026-02-03T04:05:06.001Z' })],
  [
    'a login with a user and with lists',
    400,
    checkLogin('portal', { userId: 'carol', userOrgId: 'acme', userRoleKeys: ['editor'] }),
  ],
  [
    'a login without a role that counts',
    409,
    updateProject('portal', settings),
    checkLogin('portal', { userId: 'carol', userOrgId: 'acme' }),
  ],
]

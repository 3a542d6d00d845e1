import type { Call, Details } from '../call.js'
import {
  checkAccess,
  explainAccess,
  listRoleHolders,
  listRolesOfUser,
  listUsers,
} from '../calls/access.js'
import { getState, listHistory, listHistoryOf } from '../calls/history.js'
import { addProjectRole } from '../calls/project-roles.js'
import {
  addRoleMapping,
  addRoleMappingRoles,
  getMembership,
  getRoleMapping,
  listMemberships,
  listRoleMappings,
  removeMembership,
  removeRoleMapping,
  removeRoleMappingRoles,
  reportMembership,
  updateRoleMapping,
} from '../calls/role-mappings.js'
import { removeAllGrantsOfResource, removeAllUserGrants } from '../calls/user-grants.js'
import { validating } from '../calls/validating.js'
import { IDP_ID } from '../host.js'
import { role, stale } from '../samples.js'

const NOW = '2026-02-03T04:05:06.000Z'

const guest: Details = { caller: 'guest' }

/** A group whose name needs every encoding. */
const GROUP = 'Finance & IT/+ 100%😀'

const ids = [IDP_ID, GROUP, 'portal'] as const
const [idpId, group, projectId] = ids
const mapping = { idpId, group, projectId }
const viewer = { roleKeys: ['viewer'] }
const bob = [IDP_ID, 'bob+1'] as const

const addViewer = addProjectRole('portal', role)
const addMapping = addRoleMapping({ ...mapping, ...viewer })
const report = reportMembership(bob, { groups: [GROUP, 'unmapped'] })

/** What every operation on mappings and memberships answers. */
export const roleMappings: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'maps a group to roles on a resource',
    addViewer,
    addRoleMapping({ ...mapping, ...viewer, resource: 'workspace:42' }),
    report,
    listRoleMappings('F'),
    getRoleMapping(ids),
    listRolesOfUser('bob+1', 10),
    checkAccess({ userId: 'bob+1', projectId, resource: 'workspace:42', roleKey: 'viewer' }),
    removeAllGrantsOfResource('portal', 'workspace:42'),
  ],
  [
    'maps a group to roles, and shows who has them',
    addViewer,
    addMapping,
    report,
    getRoleMapping(ids),
    getMembership(bob),
    checkAccess({ userId: 'bob+1', projectId: 'portal', roleKey: 'viewer' }),
    explainAccess({ userId: 'bob+1', projectId: 'portal', roleKey: 'viewer' }),
    listRolesOfUser('bob+1', 10),
    listRoleHolders('portal', {}),
  ],
  [
    'changes a mapping and lists mappings',
    addViewer,
    addProjectRole('portal', { ...role, roleKey: 'editor' }),
    addRoleMapping({ ...mapping, ...viewer, validFor: 24 }),
    addRoleMapping({ ...mapping, group: 'Finance', ...viewer }),
    addRoleMappingRoles(ids, { roleKeys: ['editor'] }),
    updateRoleMapping(ids, { roleKeys: ['editor', 'viewer'], validFor: 8760 }),
    getRoleMapping(ids),
    removeRoleMappingRoles(ids, viewer),
    listRoleMappings('Fin'),
    removeRoleMapping(ids),
    listRoleMappings(''),
  ],
  [
    'replaces and ends what a provider said',
    addViewer,
    addMapping,
    report,
    listUsers({ userIds: ['bob'] }),
    report,
    listMemberships('bob+1'),
    reportMembership(bob, { groups: [] }),
    getMembership(bob),
    removeMembership(bob),
    listMemberships('bob+1'),
    report,
    removeAllUserGrants('bob+1'),
    listMemberships('bob+1'),
  ],
  [
    'lists the history of mappings and memberships, and shows them as they were',
    addViewer,
    addMapping,
    report,
    removeMembership(bob),
    listHistory(),
    listHistoryOf(['role_mapping', ...ids, 'acme']),
    listHistoryOf(['membership', ...bob]),
    getState(['role_mapping', ...ids, 'acme'], { time: NOW }),
  ],
  [
    'tells what would change of mappings and memberships',
    addViewer,
    validating((details) => addRoleMapping({ ...mapping, ...viewer }, details)),
    addMapping,
    validating((details) => reportMembership(bob, { groups: [GROUP] }, details)),
    report,
    validating((details) => removeRoleMapping(ids, details)),
  ],
]

/** What operations on mappings and memberships refuse. */
export const roleMappingRefusals: readonly (readonly [
  name: string,
  status: number,
  ...calls: Call[],
])[] = [
  ['a second mapping of a group', 409, addViewer, addMapping, addMapping],
  ['a mapping of no role', 404, addRoleMapping({ ...mapping, roleKeys: ['absent'] })],
  [
    'a mapping of no provider',
    404,
    addViewer,
    addRoleMapping({ ...mapping, idpId: 'no', ...viewer }),
  ],
  ['a mapping that is not there', 404, getRoleMapping(ids)],
  ['a membership that is not there', 404, getMembership(bob)],
  ['the end of no membership', 404, removeMembership(bob)],
  ['a report for no provider', 404, reportMembership(['no', 'bob'], { groups: ['a'] })],
  [
    'reports that count for no hour',
    400,
    addViewer,
    addRoleMapping({ ...mapping, ...viewer, validFor: 0 }),
  ],
  [
    'reports that count for longer than a year',
    400,
    addViewer,
    addRoleMapping({ ...mapping, ...viewer, validFor: 8761 }),
  ],
  ['a group without a name', 400, reportMembership(bob, { groups: [''] })],
  ['mapping without the permission', 403, addRoleMapping({ ...mapping, ...viewer }, guest)],
  ['reporting without the permission', 403, reportMembership(bob, { groups: [] }, guest)],
  ['another mapping than was expected', 409, addViewer, addMapping, removeRoleMapping(ids, stale)],
]

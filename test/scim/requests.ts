// The requests that the public documents of Entra ID and Okta show, as data. `{user}`, `{other}` and `{group}` stand for ids.
// https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
// https://learn.microsoft.com/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility
// https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
import { CORE, type Exchange, patchOf } from './host.js'

/** A request with the status, and the parts of the body, of its response. */
export interface Recorded extends Exchange {
  readonly name: string
  readonly status: number
  readonly response?: unknown
  /** The name by which later requests know the id of the response. */
  readonly as?: 'user' | 'other' | 'group'
  /** Users who have the role of the mapped group afterwards. */
  readonly holders?: readonly ('user' | 'other')[]
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const list = (totalResults: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  startIndex: 1,
})

export const entra: readonly Recorded[] = [
  {
    name: 'Test connection: a user that is not there',
    method: 'GET',
    path: '/Users?filter=userName eq "non-existent user"',
    status: 200,
    response: { ...list(0), Resources: [] },
  },
  {
    name: 'Create user',
    method: 'POST',
    path: '/Users',
    body: {
      schemas: [`${CORE}:User`, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_00aa00aa',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_11bb11bb@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    },
    status: 201,
    as: 'user',
    response: { userName: 'Test_User_00aa00aa', active: true, meta: { resourceType: 'User' } },
  },
  {
    name: 'Create another user',
    method: 'POST',
    path: '/Users',
    body: { schemas: [`${CORE}:User`], userName: 'jyoung', externalId: 'jyoung', active: true },
    status: 201,
    as: 'other',
  },
  {
    name: 'Get user',
    method: 'GET',
    path: '/Users/{user}',
    status: 200,
    response: { active: true },
  },
  { name: 'Get user: none', method: 'GET', path: '/Users/5171a35d82074e068ce2', status: 404 },
  {
    name: 'Get user by query',
    method: 'GET',
    path: '/Users?filter=userName eq "Test_User_00aa00aa"',
    status: 200,
    response: { ...list(1), Resources: [{ userName: 'Test_User_00aa00aa' }] },
  },
  {
    name: 'Query by externalId, without quotes as in the document',
    method: 'GET',
    path: '/Users?filter=externalId eq jyoung',
    status: 200,
    response: { ...list(1), Resources: [{ externalId: 'jyoung' }] },
  },
  {
    name: 'Update user, multi-valued properties',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    ),
    status: 200,
    response: {
      emails: [{ value: 'updatedEmail@microsoft.com', type: 'work', primary: true }],
      name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
    },
  },
  {
    name: 'Update user, single-valued properties',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({ op: 'Replace', path: 'userName', value: '5b50642d@testuser.com' }),
    status: 200,
    response: { userName: '5b50642d@testuser.com', active: true },
  },
  {
    name: 'Add a single-value attribute, without the flag',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({ op: 'Add', path: 'nickName', value: 'Babs' }),
    status: 200,
    response: { nickName: 'Babs' },
  },
  {
    name: 'Replace attributes, without the flag',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf(
      { op: 'Replace', path: 'displayName', value: 'Pvlo' },
      {
        op: 'Replace',
        path: 'emails[type eq "work"].value',
        value: 'TestBcwqnm@test.microsoft.com',
      },
      { op: 'Replace', path: 'externalId', value: 'Eqpj' },
      { op: 'Replace', path: `${ENTERPRISE}:employeeNumber`, value: 'Eqpj' },
    ),
    status: 200,
    response: { displayName: 'Pvlo', externalId: 'Eqpj', [ENTERPRISE]: { employeeNumber: 'Eqpj' } },
  },
  {
    name: 'Replace attributes, with the flag aadOptscim062020',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({
      op: 'replace',
      value: {
        displayName: 'Bjfe',
        'name.givenName': 'Kkom',
        'name.familyName': 'Unua',
        [`${ENTERPRISE}:employeeNumber`]: 'Aklq',
      },
    }),
    status: 200,
    response: {
      displayName: 'Bjfe',
      name: { givenName: 'Kkom', familyName: 'Unua' },
      [ENTERPRISE]: { employeeNumber: 'Aklq' },
    },
  },
  {
    name: 'Create group',
    method: 'POST',
    path: '/Groups',
    body: {
      schemas: [
        `${CORE}:Group`,
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'finance',
      meta: { resourceType: 'Group' },
    },
    status: 201,
    as: 'group',
    response: {
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'finance',
      members: [],
      meta: { resourceType: 'Group' },
    },
  },
  {
    name: 'Get group',
    method: 'GET',
    path: '/Groups/{group}?excludedAttributes=members',
    status: 200,
    response: { displayName: 'finance' },
  },
  {
    name: 'Get group by displayName',
    method: 'GET',
    path: '/Groups?excludedAttributes=members&filter=displayName eq "finance"',
    status: 200,
    response: { ...list(1), Resources: [{ displayName: 'finance' }] },
  },
  {
    name: 'Add members',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({
      op: 'Add',
      path: 'members',
      value: [
        { $ref: null, value: '{user}' },
        { $ref: null, value: '{other}' },
      ],
    }),
    status: 204,
    holders: ['user', 'other'],
  },
  {
    name: 'Ask whether a user is a member',
    method: 'GET',
    path: '/Groups?filter=id eq "{group}" and members eq "{user}"&attributes=id',
    status: 200,
    response: { ...list(1), Resources: [{ id: '{group}' }] },
  },
  {
    name: 'Remove members, without the flag',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
    status: 204,
    holders: ['other'],
  },
  {
    name: 'Remove a member, with the flag aadOptscim062020',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({ op: 'remove', path: 'members[value eq "{other}"]' }),
    status: 204,
    holders: [],
  },
  {
    name: 'Add members again',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({
      op: 'Add',
      path: 'members',
      value: [{ value: '{user}' }, { value: '{other}' }],
    }),
    status: 204,
    holders: ['user', 'other'],
  },
  {
    name: 'Update group, non-member attributes',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({ op: 'Replace', path: 'displayName', value: '1879db59-updatedDisplayName' }),
    status: 204,
    holders: [],
  },
  {
    name: 'Update group back',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({ op: 'Replace', path: 'displayName', value: 'finance' }),
    status: 204,
    holders: ['user', 'other'],
  },
  {
    name: 'Disable user, without the flag',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({ op: 'Replace', path: 'active', value: 'False' }),
    status: 200,
    response: { active: false },
    holders: ['other'],
  },
  {
    name: 'Restore user',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({ op: 'Replace', path: 'active', value: 'True' }),
    status: 200,
    response: { active: true },
    holders: ['user', 'other'],
  },
  {
    name: 'Disable user',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({ op: 'Replace', path: 'active', value: false }),
    status: 200,
    response: { active: false },
    holders: ['other'],
  },
  { name: 'Delete user', method: 'DELETE', path: '/Users/{user}', status: 204, holders: ['other'] },
  { name: 'Get the deleted user', method: 'GET', path: '/Users/{user}', status: 404 },
  { name: 'Delete group', method: 'DELETE', path: '/Groups/{group}', status: 204, holders: [] },
  { name: 'Get the deleted group', method: 'GET', path: '/Groups/{group}', status: 404 },
  { name: 'Discover schema', method: 'GET', path: '/Schemas', status: 200, response: list(2) },
]

const oktaUser = {
  schemas: [`${CORE}:User`],
  userName: 'test.user@okta.local',
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  active: true,
}

export const okta: readonly Recorded[] = [
  {
    name: 'Determine if the user already exists',
    method: 'GET',
    path: '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100',
    status: 200,
    response: { ...list(0), itemsPerPage: 0, Resources: [] },
  },
  {
    name: 'Create the user',
    method: 'POST',
    path: '/Users',
    body: { ...oktaUser, password: '1mz050nq' },
    status: 201,
    as: 'user',
    response: {
      userName: 'test.user@okta.local',
      externalId: '00ujl29u0le5T6Aj10h7',
      active: true,
    },
  },
  { name: 'Create it twice', method: 'POST', path: '/Users', body: oktaUser, status: 409 },
  {
    name: 'Create another',
    method: 'POST',
    path: '/Users',
    body: { ...oktaUser, userName: 'other@okta.local', externalId: '00u2' },
    status: 201,
    as: 'other',
  },
  {
    name: 'Retrieve users',
    method: 'GET',
    path: '/Users?startIndex=1&count=100',
    status: 200,
    response: { ...list(2), itemsPerPage: 2 },
  },
  {
    name: 'Retrieve a user',
    method: 'GET',
    path: '/Users/{user}',
    status: 200,
    response: { active: true },
  },
  {
    name: 'Update the user (PUT)',
    method: 'PUT',
    path: '/Users/{user}',
    body: {
      ...oktaUser,
      id: '{user}',
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      meta: { resourceType: 'User' },
    },
    status: 200,
    response: { name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' } },
  },
  {
    name: 'Create a group',
    method: 'POST',
    path: '/Groups',
    body: { schemas: [`${CORE}:Group`], displayName: 'finance', members: [] },
    status: 201,
    as: 'group',
    response: { displayName: 'finance', members: [], meta: { resourceType: 'Group' } },
  },
  {
    name: 'Retrieve groups',
    method: 'GET',
    path: '/Groups?startIndex=1&count=100',
    status: 200,
    response: { ...list(1), Resources: [{ displayName: 'finance' }] },
  },
  {
    name: 'Add a member, and remove one that is none',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf(
      { op: 'remove', path: 'members[value eq "{other}"]' },
      { op: 'add', path: 'members', value: [{ value: '{user}', display: 'test.user@okta.local' }] },
    ),
    status: 204,
    holders: ['user'],
  },
  {
    name: 'Update the group name, with each change of members',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({ op: 'replace', value: { id: '{group}', displayName: 'finance' } }),
    status: 204,
    holders: ['user'],
  },
  {
    name: 'A full push of the members',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patchOf({
      op: 'replace',
      path: 'members',
      value: [
        { value: '{user}', display: 'test.user@okta.local' },
        { value: '{other}', display: 'test.user@okta.local' },
      ],
    }),
    status: 204,
    holders: ['user', 'other'],
  },
  {
    name: 'Members by PUT, as apps of the wizard send them',
    method: 'PUT',
    path: '/Groups/{group}',
    body: { schemas: [`${CORE}:Group`], displayName: 'finance', members: [{ value: '{user}' }] },
    status: 200,
    response: { displayName: 'finance', members: [{ value: '{user}', type: 'User' }] },
    holders: ['user'],
  },
  {
    name: 'Retrieve the group',
    method: 'GET',
    path: '/Groups/{group}',
    status: 200,
    response: { members: [{ value: '{user}' }] },
  },
  {
    name: 'Deactivate the user (PATCH)',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patchOf({ op: 'replace', value: { active: false } }),
    status: 200,
    response: { active: false },
    holders: [],
  },
  {
    name: 'Reactivate the user (PUT)',
    method: 'PUT',
    path: '/Users/{user}',
    body: { ...oktaUser, id: '{user}', active: true },
    status: 200,
    response: { active: true },
    holders: ['user'],
  },
  {
    name: 'Deactivate the user (PUT)',
    method: 'PUT',
    path: '/Users/{user}',
    body: { ...oktaUser, id: '{user}', active: false },
    status: 200,
    response: { active: false },
    holders: [],
  },
  { name: 'Unlink and delete the group', method: 'DELETE', path: '/Groups/{group}', status: 204 },
]

/** The value with names for ids replaced, in texts however deep. */
export const filled = <Value>(value: Value, ids: ReadonlyMap<string, string>): Value =>
  JSON.parse(JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (all, name) => ids.get(name) ?? all))

import { beforeEach, expect, it } from 'vitest'
import { toStatus } from '../../src/index.js'
import { badFields, context, good, type Iam, refusal, start } from './host.js'

let iam: Iam

beforeEach(() => {
  iam = start().iam
})

const login = {
  id: 'portal',
  userOrgId: 'globex',
  userRoleKeys: ['editor'],
  grantedOrgIds: ['globex'],
}
const add = (settings: object = {}) =>
  good(iam.projects.add({ id: 'portal', name: 'Portal', ...settings }, context))
const addEditor = () =>
  good(iam.projectRoles.add({ projectId: 'portal', roleKey: 'editor', displayName: 'E' }, context))

it('lets everyone in where nothing is checked', async () => {
  await add()
  expect(await good(iam.projects.checkLogin({ id: 'portal', userOrgId: 'x' }, context))).toBe(
    undefined,
  )
})

it('keeps everyone out of an inactive project', async () => {
  await add()
  await good(iam.projects.deactivate({ id: 'portal' }, context))
  const error = await refusal(iam.projects.checkLogin(login, context))
  expect(error).toEqual({ kind: 'ProjectInactive' })
  expect(toStatus(error).code).toBe(9)
})

it('asks for a role that the project still has', async () => {
  await add({ projectRoleCheck: true })
  const required = { kind: 'ProjectRoleRequired' }
  expect(await refusal(iam.projects.checkLogin(login, context))).toEqual(required)
  await addEditor()
  await good(iam.projects.checkLogin(login, context))
  const more = { ...login, userRoleKeys: ['absent', 'editor'] }
  await good(iam.projects.checkLogin(more, context))
  for (const userRoleKeys of [[], ['Editor'], undefined])
    expect(await refusal(iam.projects.checkLogin({ ...login, userRoleKeys }, context))).toEqual(
      required,
    )
  await good(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'editor' }, context))
  expect(await refusal(iam.projects.checkLogin(login, context))).toEqual(required)
})

it('asks for a grant of the organization of the user, unless it owns the project', async () => {
  await add({ hasProjectCheck: true })
  await good(iam.projects.checkLogin(login, context))
  await good(iam.projects.checkLogin({ id: 'portal', userOrgId: 'acme' }, context))
  for (const grantedOrgIds of [[], ['acme'], undefined])
    expect(await refusal(iam.projects.checkLogin({ ...login, grantedOrgIds }, context))).toEqual({
      kind: 'ProjectGrantRequired',
      userOrgId: 'globex',
    })
})

it.each([
  ['id', { id: '' }],
  ['userOrgId', { userOrgId: undefined }],
  ['userOrgId', { userOrgId: 'a+b' }],
  ['userRoleKeys[1]', { userRoleKeys: ['a', ''] }],
  ['userRoleKeys', { userRoleKeys: Array.from({ length: 1001 }, () => 'a') }],
  ['grantedOrgIds[0]', { grantedOrgIds: [5] }],
  ['grantedOrgIds', { grantedOrgIds: null }],
  ['roles', { roles: [] }],
])('refuses a malformed %s', async (field, input) => {
  const call = iam.projects.checkLogin({ ...login, ...input } as never, context)
  expect(await badFields(call)).toEqual([field])
})

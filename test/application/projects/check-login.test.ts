import { beforeEach, expect, it } from 'vitest'
import { memoryReadModel, type ReadModel, toStatus } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { badFields, context, good, type Iam, iamOn, refusal, start } from '../host.js'

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

it('lets everyone in when nothing is checked', async () => {
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

it('requires a role that the project still has', async () => {
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

it('reads the roles of a user at the same time', async () => {
  const kept = memoryReadModel()
  const seen = { now: 0, most: 0, reads: 0 }
  const get: ReadModel['get'] = async (orgId, ref) => {
    if (ref.type !== 'project_role') return kept.get(orgId, ref)
    seen.reads++
    seen.most = Math.max(seen.most, ++seen.now)
    await new Promise(setImmediate)
    seen.now--
    return kept.get(orgId, ref)
  }
  const counting = start({ readModel: { ...kept, get } }).iam
  await good(counting.projects.add({ id: 'portal', name: 'P', projectRoleCheck: true }, context))
  const editor = { projectId: 'portal', roleKey: 'editor', displayName: 'E' }
  await good(counting.projectRoles.add(editor, context))
  const unknown = Array.from({ length: 999 }, (_, n) => `unknown ${n}`)
  const ask = (userRoleKeys: readonly string[]) =>
    counting.projects.checkLogin({ ...login, userRoleKeys }, context)
  await good(ask([...unknown, 'editor']))
  expect(seen).toEqual({ now: 0, most: 50, reads: 1_000 })
  // One role is enough: the others are not read.
  await good(ask(['editor', ...unknown]))
  expect(seen.reads).toBe(1_050)
})

it('is unavailable when only the reads of roles fail', async () => {
  const kept = memoryReadModel()
  const cause = new Error('away')
  const get: ReadModel['get'] = async (orgId, ref) => {
    if (ref.type === 'project_role') throw cause
    return kept.get(orgId, ref)
  }
  const failing = start({ readModel: { ...kept, get } }).iam
  await good(failing.projects.add({ id: 'portal', name: 'P', projectRoleCheck: true }, context))
  const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
  expect(await refusal(failing.projects.checkLogin(login, context))).toEqual(unavailable)
})

it('checks a project and its roles as of one moment', async () => {
  const { store } = start()
  const kept = memoryReadModel()
  const changing = iamOn(store, { authorize: () => true, readModel: kept })
  const editor = { roleKey: 'editor', displayName: 'Editor' }
  const portal = { id: 'portal', name: 'Portal', projectRoleCheck: true }
  await good(changing.projects.add(portal, context))
  const settings = { projectRoleCheck: true, hasProjectCheck: true }
  const desired = { projects: [{ id: 'portal', name: 'Portal', settings, roles: [editor] }] }
  const moments = [
    () => changing.apply(desired, context),
    () => changing.projects.deactivate({ id: 'portal' }, context),
  ]
  const readModel: ReadModel = {
    ...kept,
    get: async (orgId, ref) => {
      if (ref.type === 'project_role') await moments.shift()?.()
      if (ref.type === 'project_role') await good(changing.catchUp(kept))
      return kept.get(orgId, ref)
    },
  }
  const iam = iamOn(store, { readModel })
  // Let in at no moment: at first for want of the role, then of a grant, at last as it is inactive.
  const user = { ...login, grantedOrgIds: [] }
  expect(await refusal(iam.projects.checkLogin(user, context))).toEqual({ kind: 'ProjectInactive' })
  expect(moments).toEqual([])
})

it('gives up on a project that changes again and again', async () => {
  const { store } = start()
  const kept = memoryReadModel()
  const changing = iamOn(store, { readModel: kept })
  const portal = { id: 'portal', projectRoleCheck: true }
  await good(changing.projects.add({ ...portal, name: 'Portal' }, context))
  let changes = 0
  const readModel: ReadModel = {
    ...kept,
    get: async (orgId, ref) => {
      if (ref.type === 'project_role')
        await good(
          changing.projects.update(
            { ...PROJECT_DEFAULTS, ...portal, name: `name ${++changes}` },
            context,
          ),
        )
      await good(changing.catchUp(kept))
      return kept.get(orgId, ref)
    },
  }
  const error = await refusal(iamOn(store, { readModel }).projects.checkLogin(login, context))
  expect(error).toEqual({ kind: 'Aborted', attempts: 10 })
  expect(changes).toBe(10)
})

it('does not find a project that is removed while its roles are read', async () => {
  const { store } = start()
  const kept = memoryReadModel()
  const changing = iamOn(store)
  await good(
    changing.projects.add({ id: 'portal', name: 'Portal', projectRoleCheck: true }, context),
  )
  const readModel: ReadModel = {
    ...kept,
    get: async (orgId, ref) => {
      if (ref.type === 'project_role') {
        await good(changing.projects.remove({ id: 'portal' }, context))
        await good(changing.catchUp(kept))
      }
      return kept.get(orgId, ref)
    },
  }
  const reading = iamOn(store, { readModel })
  expect(await refusal(reading.projects.checkLogin(login, context))).toMatchObject({
    kind: 'NotFound',
  })
})

it('requires a grant of the organization of the user, unless it owns the project', async () => {
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
  ['grantedOrgIds', { grantedOrgIds: Array.from({ length: 1001 }, () => 'a') }],
  ['grantedOrgIds[0]', { grantedOrgIds: [5] }],
  ['grantedOrgIds', { grantedOrgIds: null }],
  ['roles', { roles: [] }],
])('refuses a malformed %s', async (field, input) => {
  const call = iam.projects.checkLogin({ ...login, ...input } as never, context)
  expect(await badFields(call)).toEqual([field])
})

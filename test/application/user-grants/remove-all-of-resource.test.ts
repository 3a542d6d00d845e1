import { expect, test } from 'vitest'
import { type EventStore, memoryEventStore, type PermissionQuestion } from '../../../src/index.js'
import { context, good, type Iam, iamOn, logOf, oidc, refusal } from '../host.js'

const resource = 'workspace:42'
const roles = [{ roleKey: 'editor' }]

const opened = async (
  authorize: (question: PermissionQuestion) => boolean = () => true,
): Promise<{ readonly iam: Iam; readonly store: EventStore }> => {
  const store = memoryEventStore()
  const founder = iamOn(store, { authorize: () => true })
  for (const id of ['app', 'other']) {
    await good(founder.projects.add({ id, name: id }, context))
    const role = { projectId: id, roleKey: 'editor', displayName: 'Editor' }
    await good(founder.projectRoles.add(role, context))
  }
  await good(founder.identityProviders.addOidc({ ...oidc, idpId: 'okta' }, context))
  return { iam: iamOn(store, { authorize }), store }
}

const mapping = { idpId: 'okta', group: 'staff', projectId: 'app', roleKeys: ['editor'] }

test('removes all grants and mappings on a resource, and nothing else', async () => {
  const { iam } = await opened()
  const add = (input: Readonly<Record<'userId' | 'projectId', string>> & { resource?: string }) =>
    good(iam.userGrants.add({ ...input, roles }, context))
  await add({ userId: 'bo', projectId: 'app', resource })
  await add({ userId: 'cy', projectId: 'app', resource })
  await add({ userId: 'bo', projectId: 'app', resource: `${resource}1` })
  await add({ userId: 'bo', projectId: 'other', resource })
  await add({ userId: 'bo', projectId: 'app' })
  await good(iam.roleMappings.add({ ...mapping, resource }, context))
  await good(iam.roleMappings.add(mapping, context))
  const removed = await good(
    iam.userGrants.removeAllOfResource({ projectId: 'app', resource }, context),
  )
  const gone = { projectId: 'app', projectOrgId: 'acme', resource }
  expect(removed).toEqual({
    removed: ['bo', 'cy'].map((userId) => ({ userId, ...gone })),
    mappings: [{ idpId: 'okta', group: 'staff', ...gone }],
    sequence: removed.sequence,
  })
  const left = await good(iam.userGrants.list({}, context))
  expect(left.items.map((grant) => [grant.projectId, grant.userId, grant.resource])).toEqual([
    ['app', 'bo', undefined],
    ['app', 'bo', `${resource}1`],
    ['other', 'bo', resource],
  ])
  const mappings = await good(iam.roleMappings.list({}, context))
  expect(mappings.items.map((each) => each.resource)).toEqual([undefined])
  const again = iam.userGrants.removeAllOfResource({ projectId: 'app', resource }, context)
  expect(await good(again)).toMatchObject({ removed: [], mappings: [] })
})

test('removes as many as there are, in batches', async () => {
  const { iam, store } = await opened()
  const grants = Array.from({ length: 801 }, (_, index) => ({
    userId: `user-${index}`,
    projectId: 'app',
    resource,
    roles,
  }))
  await good(iam.userGrants.import({ grants }, context))
  const input = { projectId: 'app', resource }
  expect((await good(iam.userGrants.removeAllOfResource(input, context))).removed).toHaveLength(801)
  const removals = (await logOf(store)).filter(({ type }) => type === 'user_grant.removed')
  const sizes = [...Map.groupBy(removals, ({ appendId }) => appendId).values()]
  expect(sizes.map(({ length }) => length)).toEqual([400, 400, 1])
})

test('asks for the roles of each grant, on the resource', async () => {
  const questions: PermissionQuestion[] = []
  const { iam, store } = await opened((question) => {
    questions.push(question)
    return question.roleKeys?.includes('editor') !== true
  })
  const founder = iamOn(store, { authorize: () => true })
  await good(founder.userGrants.add({ userId: 'bo', projectId: 'app', resource, roles }, context))
  const input = { projectId: 'app', resource }
  const refused = await refusal(iam.userGrants.removeAllOfResource(input, context))
  expect(refused).toMatchObject({ kind: 'PermissionDenied', permission: 'user.grant.write' })
  const object = { type: 'project', id: 'app', resource }
  expect(
    questions.map(({ permission, object: on, roleKeys }) => [permission, on, roleKeys]),
  ).toEqual([
    ['user.grant.read', object, undefined],
    ['user.grant.write', object, []],
    ['user.grant.write', object, ['editor']],
  ])
  expect((await good(founder.userGrants.list({}, context))).items).toHaveLength(1)
})

test('lets the admin of a resource give roles on it, by roles', async () => {
  const { permissionsFromRoles } = await import('../../../src/index.js')
  const { store } = await opened()
  const founder = iamOn(store, { authorize: () => true })
  const admin = { projectId: 'app', roleKey: 'admin', displayName: 'Admin' }
  const permissions = ['user.grant.read', 'user.grant.write', 'role_mapping.write']
  await good(founder.projectRoles.add({ ...admin, permissions }, context))
  const toAlice = { userId: 'alice', projectId: 'app', resource, roles: [{ roleKey: 'admin' }] }
  await good(founder.userGrants.add(toAlice, context))
  const authorize = permissionsFromRoles({ iam: () => iam, projectId: 'app' })
  const iam: Iam = iamOn(store, { authorize })
  const toBo = { userId: 'bo', projectId: 'app', roles }
  await good(iam.userGrants.give({ ...toBo, resource }, context))
  await good(iam.roleMappings.add({ ...mapping, resource }, context))
  for (const refused of [
    iam.userGrants.give(toBo, context),
    iam.userGrants.give({ ...toBo, resource: `${resource}1` }, context),
    iam.userGrants.give({ ...toBo, projectId: 'other', resource }, context),
    iam.roleMappings.add({ ...mapping, group: 'others' }, context),
    iam.userGrants.removeAllOfUser({ userId: 'bo' }, context),
  ])
    expect(await refusal(refused)).toMatchObject({ kind: 'PermissionDenied' })
  const gone = iam.userGrants.removeAllOfResource({ projectId: 'app', resource }, context)
  expect((await good(gone)).removed).toHaveLength(2)
})

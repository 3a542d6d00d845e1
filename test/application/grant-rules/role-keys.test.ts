import type { ResultAsync } from 'neverthrow'
import { beforeEach, describe, expect, it } from 'vitest'
import type { EventStore, Iam, IamError, PermissionQuestion } from '../../../src/index.js'
import { caller, context, good, iamOn, logOf, refusal, start, withAppend } from '../host.js'

let store: EventStore
let asked: PermissionQuestion[]
let iam: Iam
/** May give and take `viewer`, and nothing else. */
let support: Iam

const ofSupport = ({ permission, roleKeys }: PermissionQuestion) =>
  !permission.endsWith('.write') || roleKeys?.every((key) => key === 'viewer') === true

const projectId = 'portal'
const bob = { userId: 'bob', projectId }
const editor = { roleKey: 'editor' }
const viewer = { roleKey: 'viewer' }
const globex = { projectId, grantedOrgId: 'globex' }
const denied = (permission: string) => ({ kind: 'PermissionDenied', permission, orgId: 'acme' })

beforeEach(async () => {
  const started = start()
  store = started.store
  asked = []
  const recording = (question: PermissionQuestion) => {
    if (question.permission.endsWith('.write')) asked.push(question)
    return true
  }
  iam = iamOn(store, { authorize: recording })
  support = iamOn(store, { authorize: ofSupport })
  await good(iam.projects.add({ id: projectId, name: 'Portal' }, context))
  for (const roleKey of ['editor', 'viewer', 'owner'])
    await good(iam.projectRoles.add({ projectId, roleKey, displayName: roleKey }, context))
  asked = []
})

const keysAsked = () => asked.map(({ roleKeys }) => roleKeys)

/** A write, the roles that the object holds before it, and those that the host is asked about. */
type Row = readonly [
  name: string,
  held: readonly string[],
  write: (iam: Iam) => ResultAsync<unknown, IamError>,
  questions: readonly (readonly string[])[],
]

const ofUsers: readonly Row[] = [
  [
    'add',
    [],
    ({ userGrants }) => userGrants.add({ ...bob, roles: [editor] }, context),
    [['editor']],
  ],
  [
    'addRoles, those that are held too',
    ['viewer'],
    ({ userGrants }) => userGrants.addRoles({ ...bob, roles: [viewer, editor] }, context),
    [['viewer', 'editor']],
  ],
  [
    'removeRoles',
    ['viewer', 'editor'],
    ({ userGrants }) => userGrants.removeRoles({ ...bob, roleKeys: ['editor'] }, context),
    [['editor']],
  ],
  [
    'update, of what it gives and takes',
    ['viewer', 'editor'],
    ({ userGrants }) =>
      userGrants.update({ ...bob, roles: [viewer, { roleKey: 'owner' }] }, context),
    [[], ['editor', 'owner']],
  ],
  [
    'update, of a role with another end',
    ['viewer', 'editor'],
    ({ userGrants }) => {
      const roles = [viewer, { ...editor, expiresAt: new Date('2099-01-01') }]
      return userGrants.update({ ...bob, roles }, context)
    },
    [[], ['editor']],
  ],
  [
    'update that changes nothing',
    ['editor'],
    ({ userGrants }) => userGrants.update({ ...bob, roles: [editor] }, context),
    [[]],
  ],
  [
    'deactivate',
    ['viewer', 'editor'],
    ({ userGrants }) => userGrants.deactivate(bob, context),
    [[], ['viewer', 'editor']],
  ],
  ['reactivate', ['editor'], ({ userGrants }) => userGrants.reactivate(bob, context), [[]]],
  ['remove', ['editor'], ({ userGrants }) => userGrants.remove(bob, context), [[], ['editor']]],
]

describe.each(ofUsers)('userGrants.%s', (_, held, write, questions) => {
  it('asks about the roles that change', async () => {
    const roles = held.map((roleKey) => ({ roleKey }))
    if (held.length > 0) await good(iam.userGrants.add({ ...bob, roles }, context))
    asked = []
    await good(write(iam))
    expect(keysAsked()).toEqual(questions)
    for (const { object, permission } of asked) {
      expect(object).toEqual({ type: 'project', id: projectId })
      expect(permission).toBe('user.grant.write')
    }
  })

  it('is refused to a caller who may not change one of them, and records nothing', async () => {
    const roles = held.map((roleKey) => ({ roleKey }))
    if (held.length > 0) await good(iam.userGrants.add({ ...bob, roles }, context))
    const before = await logOf(store)
    const isOfOthers = questions.some((keys) => keys.some((key) => key !== 'viewer'))
    if (!isOfOthers) await good(write(support))
    else expect(await refusal(write(support))).toEqual(denied('user.grant.write'))
    expect(await logOf(store)).toEqual(before)
  })
})

const ofProjects: readonly Row[] = [
  [
    'add',
    [],
    ({ projectGrants }) => projectGrants.add({ ...globex, roleKeys: ['editor'] }, context),
    [['editor']],
  ],
  [
    'update',
    ['viewer', 'editor'],
    ({ projectGrants }) =>
      projectGrants.update({ ...globex, roleKeys: ['viewer', 'owner'] }, context),
    [[], ['editor', 'owner']],
  ],
  [
    'deactivate',
    ['editor'],
    ({ projectGrants }) => projectGrants.deactivate(globex, context),
    [[], ['editor']],
  ],
  [
    'remove',
    ['viewer', 'editor'],
    ({ projectGrants }) => projectGrants.remove(globex, context),
    [[], ['viewer', 'editor']],
  ],
]

describe.each(ofProjects)('projectGrants.%s', (_, held, write, questions) => {
  it('asks about the roles that change, and is refused where one may not be', async () => {
    if (held.length > 0) await good(iam.projectGrants.add({ ...globex, roleKeys: held }, context))
    asked = []
    const before = await logOf(store)
    expect(await refusal(write(support))).toEqual(denied('project.grant.write'))
    expect(await logOf(store)).toEqual(before)
    await good(write(iam))
    expect(keysAsked()).toEqual(questions)
  })
})

it('A reactivation of either grant asks about all of its roles', async () => {
  await good(iam.userGrants.add({ ...bob, roles: [editor, viewer] }, context))
  await good(iam.projectGrants.add({ ...globex, roleKeys: ['editor'] }, context))
  await good(iam.userGrants.deactivate(bob, context))
  await good(iam.projectGrants.deactivate(globex, context))
  asked = []
  await good(iam.userGrants.reactivate(bob, context))
  await good(iam.projectGrants.reactivate(globex, context))
  expect(keysAsked()).toEqual([[], ['editor', 'viewer'], [], ['editor']])
})

it('Support gives and takes the role that it may, beside others that stay', async () => {
  await good(iam.userGrants.add({ ...bob, roles: [editor] }, context))
  await good(support.userGrants.addRoles({ ...bob, roles: [viewer] }, context))
  await good(support.userGrants.removeRoles({ ...bob, roleKeys: ['viewer'] }, context))
  await good(support.userGrants.update({ ...bob, roles: [viewer, editor] }, context))
  const carol = { userId: 'carol', projectId }
  await good(support.userGrants.add({ ...carol, roles: [viewer] }, context))
  await good(support.userGrants.remove(carol, context))
})

it('An update that is refused is asked about the roles in its input', async () => {
  const roles = [{ roleKey: 'no such role' }]
  expect(await refusal(support.userGrants.update({ ...bob, roles }, context))).toEqual(
    denied('user.grant.write'),
  )
  expect(await refusal(iam.userGrants.update({ ...bob, roles }, context))).toMatchObject({
    kind: 'NotFound',
  })
})

it('A decision is judged on the state that it is recorded on', async () => {
  await good(iam.userGrants.add({ ...bob, roles: [viewer] }, context))
  // While support is about to remove the grant, it gains a role.
  const racing = withAppend(store, async (append, appendTo) => {
    const other = iamOn(store, { authorize: () => true })
    await other.userGrants.addRoles({ ...bob, roles: [editor] }, context)
    return appendTo(append)
  })
  const removing = iamOn(racing, { authorize: ofSupport }).userGrants.remove(bob, context)
  expect(await refusal(removing)).toEqual(denied('user.grant.write'))
  const { roles } = await good(iam.userGrants.get(bob, context))
  expect(roles).toEqual([viewer, editor])
})

it('The roles of a repeat under an idempotency key are not asked about once more', async () => {
  await good(iam.userGrants.add({ ...bob, roles: [viewer] }, context))
  const once = { ...context, idempotencyKey: 'k' }
  const removed = await good(support.userGrants.remove(bob, once))
  await good(iam.userGrants.add({ ...bob, roles: [editor] }, context))
  expect(await good(support.userGrants.remove(bob, once))).toEqual(removed)
})

it('removeAllOfUser asks about the roles of each project, and takes all or none', async () => {
  await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
  const clerk = { projectId: 'shop', roleKey: 'viewer', displayName: 'Clerk' }
  await good(iam.projectRoles.add(clerk, context))
  await good(iam.userGrants.add({ ...bob, roles: [editor] }, context))
  await good(iam.userGrants.add({ ...bob, projectId: 'shop', roles: [viewer] }, context))
  const before = await logOf(store)
  const removing = support.userGrants.removeAllOfUser({ userId: 'bob' }, context)
  expect(await refusal(removing)).toEqual(denied('user.grant.write'))
  expect(await logOf(store)).toEqual(before)
  asked = []
  await good(iam.userGrants.removeAllOfUser({ userId: 'bob' }, context))
  expect(asked.map(({ object, roleKeys }) => [object?.id, roleKeys])).toEqual([
    [undefined, []],
    ['portal', ['editor']],
    ['shop', ['viewer']],
  ])
})

it('An import refuses the rows whose roles may not be given, and asks once about the same roles', async () => {
  const rows = ['a', 'b', 'c', 'd'].map((userId, index) => ({
    userId,
    projectId,
    roles: [index === 2 ? editor : viewer],
  }))
  const report = await good(support.userGrants.import({ grants: rows }, context))
  expect(report).toMatchObject({ added: 3, refusedCount: 1 })
  expect(report.refused).toEqual([{ index: 2, error: denied('user.grant.write') }])
  await good(
    iam.userGrants.import({ grants: rows.map((row) => ({ ...row, userId: 'e' })) }, context),
  )
  expect(keysAsked()).toEqual([[], ['viewer'], ['editor']])
})

describe('A desired state', () => {
  const desired = (roleKeys: readonly string[]) => ({
    managedBy: 'ops',
    prune: true,
    projects: [{ id: projectId, name: 'Portal', grants: [{ grantedOrgId: 'globex', roleKeys }] }],
  })
  /** May write everything but grants of other roles than `viewer`. */
  const byCode = (question: PermissionQuestion) =>
    question.permission !== 'project.grant.write' || ofSupport(question)

  it('is asked about the roles that its grants gain or lose, before anything is recorded', async () => {
    const limited = iamOn(store, { authorize: byCode })
    await good(limited.apply(desired(['viewer']), context))
    const before = await logOf(store)
    const wider = desired(['viewer', 'editor'])
    const renamed = { ...wider, projects: [{ ...wider.projects[0], id: projectId, name: 'New' }] }
    expect(await refusal(limited.apply(renamed, context))).toEqual(denied('project.grant.write'))
    const plan = await good(limited.plan(renamed, context))
    expect(await refusal(limited.apply(plan, context))).toEqual(denied('project.grant.write'))
    expect(await logOf(store)).toEqual(before)
    await good(iam.apply(renamed, context))
    const keys = () =>
      asked.flatMap(({ permission, roleKeys }) =>
        permission === 'project.grant.write' ? [roleKeys] : [],
      )
    expect(keys()).toEqual([[], ['editor']])
    await good(limited.apply(renamed, context))
    const without = { ...renamed, projects: [{ id: projectId, name: 'New', grants: [] }] }
    expect(await refusal(limited.apply(without, context))).toEqual(denied('project.grant.write'))
    asked = []
    await good(iam.apply(without, context))
    expect(keys()).toEqual([[], ['viewer', 'editor']])
  })
})

it('A write of one role is about that role, one of several about their project', async () => {
  const role = { projectId, roleKey: 'editor' }
  await good(iam.projectRoles.update({ ...role, displayName: 'E', group: '' }, context))
  await good(iam.projectRoles.patch({ ...role, displayName: 'F' }, context))
  await good(iam.projectRoles.remove(role, context))
  await good(iam.projectRoles.add({ ...role, displayName: 'G' }, context))
  const one = { type: 'project_role', ...role }
  expect(asked.map(({ object }) => object)).toEqual([one, one, one, one])
  asked = []
  const roles = [{ roleKey: 'a', displayName: 'A' }]
  await good(iam.projectRoles.addMany({ projectId, roles }, context))
  await good(iam.projectRoles.import({ projectId, roles }, context))
  const all = { type: 'project', id: projectId }
  expect(asked.map(({ object }) => object)).toEqual([all, all])
  expect(asked.every((question) => !Object.hasOwn(question, 'roleKeys'))).toBe(true)
})

it('A role whose key is malformed is asked about as its project', async () => {
  const write = iam.projectRoles.remove({ projectId, roleKey: '' }, { caller })
  expect(await refusal(write)).toMatchObject({ kind: 'InvalidArgument' })
  expect(asked[0]?.object).toEqual({ type: 'project', id: projectId })
})

import { expect, test } from 'vitest'
import { MAX_APPEND_BYTES } from '../../../src/ports/event-store.js'
import { addSamples, context, good, iamOn, refusal, start } from '../host.js'

const permissions = Array.from({ length: 200 }, (_, n) => `${n}`.padStart(100, 'p'))
/** Roles of about 20 kB: 1,000 of them are four times what an append takes. */
const largeRoles = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    roleKey: `large-${n}`,
    displayName: 'L',
    permissions,
  }))

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`.padEnd(60, '-'))

const addRoles = async (iam: ReturnType<typeof iamOn>, keys: readonly string[]) => {
  const roles = keys.map((roleKey) => ({ roleKey, displayName: 'R' }))
  await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
}

test('An import of roles closes a batch before it is too large for an append', async () => {
  const { iam } = start()
  await addSamples(iam)
  const importing = iam.projectRoles.import(
    { projectId: 'portal', roles: largeRoles(600) },
    context,
  )
  expect(await good(importing)).toMatchObject({ added: 600, refusedCount: 0 })
})

test('An import of grants closes a batch before it is too large for an append', async () => {
  const { iam } = start()
  await addSamples(iam)
  const roleKeys = numbered('role', 60)
  await addRoles(iam, roleKeys)
  const roles = roleKeys.map((roleKey) => ({ roleKey, expiresAt: new Date('2099-01-01') }))
  const grants = numbered('user', 1_000).map((userId) => ({ userId, projectId: 'portal', roles }))
  expect(await good(iam.userGrants.import({ grants }, context))).toMatchObject({ added: 1_000 })
})

test('A desired state with more roles and grants than one append takes is applied', async () => {
  const { iam } = start()
  const roleKeys = numbered('role', 100)
  const roles = [...largeRoles(400), ...roleKeys.map((roleKey) => ({ roleKey, displayName: 'R' }))]
  const grants = numbered('org', 800).map((grantedOrgId) => ({ grantedOrgId, roleKeys }))
  const access = { projects: [{ id: 'portal', name: 'Portal', roles, grants }] }
  const { counts } = await good(iam.apply(access, context))
  expect(counts).toMatchObject({ add: 1 + 500 + 800 })
})

test('Roles that are too large for one append together are refused', async () => {
  const { iam } = start()
  await addSamples(iam)
  const roles = largeRoles(300)
  const answer = await refusal(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
  expect(answer).toEqual({
    kind: 'InvalidArgument',
    violations: [
      { field: 'roles', description: `must be at most ${MAX_APPEND_BYTES} bytes as JSON` },
    ],
  })
})

test('An append that a store refuses as invalid was not recorded', async () => {
  const { store } = start()
  const broken = iamOn({ ...store, append: (append) => store.append({ ...append, writes: [] }) })
  const answer = await refusal(broken.projects.add({ name: 'Portal' }, context))
  expect(answer).toMatchObject({ kind: 'Unavailable', outcome: 'not_recorded' })
})

import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { context, good, iamOn, logOf } from '../host.js'

const GRANTS = 10_000

test('10,000 grants on a resource are removed in batches, and those on others stay.', async () => {
  const { store, readModel, close } = openSqlite(temporaryFile())
  const iam = iamOn(store, { readModel, authorize: () => true })
  await good(iam.projects.add({ id: 'app', name: 'App' }, context))
  const role = { projectId: 'app', roleKey: 'editor', displayName: 'Editor' }
  await good(iam.projectRoles.add(role, context))
  const grantsOn = (resource: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      userId: `user-${index}`,
      projectId: 'app',
      resource,
      roles: [{ roleKey: 'editor' }],
    }))
  await good(iam.userGrants.import({ grants: grantsOn('workspace:42', GRANTS) }, context))
  // Before it and after it in the order of the list.
  for (const other of ['workspace:4', 'workspace:421'])
    await good(iam.userGrants.import({ grants: grantsOn(other, 10) }, context))

  const gone = { projectId: 'app', resource: 'workspace:42' }
  const { removed } = await good(iam.userGrants.removeAllOfResource(gone, context))

  expect(new Set(removed.map(({ userId }) => userId)).size).toBe(GRANTS)
  const removals = (await logOf(store)).filter(({ type }) => type === 'user_grant.removed')
  const batches = [...Map.groupBy(removals, ({ appendId }) => appendId).values()]
  expect(batches.map(({ length }) => length)).toEqual(Array(GRANTS / 400).fill(400))
  expect((await good(iam.access.whoHas(gone, context))).items).toEqual([])
  const left = await good(iam.userGrants.list({ pageSize: 100 }, context))
  expect(left.items.map(({ resource }) => resource)).toEqual([
    ...Array(10).fill('workspace:4'),
    ...Array(10).fill('workspace:421'),
  ])
  await close()
})

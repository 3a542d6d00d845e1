import { expect, it } from 'vitest'
import { IamFailure, items } from '../../../src/index.js'
import { context, good, start } from '../host.js'

const filled = async () => {
  const { iam } = start()
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  for (const roleKey of ['a', 'b', 'c', 'd', 'e']) {
    await good(
      iam.projectRoles.add({ projectId: 'portal', roleKey, displayName: roleKey }, context),
    )
    const grant = { userId: `user ${roleKey}`, projectId: 'portal', roles: [{ roleKey }] }
    await good(iam.userGrants.add(grant, context))
  }
  return iam
}

const all = async <Item>(given: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const found: Item[] = []
  for await (const item of given) found.push(item)
  return found
}

it('walks over all pages of a list, of access and of history in both orders', async () => {
  const iam = await filled()
  const roles = await all(
    items(iam.projectRoles.list, { projectId: 'portal', pageSize: 2 }, context),
  )
  expect(roles.map(({ roleKey }) => roleKey)).toEqual(['a', 'b', 'c', 'd', 'e'])
  const holders = await all(items(iam.access.whoHas, { pageSize: 2 }, context))
  expect(holders.map(({ userId }) => userId)).toEqual(roles.map(({ roleKey }) => `user ${roleKey}`))
  const oldest = await all(items(iam.history.list, { limit: 3 }, context))
  const newest = await all(items(iam.history.list, { limit: 3, order: 'desc' }, context))
  expect(oldest).toHaveLength(11)
  expect(newest).toEqual(oldest.toReversed())
})

it('begins where the input says, and reads no page that nobody asks for', async () => {
  const iam = await filled()
  const { items: entries } = await good(iam.history.list({}, context))
  const after = entries[7]?.sequence ?? 0n
  const rest = await all(items(iam.history.list, { after, limit: 1 }, context))
  expect(rest).toEqual(entries.slice(8))
  let pages = 0
  const counted: typeof iam.projectRoles.list = (...asked) => {
    pages++
    return iam.projectRoles.list(...asked)
  }
  for await (const { roleKey } of items(counted, { projectId: 'portal', pageSize: 2 }, context))
    if (roleKey === 'c') break
  expect(pages).toBe(2)
})

it('throws an IamFailure where a page is refused', async () => {
  const iam = await filled()
  const refused = all(items(iam.projectRoles.list, { projectId: 'absent' }, context))
  await expect(refused).rejects.toThrow(IamFailure)
  await expect(refused).rejects.toThrow(/project absent/)
})

import { expect, it } from 'vitest'
import { clockedStore, context, good, iamOn, withReads } from '../host.js'

it('rolesOf at the present millisecond survives a role that is removed within it', async () => {
  const { clock, store } = clockedStore()
  const writer = iamOn(store, { now: clock })
  await good(writer.projects.add({ id: 'portal', name: 'Portal' }, context))
  const role = { projectId: 'portal', roleKey: 'editor' }
  await good(writer.projectRoles.add({ ...role, displayName: 'Editor' }, context))
  await good(
    writer.userGrants.add(
      { userId: 'bob', projectId: 'portal', roles: [{ roleKey: 'editor' }] },
      context,
    ),
  )
  let isRemoved = false
  /** The role is removed after the read model has answered, and before the log is read. */
  const racing = withReads(store, async (stream, after) => {
    if (!isRemoved) {
      isRemoved = true
      await good(writer.projectRoles.remove(role, context))
    }
    return store.readStream(stream, after)
  })
  const iam = iamOn(racing, { now: clock })
  const answered = await iam.access.rolesOf({ userId: 'bob', at: clock() }, context)
  expect(answered.map(({ items }) => items.map(({ roleKey }) => roleKey))).toEqual(
    answered.map(() => ['editor']),
  )
  expect(answered.isOk() || answered.error).toBe(true)
})

import { expect, it } from 'vitest'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { context, good, type Iam, iamOn, refusal } from '../host.js'

const COUNT = 1_000

const role = { roleKey: 'role-0', displayName: 'Role 0' }
const roles = Array.from({ length: COUNT }, (_, n) => ({
  roleKey: `role-${n}`,
  displayName: `Role ${n}`,
}))

/** `store` that counts how often streams are read, one or several at a time. */
const counting = (store: EventStore) => {
  const count = { reads: 0 }
  const counted = async <Value>(reading: Promise<Value>): Promise<Value> => {
    count.reads++
    return reading
  }
  const { readStreams = () => Promise.reject(new Error('Reads streams one by one')) } = store
  const counts: EventStore = {
    ...store,
    readStream: (stream, after) => counted(store.readStream(stream, after)),
    readStreams: (reads) => counted(readStreams(reads)),
  }
  return { count, process: iamOn(counts) }
}

/** How often a process without memory reads streams for `call`. */
const readsOf = async (
  store: EventStore,
  call: (process: Iam) => Promise<unknown>,
): Promise<number> => {
  const { count, process } = counting(store)
  await call(process)
  return count.reads
}

const withPortal = async (): Promise<{ readonly store: EventStore; readonly iam: Iam }> => {
  const store = memoryEventStore()
  const iam = iamOn(store)
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  return { store, iam }
}

it('Adding a thousand roles of which one exists reads streams three times', async () => {
  const { store, iam } = await withPortal()
  await good(iam.projectRoles.add({ projectId: 'portal', ...role }, context))
  const reads = await readsOf(store, async (process) => {
    const refused = await refusal(
      process.projectRoles.addMany({ projectId: 'portal', roles }, context),
    )
    expect(refused).toMatchObject({ kind: 'AlreadyExists' })
  })
  expect(reads).toBe(3)
})

it('A repeated import of a thousand roles reads streams three times', async () => {
  const { store, iam } = await withPortal()
  await good(iam.projectRoles.import({ projectId: 'portal', roles }, context))
  const reads = await readsOf(store, async (process) => {
    const report = await good(process.projectRoles.import({ projectId: 'portal', roles }, context))
    expect(report.unchanged).toBe(COUNT)
  })
  expect(reads).toBe(3)
})

it('A repeated import of a thousand grants reads streams at most four times', async () => {
  const { store, iam } = await withPortal()
  await good(iam.projectRoles.add({ projectId: 'portal', ...role }, context))
  const grants = Array.from({ length: 999 }, (_, n) => ({
    userId: `user-${n}`,
    projectId: 'portal',
    roles: [{ roleKey: 'role-0' }],
  }))
  await good(iam.userGrants.import({ grants }, context))
  const reads = await readsOf(store, async (process) => {
    const report = await good(process.userGrants.import({ grants }, context))
    expect(report.unchanged).toBe(grants.length)
  })
  expect(reads).toBeLessThanOrEqual(4)
})

it('A plan of a thousand roles that are as declared reads streams at most four times', async () => {
  const { store, iam } = await withPortal()
  const projects = [{ id: 'portal', name: 'Portal', roles }]
  for (const desired of [{ projects }, { projects, managedBy: 'code', prune: true, version: 2 }]) {
    await good(iam.apply(desired, context))
    const reads = await readsOf(store, async (process) => {
      const plan = await good(process.plan(desired, context))
      expect(plan.counts).toMatchObject({ unchanged: COUNT + 1, add: 0, update: 0 })
    })
    expect(reads).toBeLessThanOrEqual(4)
  }
})

it('A store without `readStreams` is read stream by stream', async () => {
  const { store, iam } = await withPortal()
  await good(iam.projectRoles.addMany({ projectId: 'portal', roles: roles.slice(0, 3) }, context))
  const { readStreams: _, ...single } = store
  const reads: string[] = []
  const process = iamOn({
    ...single,
    readStream: (stream, after) => {
      reads.push(stream)
      return store.readStream(stream, after)
    },
  })
  const again = { projectId: 'portal', roles: roles.slice(0, 3) }
  expect((await good(process.projectRoles.import(again, context))).unchanged).toBe(3)
  expect(reads).toHaveLength(9)
})

import { expect, test } from 'vitest'
import { copyEvents, type EventStore, memoryEventStore } from '../../../src/index.js'
import { addSamples, clockedStore, context, good, iamOn } from '../host.js'

const editor = { projectId: 'portal', roleKey: 'editor' }
const ann = { userId: 'ann', projectId: 'portal' }
const viewer = [{ roleKey: 'viewer' }]

/** A process whose store loses, in a failover, the removal of a role that the process has seen. */
const failedOver = async () => {
  const before = clockedStore().store
  const after = memoryEventStore()
  let store: EventStore = before
  const forward = <Name extends keyof EventStore>(name: Name) =>
    ((...args: unknown[]) =>
      (store[name] as (...given: unknown[]) => unknown)(...args)) as EventStore[Name]
  const iam = iamOn({
    append: forward('append'),
    readStream: forward('readStream'),
    readAll: forward('readAll'),
    lastPosition: forward('lastPosition'),
    findAppend: forward('findAppend'),
  })
  await addSamples(iam)
  await good(iam.projectRoles.add({ ...editor, roleKey: 'viewer', displayName: 'V' }, context))
  await good(iam.userGrants.add({ ...ann, roles: [{ roleKey: 'editor' }] }, context))
  const grant = { projectId: 'portal', grantedOrgId: 'globex', roleKeys: ['editor'] }
  await good(iam.projectGrants.add(grant, context))
  expect((await copyEvents(before, after)).isOk()).toBe(true)
  await good(iam.projectRoles.remove(editor, context))
  const lose = () => {
    store = after
  }
  return { iam, lose, other: iamOn(after) }
}

const holds = async ({ other }: Awaited<ReturnType<typeof failedOver>>) =>
  (await good(other.userGrants.get(ann, context))).roles.map(({ roleKey }) => roleKey).sort()

test('Adding a role to a user takes none away whose removal a failover has lost', async () => {
  const world = await failedOver()
  await good(world.iam.userGrants.addRoles({ ...ann, roles: viewer }, context))
  world.lose()
  await good(world.iam.userGrants.addRoles({ ...ann, roles: viewer }, context))
  expect(await holds(world)).toEqual(['editor', 'viewer'])
})

test('Taking a role whose removal a failover has lost takes it', async () => {
  const world = await failedOver()
  const taking = { ...ann, roleKeys: ['editor'] }
  expect(await good(world.iam.userGrants.removeRoles(taking, context))).toMatchObject({
    changed: false,
  })
  world.lose()
  const taken = await good(world.iam.userGrants.removeRoles(taking, context))
  expect(taken).toMatchObject({ changed: true })
})

test('A grant to an organization keeps a role whose removal a failover has lost', async () => {
  const world = await failedOver()
  const grant = { projectId: 'portal', grantedOrgId: 'globex' }
  world.lose()
  await good(world.iam.projectGrants.update({ ...grant, roleKeys: ['editor', 'viewer'] }, context))
  const { roleKeys } = await good(world.other.projectGrants.get(grant, context))
  expect([...roleKeys].sort()).toEqual(['editor', 'viewer'])
})

test('An import adds no grant anew over one with a role whose removal a failover has lost', async () => {
  const world = await failedOver()
  await good(world.iam.userGrants.get(ann, context))
  world.lose()
  const report = await good(
    world.iam.userGrants.import({ grants: [{ ...ann, roles: viewer }] }, context),
  )
  expect(report).toMatchObject({ added: 0, refusedCount: 1 })
  expect(await holds(world)).toEqual(['editor'])
})

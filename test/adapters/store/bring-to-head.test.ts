import { expect, test, vi } from 'vitest'
import { bringToHead } from '../../../src/adapters/store/bring-to-head.js'
import { type EventStore, memoryEventStore, type Position } from '../../../src/index.js'
import { context, good, iamOn } from '../../application/host.js'

/** A store with three projects, and a read model that knows nothing yet and takes all that it is given. */
const behind = async () => {
  const store = memoryEventStore()
  const iam = iamOn(store)
  for (const id of ['a', 'b', 'c']) await good(iam.projects.add({ id, name: id }, context))
  const positions = (await store.readAll(0n, 10)).map(({ position }) => position)
  let reached: Position = 0n
  const apply = vi.fn(async (_: Position, events: readonly { readonly position: Position }[]) => {
    reached = events.at(-1)?.position ?? reached
    return true
  })
  const readModel = { checkpoint: async () => reached, apply }
  const applied = () =>
    apply.mock.calls.map(([from, events]) => [from, events.map(({ position }) => position)])
  const moveTo = (position: Position | undefined) => {
    reached = position ?? reached
  }
  return { store, readModel, apply, applied, moveTo, positions }
}

test('A read model that is behind is given all events, and one at the head none', async () => {
  const { store, readModel, applied, positions } = await behind()
  await bringToHead(store, readModel)
  expect(applied()).toEqual([[0n, positions]])
  await bringToHead(store, readModel)
  expect(applied()).toHaveLength(1)
})

test('It is given the next events as long as there are any', async () => {
  const { store, readModel, applied, positions } = await behind()
  const oneByOne: Pick<EventStore, 'readAll'> = { readAll: (after) => store.readAll(after, 1) }
  await bringToHead(oneByOne, readModel)
  expect(applied()).toEqual(
    positions.map((position, index) => [positions[index - 1] ?? 0n, [position]]),
  )
})

test('It is given what comes before an event that cannot be read, and the store is not asked again', async () => {
  const { store, readModel, applied, positions } = await behind()
  const readAll = vi.fn(async (after: Position, limit: number) =>
    (await store.readAll(after, limit)).map((event) =>
      event.position === positions[2] ? { ...event, type: 'project.painted' } : event,
    ),
  )
  await bringToHead({ readAll }, readModel)
  expect(applied()).toEqual([[0n, positions.slice(0, 2)]])
  expect(readAll).toHaveBeenCalledOnce()
})

test('It goes on where another process has brought it meanwhile', async () => {
  const { store, readModel, apply, applied, moveTo, positions } = await behind()
  apply.mockImplementationOnce(async () => {
    moveTo(positions[1])
    return false
  })
  await bringToHead(store, readModel)
  expect(applied()).toEqual([
    [0n, positions],
    [positions[1], positions.slice(2)],
  ])
})

test('It is left where it is when its checkpoint cannot be moved', async () => {
  const { store, readModel, apply } = await behind()
  apply.mockImplementation(async () => false)
  await bringToHead(store, readModel)
  expect(apply).toHaveBeenCalledOnce()
})

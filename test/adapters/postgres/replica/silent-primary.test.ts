import { expect, test } from 'vitest'
import { replicatedReadModel } from '../../../../src/adapters/postgres/replica/replicated-read-model.js'
import { memoryEventStore } from '../../../../src/index.js'
import type { HistoryEntry } from '../../../../src/ports/read-model.js'

const QUERY = { orgId: 'acme', after: 0n, order: 'asc', limit: 1 } as const

/** A read model whose primary has `reached`, and says so to `checkpoint` alone; its standby is behind. */
const behind = (reached: bigint) => {
  const store = memoryEventStore()
  const entry = (name: string) => [{ type: name }] as unknown as readonly HistoryEntry[]
  const unused = () => Promise.reject(new Error('not read'))
  const reads = { get: unused, list: unused, access: unused, heldRoles: unused, holders: unused }
  return replicatedReadModel({
    store,
    primary: {
      ...reads,
      name: 'read model',
      route: unused,
      reset: unused,
      checkpoint: async () => reached,
      apply: async () => true,
      history: async () => entry('of the primary'),
      readAtHead: () => ({ ...reads, route: unused }),
    } as never,
    positions: () => new Promise(() => undefined),
    standby: {
      ...reads,
      route: unused,
      get: async () => ({ found: { name: 'of the standby' }, head: 1n, reached: 1n }),
      checkpoint: async () => 1n,
      history: async () => ({ found: entry('of the standby'), head: 1n, reached: 1n }),
    } as never,
    maxWait: 10,
  })
}

test('A standby that is behind what the process has waited for is not read, however silent the primary.', async () => {
  const looked = behind(2n)
  await looked.checkpoint()
  expect(await looked.history(QUERY)).toEqual([{ type: 'of the primary' }])

  const applied = behind(0n)
  await applied.apply(0n, [{ position: 2n } as never])
  expect(await applied.history(QUERY)).toEqual([{ type: 'of the primary' }])
})

test('A standby that has it answers while the primary is silent.', async () => {
  const readModel = behind(1n)
  await readModel.checkpoint()
  expect(await readModel.history(QUERY)).toEqual([{ type: 'of the standby' }])
})

test('A standby without what the primary applied last answers what need not follow it.', async () => {
  const readModel = behind(2n)
  await readModel.checkpoint()
  await readModel.apply(1n, [{ position: 2n } as never])
  const portal = { type: 'project', id: 'portal' } as const
  expect(await readModel.get<'project'>('acme', portal)).toMatchObject({ name: 'of the standby' })
})

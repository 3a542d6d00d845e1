import { expect, test } from 'vitest'
import { replicatedReadModel } from '../../../../src/adapters/postgres/replica/replicated-read-model.js'
import { memoryEventStore } from '../../../../src/index.js'
import type { HistoryEntry, ReadQuery } from '../../../../src/ports/read-model.js'

const QUERY = { orgId: 'acme', after: 0n, order: 'asc', limit: 1 } as const

const silent = () => new Promise<never>(() => undefined)

const entry = (name: string) => [{ type: name }] as unknown as readonly HistoryEntry[]

/** A read model whose standby is behind what its primary has applied; the primary is asked by `positions`. */
const behind = (positions: () => Promise<never>) => {
  const store = memoryEventStore()
  // Nothing else is asked.
  const readModel = replicatedReadModel({
    store,
    primary: {
      checkpoint: async () => 2n,
      apply: async () => true,
      readAtHead: () => async () => ({ found: entry('of the primary'), head: 2n, reached: 2n }),
    } as never,
    positions,
    standby: {
      readAtHead: async ({ method }: ReadQuery) => ({
        found: method === 'get' ? { name: 'of the standby' } : entry('of the standby'),
        head: 1n,
        reached: 1n,
      }),
      checkpoint: async () => 1n,
    } as never,
    maxWait: 10,
  })
  return { store, readModel }
}

test('A standby answers no strong read while the primary does not say where it is.', async () => {
  const { store, readModel } = behind(() => Promise.reject(new Error('away')))
  const readAtHead = readModel.readAtHead?.({ store, readModel })
  await expect(readAtHead?.({ method: 'history', args: [QUERY] })).rejects.toThrow('away')
  const portal = { type: 'project', id: 'portal' } as const
  await expect(readAtHead?.({ method: 'get', args: ['acme', portal] })).rejects.toThrow('away')
})

test('A standby without what the primary applied last answers what need not follow it.', async () => {
  const { readModel } = behind(silent)
  await readModel.checkpoint()
  await readModel.apply(1n, [{ position: 2n } as never])
  const portal = { type: 'project', id: 'portal' } as const
  expect(await readModel.get<'project'>('acme', portal)).toMatchObject({ name: 'of the standby' })
  expect(await readModel.history(QUERY)).toEqual([{ type: 'of the standby' }])
})

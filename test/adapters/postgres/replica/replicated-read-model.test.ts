import { expect, test } from 'vitest'
import { replicatedReadModel } from '../../../../src/adapters/postgres/read-model.js'
import { memoryEventStore } from '../../../../src/index.js'
import type { ReadAtHead, ReadModel } from '../../../../src/ports/read-model.js'

/** A read model on two servers; each is at its checkpoint, which an answer names. */
const servers = () => {
  const at = { primary: 0n, standby: 0n, isStandbyAway: false }
  const answer = (server: 'primary' | 'standby') => ({
    head: at[server],
    reached: at[server],
    found: `${server} at ${at[server]}`,
  })
  const store = memoryEventStore()
  // Nothing else is asked.
  const primary = {
    readAtHead: () => async () => answer('primary'),
    checkpoint: async () => at.primary,
    reset: async () => {
      at.primary = 0n
    },
  } as unknown as ReadModel
  const standby = (async () => {
    if (at.isStandbyAway) throw new Error('away')
    return answer('standby')
  }) as unknown as ReadAtHead
  const readModel = replicatedReadModel({ store, primary, standby })
  const ref = { type: 'project', id: 'portal' } as const
  const atHead = readModel.readAtHead?.({ store, readModel })
  return {
    at,
    readModel,
    eventual: () => readModel.get<'project'>('acme', ref) as Promise<unknown>,
    strong: async () =>
      (await atHead?.<'get', 'project'>({ method: 'get', args: ['acme', ref] }))?.found,
  }
}

test('The standby answers eventual reads, the primary strong ones', async () => {
  const { at, eventual, strong } = servers()
  Object.assign(at, { primary: 20n, standby: 10n })
  expect(await eventual()).toBe('standby at 10')
  expect(await strong()).toBe('primary at 20')
})

test.each(['strong', 'checkpoint'] as const)(
  'A standby that is behind what the primary has answered (%s) answers nothing',
  async (read) => {
    const { at, eventual, strong, readModel } = servers()
    Object.assign(at, { primary: 20n, standby: 10n })
    await (read === 'strong' ? strong() : readModel.checkpoint())
    expect(await eventual()).toBe('primary at 20')
    at.standby = 20n
    expect(await eventual()).toBe('standby at 20')
  },
)

test('A standby that is behind another one, which has answered before, answers nothing', async () => {
  const { at, eventual } = servers()
  Object.assign(at, { primary: 30n, standby: 20n })
  expect(await eventual()).toBe('standby at 20')
  at.standby = 10n
  expect(await eventual()).toBe('primary at 30')
})

test('The primary answers while the standby is away, or shows nothing at all', async () => {
  const { at, eventual } = servers()
  at.primary = 20n
  expect(await eventual()).toBe('primary at 20')
  Object.assign(at, { standby: 20n, isStandbyAway: true })
  expect(await eventual()).toBe('primary at 20')
})

test('After a reset the standby is read only once the primary has again what was seen', async () => {
  const { at, eventual, strong, readModel } = servers()
  Object.assign(at, { primary: 20n, standby: 20n })
  expect(await eventual()).toBe('standby at 20')
  await readModel.reset()
  expect(await eventual()).toBe('primary at 0')
  at.primary = 10n
  expect(await strong()).toBe('primary at 10')
  expect(await eventual()).toBe('primary at 10')
  at.primary = 20n
  expect(await eventual()).toBe('primary at 20')
  expect(await eventual()).toBe('standby at 20')
})

test('A reset by another process is noticed when the primary is asked', async () => {
  const { at, eventual, strong } = servers()
  Object.assign(at, { primary: 20n, standby: 20n })
  expect(await eventual()).toBe('standby at 20')
  at.primary = 0n
  expect(await strong()).toBe('primary at 0')
  expect(await eventual()).toBe('primary at 0')
})

import { expect, test } from 'vitest'
import { replicatedReadModel } from '../../../../src/adapters/postgres/replica/replicated-read-model.js'
import type {
  Positions,
  StandbyReads,
} from '../../../../src/adapters/postgres/replica/waiting-reads.js'
import { memoryEventStore } from '../../../../src/index.js'
import type { ReadAtHead, ReadModel } from '../../../../src/ports/read-model.js'

const away = () => Promise.reject(new Error('away'))

/** It is asked for nothing else. */
const primary = {
  readAtHead: (): ReadAtHead => away,
} as unknown as ReadModel
const store = memoryEventStore()

test('Without the primary, a replica answers nothing that is behind what was seen, in whatever order that was', async () => {
  const asked: PromiseWithResolvers<Positions>[] = []
  const positions = () => {
    const question = Promise.withResolvers<Positions>()
    asked.push(question)
    return question.promise
  }
  const answers = [10n, 20n, 15n, 15n]
  // Nothing else is asked.
  const standby = {
    readAtHead: async () => {
      const reached = answers.shift() ?? 0n
      return { head: reached, reached, found: reached }
    },
  } as unknown as StandbyReads
  const readModel = replicatedReadModel({ store, primary, positions, standby, maxWait: 10_000 })
  const get = () => readModel.get<'project'>('acme', { type: 'project', id: 'portal' })

  const [older, newer] = [get(), get()]
  asked[1]?.resolve({ head: 20n, reached: 20n })
  expect(await newer).toBe(20n)
  asked[0]?.resolve({ head: 10n, reached: 10n })
  expect(await older).toBe(10n)
  const later = get()
  asked[2]?.reject(new Error('away'))
  await expect(later).rejects.toThrow('away')
})

test('Without the primary, a silent replica keeps no read waiting', async () => {
  const silent = () => new Promise<never>(() => undefined)
  const standby = { readAtHead: silent, checkpoint: silent } as unknown as StandbyReads
  const replicated = { store, primary, positions: away, standby, maxWait: 10 }
  const readModel = replicatedReadModel(replicated)
  const reading = readModel.get<'project'>('acme', { type: 'project', id: 'portal' })
  await expect(reading).rejects.toThrow('away')
})

test('A primary that falls silent keeps no eventual read waiting, though the replica had just failed', async () => {
  const answer = { head: 10n, reached: 10n, found: 10n }
  const ofPrimary = [Promise.resolve(answer), new Promise<never>(() => undefined)]
  const ofStandby = [away(), Promise.resolve(answer)]
  const failing = { readAtHead: () => () => ofPrimary.shift() } as unknown as ReadModel
  const standby = { readAtHead: () => ofStandby.shift() } as unknown as StandbyReads
  const positions = async () => answer
  const replicated = { store, primary: failing, positions, standby, maxWait: 20 }
  const readModel = replicatedReadModel(replicated)
  const get = () => readModel.get<'project'>('acme', { type: 'project', id: 'portal' })
  expect(await get()).toBe(10n)
  expect(await get()).toBe(10n)
  expect([ofPrimary, ofStandby]).toEqual([[], []])
})

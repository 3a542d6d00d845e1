import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type EventStore, memoryReadModel, type Progress } from '../../../src/index.js'
import { addSamples, good, iamOn, start } from '../host.js'

let store: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  await addSamples(started.iam)
})

afterEach(() => {
  vi.useRealTimers()
})

it('reads no page after the last', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const readAll = vi.fn(store.readAll)
  await good(iamOn({ ...store, readAll }).catchUp(memoryReadModel()))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(readAll).toHaveBeenCalledTimes(1)
})

it.each([
  { milliseconds: 500, rate: 6 },
  { milliseconds: 0, rate: 3_000 },
])(
  'counts the events of a second, when three took $milliseconds milliseconds',
  async ({ milliseconds, rate }) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const readModel = memoryReadModel()
    const projection: typeof readModel = {
      ...readModel,
      apply: (from, events) => {
        vi.setSystemTime(Date.now() + milliseconds)
        return readModel.apply(from, events)
      },
    }
    const told: Progress[] = []
    await good(iamOn(store).catchUp(projection, { onProgress: (progress) => told.push(progress) }))
    expect(told).toMatchObject([{ done: 3, total: 3, rate }])
  },
)

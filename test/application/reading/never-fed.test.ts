import { beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, memoryEventStore, memoryReadModel } from '../../../src/index.js'
import { addAllSamples, context, good, iamOn, refusal, start } from '../host.js'
import { reads } from '../method/methods.js'

let store: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  await addAllSamples(started.iam)
})

const eventual = { ...context, consistency: 'eventual' } as const

/** What answers from the log needs no read model. */
const ofReadModel = reads.filter(({ name }) => !/stateAt|explain|revealClientSecret/.test(name))

const neverFed = {
  kind: 'Unavailable',
  outcome: 'not_recorded',
  cause: new Error(
    'The read model is empty: keep it up to date with iam.run(readModel), update it ' +
      "once with iam.catchUp(readModel), or read with consistency: 'strong'",
  ),
}

describe.each(ofReadModel)('An eventual $name', ({ of, input }) => {
  it('is unavailable when the read model was never fed', async () => {
    expect(await refusal(of(iamOn(store))(input, eventual))).toEqual(neverFed)
  })

  it('answers once it was fed, and is unavailable again after a reset', async () => {
    const readModel = memoryReadModel()
    await good(iamOn(store).catchUp(readModel))
    const process = iamOn(store, { readModel })
    await good(of(process)(input, eventual))
    await readModel.reset()
    expect(await refusal(of(process)(input, eventual))).toEqual(neverFed)
    await good(of(process)(input, context))
  })

  it('reads neither checkpoint nor head when it finds something', async () => {
    const readModel = memoryReadModel()
    await good(iamOn(store).catchUp(readModel))
    const asked = () => Promise.reject(new Error('was asked'))
    const process = iamOn(
      { ...store, lastPosition: asked },
      { readModel: { ...readModel, checkpoint: asked } },
    )
    await good(of(process)(input, eventual))
  })
})

it('answers that nothing was found when the log is empty', async () => {
  const process = iamOn(memoryEventStore())
  const portal = { id: 'portal' }
  expect(await refusal(process.projects.get(portal, eventual))).toMatchObject({ kind: 'NotFound' })
  expect(await good(process.projects.list({}, eventual))).toMatchObject({ items: [], sequence: 0n })
  expect(await good(process.history.list({}, eventual))).toEqual({ items: [] })
})

it('answers that nothing was found when the read model was fed', async () => {
  const readModel = memoryReadModel()
  const process = iamOn(store, { readModel })
  await good(process.catchUp(readModel))
  const unknown = { id: 'unknown' }
  const found = await refusal(process.projects.get(unknown, eventual))
  expect(found).toMatchObject({ kind: 'NotFound' })
  const after = await store.lastPosition()
  expect(await good(process.history.list({ after }, eventual))).toEqual({ items: [] })
  const filter = { name: { equals: 'unknown' } }
  expect(await good(process.projects.list({ filter }, eventual))).toMatchObject({ items: [] })
})

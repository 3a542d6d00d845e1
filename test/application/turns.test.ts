import { beforeAll, describe, expect, it } from 'vitest'
import {
  copyEvents,
  createIam,
  memoryEventStore,
  memoryReadModel,
  verify,
} from '../../src/index.js'
import { context, everything, good, oldCipher, refusal } from './host.js'

const store = memoryEventStore()
const iam = createIam({ store, secrets: oldCipher, authorize: () => everything.length > 0 })

const rolesOf = (hundred: number) =>
  Array.from({ length: 100 }, (_, index) => ({
    roleKey: `role-${hundred}-${index}`,
    displayName: 'Role',
  }))

/** More than two pages of everything that reads a log, in a store that never waits. */
beforeAll(async () => {
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  for (let hundred = 0; hundred < 60; hundred++) {
    const roles = rolesOf(hundred)
    await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
  }
})

/** Aborts when the event loop turns for the first time. */
const abortedNextTurn = (): AbortSignal => {
  const controller = new AbortController()
  setImmediate(() => controller.abort())
  return controller.signal
}

describe('The event loop turns between the parts of something long', () => {
  it('when a read model catches up', async () => {
    const signal = abortedNextTurn()
    const readModel = memoryReadModel()
    expect(await refusal(iam.catchUp(readModel, { signal }))).toEqual({ kind: 'Cancelled' })
    expect(await good(iam.catchUp(readModel))).toBe(await store.lastPosition())
  })

  it('when a log is verified', async () => {
    const signal = abortedNextTurn()
    expect((await verify(store, { signal }))._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('when a log is copied', async () => {
    const signal = abortedNextTurn()
    const to = memoryEventStore()
    const stopped = await copyEvents(store, to, { signal })
    expect(stopped._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    expect((await copyEvents(store, to))._unsafeUnwrap()).toMatchObject({ events: 6_001 })
  })

  it('when roles are imported that are there already', async () => {
    const signal = abortedNextTurn()
    const roles = Array.from({ length: 60 }, (_, hundred) => rolesOf(hundred)).flat()
    const input = { projectId: 'portal', roles }
    const importing = iam.projectRoles.import(input, { ...context, signal })
    expect(await refusal(importing)).toEqual({ kind: 'Cancelled' })
    expect(await good(iam.projectRoles.import(input, context))).toMatchObject({ unchanged: 6_000 })
  })

  it('when a subscription reads what there is already', async () => {
    const signal = abortedNextTurn()
    let told = 0
    for await (const _ of iam.subscribe({ signal })) told++
    expect(told).toBeGreaterThan(0)
    expect(told).toBeLessThan(6_001)
  })
})

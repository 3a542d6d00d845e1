import { beforeAll, describe, expect, it } from 'vitest'
import {
  copyEvents,
  createIam,
  memoryEventStore,
  memoryReadModel,
  verify,
} from '../../../src/index.js'
import {
  context,
  everything,
  good,
  iamOn,
  logOf,
  oidc,
  oldCipher,
  refusal,
  withAppend,
} from '../host.js'

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

const ids = ['p1', 'p2', 'p3']
const projects = ids.map((id) => ({ id, name: 'Project' }))

/** Memory with three projects and three providers, on which plan and apply wait for nothing. */
const small = async () => {
  const store = memoryEventStore()
  const authorize = ({ object }: { readonly object?: object }) => object !== undefined
  const [iam, permitted] = [iamOn(store, { authorize }), iamOn(store, { authorize: () => true })]
  for (const project of projects) await good(iam.projects.add(project, context))
  for (const idpId of ids) await good(iam.identityProviders.addOidc({ ...oidc, idpId }, context))
  await good(permitted.projects.list({}, context))
  return { store, iam, permitted }
}

describe('The event loop runs between the parts of long work', () => {
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
    expect((await logOf(to)).length).toBeLessThan(6_001)
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

  it('when grants are imported that are there already', async () => {
    const grants = Array.from({ length: 3_000 }, (_, n) => ({
      userId: `user-${n}`,
      projectId: 'portal',
      roles: [{ roleKey: 'role-0-0' }],
    }))
    await good(iam.userGrants.import({ grants }, context))
    const signal = abortedNextTurn()
    const importing = iam.userGrants.import({ grants }, { ...context, signal })
    expect(await refusal(importing)).toEqual({ kind: 'Cancelled' })
    expect(await good(iam.userGrants.import({ grants }, context))).toMatchObject({
      unchanged: 3_000,
    })
  })

  it('when a subscription reads what there is already', async () => {
    const signal = abortedNextTurn()
    let told = 0
    for await (const _ of iam.subscribe({ signal })) told++
    expect(told).toBeGreaterThan(0)
    expect(told).toBeLessThan(6_001)
  })

  it('when a desired state is planned', async () => {
    const { iam } = await small()
    const signal = abortedNextTurn()
    const cancelled = { kind: 'Cancelled' }
    expect(await refusal(iam.plan({ projects }, { ...context, signal }))).toEqual(cancelled)
    expect(await good(iam.plan({ projects }, context))).toMatchObject({ counts: { unchanged: 3 } })
  })

  it('when undeclared objects are read', async () => {
    const { permitted } = await small()
    const signal = abortedNextTurn()
    const planning = permitted.plan({ projects: [] }, { ...context, signal })
    expect(await refusal(planning)).toEqual({ kind: 'Cancelled' })
  })

  it('when a plan is applied that changes nothing', async () => {
    const { iam } = await small()
    const plan = await good(iam.plan({ projects }, context))
    const signal = abortedNextTurn()
    const applying = iam.apply(plan, { ...context, signal })
    expect(await refusal(applying)).toEqual({ kind: 'Cancelled' })
  })

  it('when more roles are applied than one append takes', async () => {
    const { store } = await small()
    const controller = new AbortController()
    const turning = withAppend(store, (append, send) => {
      setImmediate(() => controller.abort())
      return send(append)
    })
    const roles = Array.from({ length: 15 }, (_, hundred) => rolesOf(hundred)).flat()
    const desired = { projects: [{ id: 'p1', name: 'Project', roles }] }
    const applying = iamOn(turning).apply(desired, { ...context, signal: controller.signal })
    expect(await refusal(applying)).toEqual({ kind: 'Cancelled' })
    expect(await logOf(store)).toHaveLength(1_006)
  })

  it('when secrets under the current key are checked', async () => {
    const { permitted } = await small()
    const controller = new AbortController()
    const onProgress = () => setImmediate(() => controller.abort())
    const within = { ...context, signal: controller.signal, onProgress }
    const resealing = permitted.identityProviders.resealSecrets({}, within)
    expect(await refusal(resealing)).toEqual({ kind: 'Cancelled' })
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { memoryReadModel } from '../../../src/adapters/memory/read-model.js'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { context, good, iamOn, logOf, oidc, withAppend } from '../host.js'

const HOUR = 3_600_000
const { idpId } = oidc
const portal = { projectId: 'portal' }
const anna = { idpId, userId: 'anna' }
const asked = { userId: 'anna', ...portal, roleKey: 'editor' }

let time: number
let store: ReturnType<typeof memoryEventStore>

const now = () => new Date(time)
const iamOf = (on: EventStore) => iamOn(on, { now, authorize: () => true })

beforeEach(async () => {
  time = Date.parse('2030-01-01T00:00:00.000Z')
  store = memoryEventStore({ now })
  const iam = iamOf(store)
  await good(iam.identityProviders.addOidc(oidc, context))
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  for (const roleKey of ['editor', 'viewer'])
    await good(iam.projectRoles.add({ ...portal, roleKey, displayName: roleKey }, context))
})

const map = (group: string, rest: object = {}) =>
  good(
    iamOf(store).roleMappings.add(
      { idpId, group, ...portal, roleKeys: ['editor'], ...rest },
      context,
    ),
  )

describe('A report during which a mapping is added', () => {
  it.each([
    ['a report', context],
    ['a report under an idempotency key', { ...context, idempotencyKey: 'sign-in 7' }],
  ])('gives what each mapping before it in the log gives: %s', async (_, given) => {
    await map('all', { roleKeys: ['viewer'] })
    let left = ['staff', 'board']
    const raced = iamOf(
      withAppend(store, async (append, send) => {
        const [group, ...rest] = left
        left = rest
        if (group) await map(group)
        return send(append)
      }),
    )
    const reported = { ...anna, groups: ['all', 'board', 'other', 'staff'] }
    const { events, changed, details } = await good(raced.memberships.report(reported, given))
    expect(changed).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(Array(3).fill('membership.reported'))
    const last = (await logOf(store)).at(-1)
    expect(last).toEqual(events.at(-1))
    expect(details.sequence).toBe(last?.position)
    expect(last?.data).toEqual({ ...anna, groups: ['all', 'board', 'staff'] })
    expect((await good(raced.access.check(asked, context))).allowed).toBe(true)
  })

  it('is recorded once where the mapping is of no group of the user', async () => {
    const raced = iamOf(
      withAppend(store, async (append, send) => {
        if (append.writes.some(({ stream }) => stream.startsWith('membership-'))) await map('board')
        return send(append)
      }),
    )
    await map('staff')
    const reported = { ...anna, groups: ['staff'] }
    const { events } = await good(raced.memberships.report(reported, context))
    expect(events).toHaveLength(1)
  })
})

describe('A membership that was reported many times', () => {
  const REPORTS = 120
  const groups = ['staff']

  /** The number of events of memberships that a process which begins now reads from their streams. */
  const begin = async () => {
    let read = 0
    const counting: EventStore = {
      ...store,
      readStream: async (stream, after) => {
        const events = await store.readStream(stream, after)
        if (stream.startsWith('membership-')) read += events.length
        return events
      },
    }
    const readModel = memoryReadModel()
    const iam = iamOn(counting, { now, authorize: () => true, readModel })
    await good(iam.catchUp(readModel))
    return { iam, read: () => read }
  }

  beforeEach(async () => {
    await map('staff', { validFor: 1 })
    const iam = iamOf(store)
    for (let report = 0; report < REPORTS; report++) {
      await good(iam.memberships.report({ ...anna, groups }, context))
      time += HOUR / 10
    }
  })

  it('is reported again from its last event', async () => {
    const before = await good(iamOf(store).memberships.get(anna, context))
    const { iam, read } = await begin()
    const { details, changed } = await good(iam.memberships.report({ ...anna, groups }, context))
    expect(changed).toBe(true)
    expect(read()).toBeLessThan(3)
    expect(details.creationDate).toEqual(before.details.creationDate)
    const last = (await logOf(store)).at(-1)
    expect(last?.version).toBe(REPORTS + 1)
    expect(details.sequence).toBe(last?.position)
  })

  it('is reported again after its removal from its last event', async () => {
    await good(iamOf(store).memberships.remove(anna, context))
    time += HOUR
    const { iam, read } = await begin()
    const { details } = await good(iam.memberships.report({ ...anna, groups }, context))
    expect(read()).toBeLessThan(3)
    expect(details.creationDate).toEqual(details.changeDate)
  })

  it('is explained, and checked at a time, from its last event', async () => {
    const { iam, read } = await begin()
    const at = new Date(time - HOUR)
    expect((await good(iam.access.check({ ...asked, at }, context))).allowed).toBe(true)
    const { allowed, because } = await good(iam.access.explain({ ...asked, at }, context))
    expect(allowed).toBe(true)
    const { items } = await good(
      iam.history.list({ object: { type: 'membership', ...anna }, limit: 1000 }, context),
    )
    const counted = items.filter((entry) => entry.time <= at).at(-1)
    expect(because.at(-1)).toEqual(counted)
    expect(read()).toBe(0)
  })

  it('is still explained by groups of before', async () => {
    await good(iamOf(store).memberships.report({ ...anna, groups: [] }, context))
    const { iam } = await begin()
    const { allowed, because } = await good(iam.access.explain(asked, context))
    expect(allowed).toBe(false)
    expect(because.map(({ type }) => type)).toEqual([
      'identity_provider.oidc_added',
      'project.added',
      'project_role.added',
      'role_mapping.added',
      'membership.reported',
    ])
  })
})

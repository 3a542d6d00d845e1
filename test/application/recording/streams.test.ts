import { err, ok } from 'neverthrow'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { StateCache } from '../../../src/application/recording/state-cache.js'
import { change } from '../../../src/application/recording/stream-state.js'
import {
  CallStreams,
  type Delegation,
  type Streams,
  streamsAt,
  withinLimits,
} from '../../../src/application/recording/streams.js'
import { projects } from '../../../src/domain/project/aggregate.js'
import { projectRoles } from '../../../src/domain/project-role/aggregate.js'
import { OrgId, ProjectId, RoleKey } from '../../../src/domain/values.js'
import type { EventStore } from '../../../src/index.js'
import {
  addSamples,
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  refusal,
  start,
  withAppend,
  withReads,
} from '../host.js'

let store: EventStore
let iam: Iam
/** The streams that were read of `recording`, in order. */
let read: string[]
let recording: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
  read = []
  recording = withReads(store, (stream, after) => {
    read.push(stream)
    return store.readStream(stream, after)
  })
})

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const projectId = ProjectId.parse('portal')
const roleKey = RoleKey.parse('editor')
const unchanged = { ...editor, displayName: 'Editor', group: 'content' }
const PORTAL = 'project-acme+portal'
const EDITOR = 'project_role-acme+portal+editor'

it('reads each stream once for a change', async () => {
  await good(iamOn(recording).projectRoles.patch({ ...editor, displayName: 'n' }, context))
  expect(read).toEqual([PORTAL, EDITOR])
})

it('reads all streams together before it says that nothing changes', async () => {
  await good(iamOn(recording).projectRoles.update(unchanged, context))
  expect(read).toEqual([PORTAL, EDITOR, PORTAL, EDITOR])
})

it('never says that nothing changes of a project that was removed while it read', async () => {
  let reads = 0
  const process = iamOn(
    withReads(store, async (stream, after) => {
      if (stream === EDITOR && reads++ === 0) await good(iam.projects.remove(portal, context))
      return store.readStream(stream, after)
    }),
  )
  expect(await refusal(process.projectRoles.update(unchanged, context))).toEqual({
    kind: 'NotFound',
    object: { type: 'project', ...portal },
  })
})

it('gives up after ten seconds when a stream changes before every confirmation', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let reads = 0
  const process = iamOn(
    withReads(store, async (stream, after) => {
      if (stream === PORTAL) {
        vi.advanceTimersByTime(1_000)
        await good(iam.projects.patch({ ...portal, name: `name ${++reads}` }, context))
      }
      return store.readStream(stream, after)
    }),
  )
  const refused = refusal(process.projectRoles.update(unchanged, context))
  expect(await refused).toEqual({ kind: 'Aborted', attempts: 0 })
  expect(reads).toBeGreaterThan(9)
})

it('requires that a remembered project is still there when a role is added', async () => {
  let isRaced = false
  const process = iamOn(
    withAppend(store, async (append, send) => {
      if (isRaced) await good(iam.projects.remove(portal, context))
      return send(append)
    }),
  )
  await good(process.projects.patch({ ...portal, name: 'remembered' }, context))
  isRaced = true
  const adding = process.projectRoles.add({ ...editor, roleKey: 'new', displayName: 'n' }, context)
  expect(await refusal(adding)).toMatchObject({ kind: 'NotFound' })
  expect((await logOf(store)).at(-1)?.type).toBe('project.removed')
})

const streamsOn = (cache = new StateCache(recording)) =>
  new CallStreams(cache, { orgId: OrgId.parse('acme'), signal: undefined })

it('guards by one write what a decision reads twice', async () => {
  const streams = streamsOn()
  await streams.decide(async (given) => {
    const first = await given.read(projects, portal)
    expect(await given.read(projects, portal)).toBe(first)
  })
  expect(read).toEqual([PORTAL])
  expect(streams.writesOf([])).toEqual([{ stream: PORTAL, expectedVersion: 1, events: [] }])
})

it('does not take what was loaded before a wait for the latest', async () => {
  const streams = streamsOn()
  const readPortal = (given: Streams) => given.read(projects, portal)
  await streams.decide(readPortal)
  expect(await streams.confirm()).toBe(true)
  expect(read).toEqual([PORTAL])
  streams.adoptCached()
  await streams.decide(readPortal)
  expect(await streams.confirm()).toBe(true)
  expect(read).toEqual([PORTAL, PORTAL])
})

it('confirms only what did not change between two loads, and so was true at one moment', async () => {
  const streams = streamsOn()
  const [project, role] = [
    (given: Streams) => given.read(projects, portal),
    (given: Streams) => given.read(projectRoles, { projectId, roleKey }),
  ]
  await streams.decide(async (given) => {
    await project(given)
    await role(given)
  })
  expect(await streams.confirm()).toBe(true)
  expect(read).toEqual([PORTAL, EDITOR, PORTAL, EDITOR])
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  // The decision was made on the project as it was before.
  expect(await streams.confirm()).toBe(false)
  await streams.decide((given) => Promise.all([project(given), role(given)]))
  expect(await streams.confirm()).toBe(true)
})

it('loads the latest when asked to, and guards nothing by what it only looks at', async () => {
  const cache = new StateCache(store)
  const cached = await cache.readLatest(projects, 'acme', portal)
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  for (const [load, version] of [
    ['cached', 1],
    ['latest', 2],
  ] as const) {
    const streams = streamsOn(cache)
    const found = await streams.decide((given) =>
      given.read(projects, portal, { load, guard: false }),
    )
    expect(found.version).toBe(version)
    if (load === 'cached') expect(found).toBe(cached)
    expect(streams.writesOf([])).toEqual([])
  }
})

it('loads once what two reads ask for together, and answers later ones with it', async () => {
  const streams = streamsOn()
  const latest = (given: Streams) => given.read(projects, portal, { load: 'latest' })
  await streams.decide((given) => Promise.all([latest(given), latest(given)]))
  await streams.decide(latest)
  expect(read).toEqual([PORTAL])
})

it('loads the latest of what was read as cached, and is then mixed', async () => {
  const cache = new StateCache(store)
  await cache.readLatest(projects, 'acme', portal)
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  const streams = streamsOn(cache)
  await streams.decide(async (given) => {
    expect(await given.read(projects, portal)).toMatchObject({ version: 1 })
    expect(await given.read(projects, portal, { load: 'latest' })).toMatchObject({ version: 2 })
  })
  expect(streams.isMixed).toBe(true)
})

it('loads once what a refusal rests on', async () => {
  const missing = { id: 'nowhere', name: 'n' }
  expect(await refusal(iamOn(recording).projects.patch(missing, context))).toMatchObject({
    kind: 'NotFound',
  })
  expect(read).toEqual(['project-acme+nowhere'])
})

it('does not load what is assumed to be empty, until a reload', async () => {
  const streams = streamsOn()
  const add = (given: Streams) => given.read(projects, portal, { load: 'assume-empty' })
  expect(await streams.decide(add)).toMatchObject({ version: 0 })
  expect(read).toEqual([])
  expect(streams.writesOf([])).toEqual([{ stream: PORTAL, expectedVersion: 0, events: [] }])
  expect(await streams.confirm()).toBe(false)
  expect(await streams.decide(add)).toMatchObject({ version: 1 })
  expect(await streams.confirm()).toBe(true)
})

it('never takes a stream that is read as one aggregate for one of another', async () => {
  const others = { ...projectRoles, stream: () => projects.stream('acme', portal) }
  const reading = streamsOn().decide((given) =>
    Promise.all([given.read(projects, portal), given.read(others, { projectId, roleKey })]),
  )
  await expect(reading).rejects.toThrow(`${PORTAL} was read as a stream of another aggregate`)
})

it('reads a stream once that is wanted twice as it was at a position', async () => {
  const then = streamsAt(recording, OrgId.parse('acme'), await store.lastPosition())
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  const [first, second] = await Promise.all([
    then.read(projects, portal),
    then.read(projects, portal),
  ])
  expect(first).toMatchObject({ version: 1, state: { name: 'Portal' } })
  expect(second).toBe(first)
  expect(await then.read(projects, portal)).toBe(first)
  expect(read).toEqual([PORTAL])
})

it('reads a stream at the position of its last event with that event', async () => {
  const then = streamsAt(store, OrgId.parse('acme'), await store.lastPosition())
  expect(await then.read(projectRoles, { projectId, roleKey })).toMatchObject({ version: 1 })
})

it('reads once in one decision what is assumed to be empty', async () => {
  const streams = streamsOn()
  const empty = () => streams.read(projects, { id: 'new' }, { load: 'assume-empty' })
  await streams.decide(async () => expect(await empty()).toBe(await empty()))
  expect(streams.isMixed).toBe(false)
})

it('tells the last position of all that the last decision read', async () => {
  const streams = streamsOn()
  expect(streams.lastRead).toBe(0n)
  const [first, last] = (await logOf(store)).slice(-2).map(({ position }) => position)
  const project = () => streams.read(projects, portal)
  const role = () => streams.read(projectRoles, { projectId, roleKey })
  const inOrder = (...reads: readonly (() => Promise<unknown>)[]) =>
    streams.decide(async () => {
      for (const each of reads) await each()
    })
  await inOrder(project, role)
  expect(streams.lastRead).toBe(last)
  await inOrder(role, project)
  expect(streams.lastRead).toBe(last)
  await inOrder(project)
  expect(streams.lastRead).toBe(first)
})

it('guards what was decided on before, so or as it was loaded since', async () => {
  const cache = new StateCache(recording)
  const known = await cache.readLatest(projects, 'acme', portal)
  const streams = streamsOn(cache)
  expect(streams.current(known)).toBe(known)
  expect(streams.writesOf([])).toEqual([{ stream: PORTAL, expectedVersion: 1, events: [] }])
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  await streams.reload()
  await streams.decide(async () => {
    expect(streams.current(known)).toMatchObject({ version: 2 })
  })
  expect(streams.writesOf([])).toEqual([{ stream: PORTAL, expectedVersion: 2, events: [] }])
})

describe('A decision within the limits of a caller', () => {
  const decided = ok({ changes: [], note: 'decided' })
  const limitedTo = (limited: Awaited<ReturnType<Delegation['limit']>>) => {
    const limit = vi.fn(async () => limited)
    return { limit, delegation: { authorize: () => true, limit } }
  }

  it('is made as it is for a caller without a delegation', async () => {
    const decide = async () => decided
    expect(withinLimits(undefined, decide)).toBe(decide)
  })

  it('has the changes that the limits leave', async () => {
    const streams = streamsOn()
    const left = [change(await streams.read(projects, portal), [])]
    const { limit, delegation } = limitedTo(ok(left))
    const within = await withinLimits(delegation, async () => decided)(streams)
    expect(within).toEqual(ok({ changes: left, note: 'decided' }))
    expect(limit).toHaveBeenCalledExactlyOnceWith(streams, [])
  })

  it('is refused by the limits', async () => {
    const refused = err({ kind: 'Cancelled' as const })
    const { delegation } = limitedTo(refused)
    expect(await withinLimits(delegation, async () => decided)(streamsOn())).toEqual(refused)
  })

  it('that is refused anyway needs no limits', async () => {
    const refused = err({ kind: 'Cancelled' as const })
    const { limit, delegation } = limitedTo(ok([]))
    expect(await withinLimits(delegation, async () => refused)(streamsOn())).toBe(refused)
    expect(limit).not.toHaveBeenCalled()
  })
})

it('reads no roles to switch a grant off, or to end it', async () => {
  const roles = ['editor', 'viewer'].map((roleKey) => ({ roleKey }))
  const bob = { userId: 'bob', projectId: 'portal' }
  await good(iam.projectRoles.add({ ...editor, roleKey: 'viewer', displayName: 'V' }, context))
  await good(iam.userGrants.add({ ...bob, roles }, context))
  for (const name of ['deactivate', 'reactivate', 'remove'] as const) {
    read = []
    await good(iamOn(recording).userGrants[name](bob, context))
    expect(read.toSorted()).toEqual([PORTAL, 'user_grant-acme+acme+portal+bob'])
  }
})

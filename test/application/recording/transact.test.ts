import { err, ok } from 'neverthrow'
import { beforeEach, describe, expect, it } from 'vitest'
import { change, type StreamState } from '../../../src/application/recording/stream-state.js'
import type { Streams } from '../../../src/application/recording/streams.js'
import { transact } from '../../../src/application/recording/transact.js'
import { createRuntime } from '../../../src/application/runtime.js'
import { ulids } from '../../../src/create-iam.js'
import { exists } from '../../../src/domain/aggregate.js'
import { type ProjectState, projects } from '../../../src/domain/project/aggregate.js'
import type { ProjectEvent } from '../../../src/domain/project/events.js'
import { projectRoles } from '../../../src/domain/project-role/aggregate.js'
import { ProjectId, RoleKey } from '../../../src/domain/values.js'
import {
  type Append,
  type EventStore,
  memoryReadModel,
  permissionsFromCaller,
} from '../../../src/index.js'
import { systemEnvironment } from '../../../src/ports/environment.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addSamples,
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  oldCipher,
  refusal,
  start,
  withAppend,
  withReads,
} from '../host.js'
import { admittedCall } from './admitted-call.js'

let store: EventStore
let iam: Iam
/** What was sent to `recording`, and the streams that were read of it. */
let sent: Append[]
let read: string[]
let recording: EventStore
/** Each happens once, right before or after the next append to `recording`. */
let beforeAppend: (() => Promise<unknown>) | undefined
let afterAppend: (() => Promise<unknown>) | undefined

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
  sent = []
  read = []
  beforeAppend = undefined
  afterAppend = undefined
  const watched = withAppend(store, async (append, send) => {
    sent.push(append)
    const [before, after] = [beforeAppend, afterAppend]
    beforeAppend = undefined
    afterAppend = undefined
    await before?.()
    const answer = await send(append)
    await after?.()
    return answer
  })
  recording = withReads(watched, (stream, after) => {
    read.push(stream)
    return store.readStream(stream, after)
  })
})

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const editorIds = { projectId: ProjectId.parse('portal'), roleKey: RoleKey.parse('editor') }

/** Lets everything run that waits for no timer. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const streamsOf = ({ writes }: Append): readonly string[] => writes.map(({ stream }) => stream)

it('does not let commands wait for each other that add the same object: versions decide', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const process = iamOn(
    withAppend(recording, async (append, send) => {
      const answer = send(append)
      await held
      return answer
    }),
  )
  const adding = ['one', 'two'].map((name) => process.projects.add({ id: 'new', name }, context))
  await turn()
  expect(sent).toHaveLength(2)
  release()
  const added = await Promise.all(adding)
  expect(added.map((result) => result.isOk())).toEqual([true, false])
})

it('locks what it only reads, too, after three lost races and not before', async () => {
  const rename = (name: string) => process.projects.patch({ ...portal, name }, context)
  let attempts = 0
  let late: ReturnType<typeof rename> | undefined
  const process = iamOn(
    withAppend(store, async (append, send) => {
      if (!streamsOf(append).includes('project_role-acme+portal+editor')) return send(append)
      attempts++
      if (attempts <= 3) await good(rename(`raced ${attempts}`))
      else {
        late = rename('late')
        await turn()
      }
      return send(append)
    }),
  )
  await good(process.projectRoles.patch({ ...editor, displayName: 'n' }, context))
  expect(attempts).toBe(4)
  if (late) await good(late)
  const names = (await logOf(store))
    .slice(3)
    .map(({ type, data }) => [type, Reflect.get(data, 'name')])
  expect(names).toEqual([
    ['project.updated', 'raced 1'],
    ['project.updated', 'raced 2'],
    ['project.updated', 'raced 3'],
    ['project_role.updated', undefined],
    ['project.updated', 'late'],
  ])
})

it('finds nothing left to change in the store alone, not in what another call has just recorded', async () => {
  afterAppend = () => good(iam.projects.patch({ ...portal, name: 'other' }, context))
  const process = iamOn(recording)
  const rename = () => good(process.projects.patch({ ...portal, name: 'wanted' }, context))
  const renamed = await Promise.all([rename(), rename()])
  expect(renamed.map(({ changed }) => changed)).toEqual([true, true])
})

it('does not remember what it has just created: most is not used again', async () => {
  const process = iamOn(recording)
  await good(process.projects.add({ id: 'new', name: 'n' }, context))
  expect(read).toEqual([])
  await good(process.projects.patch({ id: 'new', name: 'm' }, context))
  expect(read).toEqual(['project-acme+new'])
})

it('remembers a stream after all of its events', async () => {
  const process = iamOn(recording)
  const google = { idpId: 'google', name: 'n' }
  await good(process.identityProviders.patch(google, context))
  const both = await good(
    process.identityProviders.patch({ ...google, name: 'm', issuer: 'i' }, context),
  )
  expect(both.events).toHaveLength(2)
  expect(both.details.sequence).toBe(both.events.at(-1)?.position)
  read = []
  await good(process.identityProviders.patch(google, context))
  expect(read).toEqual([])
  expect(sent).toHaveLength(3)
})

it('remembers what another call has recorded before it says that nothing changes', async () => {
  const process = iamOn({
    ...recording,
    findAppend: async (by) => {
      await good(process.projects.patch({ ...portal, name: 'newer' }, context))
      return store.findAppend(by)
    },
  })
  await good(process.projects.reactivate(portal, { ...context, idempotencyKey: 'k' }))
  sent = []
  await good(process.projects.patch({ ...portal, name: 'newest' }, context))
  expect(sent).toHaveLength(1)
})

it('is cancelled by an abort that comes before the decision', async () => {
  const controller = new AbortController()
  const process = iamOn(recording, {
    newId: () => {
      controller.abort()
      return '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    },
  })
  const within = { ...context, signal: controller.signal }
  expect(await refusal(process.projects.add({ name: 'n' }, within))).toEqual({ kind: 'Cancelled' })
  expect(sent).toEqual([])
})

/** What one process that writes to `recording` is made of. */
const newRuntime = () =>
  createRuntime({
    store: recording,
    readModel: memoryReadModel(),
    secrets: oldCipher,
    authorize: permissionsFromCaller,
    newId: ulids(),
    now: () => new Date(),
    domains: {},
    environment: systemEnvironment,
  })

/** Names the project `portal` as `nameFor` says, or leaves it alone. */
const renaming =
  (
    nameFor: (
      portal: StreamState<ProjectState, ProjectEvent>,
      streams: Streams,
    ) => string | undefined | Promise<string | undefined>,
    runtime = newRuntime(),
  ) =>
  () =>
    transact(runtime, admittedCall(), {
      decide: async (streams) => {
        const before = await streams.read(projects, portal)
        const name = await nameFor(before, streams)
        if (name === undefined) return ok({ changes: [change(before, [])] })
        const data = { ...PROJECT_DEFAULTS, id: ProjectId.parse('portal'), name }
        return ok({ changes: [change(before, [{ type: 'project.updated', data }])] })
      },
      answer: ({ events }) => events.length,
    })

it('decides on streams that are loaded', async () => {
  const rename = renaming(({ state }) => (exists(state) ? 'of a project' : 'of none'))
  await rename()
  expect(sent).toHaveLength(1)
  expect((await logOf(store)).at(-1)?.data).toMatchObject({ name: 'of a project' })
})

it('never sends what was decided on two states of one stream', async () => {
  const rename = renaming(async (cached, streams) => {
    const latest = await streams.read(projects, portal, { load: 'latest', guard: false })
    return cached === latest ? undefined : 'of two states'
  })
  await rename()
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  expect(await rename()).toEqual(ok(0))
  expect(sent).toEqual([])
})

it('requires what the last decision read, not what earlier ones did', async () => {
  await good(iam.projects.add({ id: 'other', name: 'n' }, context))
  let decisions = 0
  const rename = renaming(async (_, streams) => {
    if (decisions++ === 0) await streams.read(projects, { id: 'other' })
    return 'n'
  })
  beforeAppend = () => good(iam.projects.patch({ ...portal, name: 'raced' }, context))
  await rename()
  expect(sent.map(streamsOf)).toEqual([
    ['project-acme+portal', 'project-acme+other'],
    ['project-acme+portal'],
  ])
})

it('reads what another call has just recorded, also when it has read more since', async () => {
  const rename = renaming(async ({ state }, streams) => {
    if (!exists(state) || state.name !== 'wanted') return 'wanted'
    await streams.read(projects, { id: 'other' })
    return undefined
  })
  afterAppend = () => good(iam.projects.patch({ ...portal, name: 'changed since' }, context))
  expect(await Promise.all([rename(), rename()])).toEqual([ok(1), ok(1)])
})

it('records the events of one stream also when another stays as it is', async () => {
  const answered = await transact(newRuntime(), admittedCall(), {
    decide: async (streams) => {
      const [project, role] = await Promise.all([
        streams.read(projects, portal),
        streams.read(projectRoles, editorIds),
      ])
      const data = { ...PROJECT_DEFAULTS, id: ProjectId.parse('portal'), name: 'n' }
      const renamed = change(project, [{ type: 'project.updated', data }])
      return ok({ changes: [change(role, []), renamed] })
    },
    answer: ({ events, streams }) => ({
      types: events.map(({ type }) => type),
      versions: streams.map(({ version }) => version),
    }),
  })
  expect(answered).toEqual(ok({ types: ['project.updated'], versions: [1, 2] }))
})

it('appends nothing for a decision without changes', async () => {
  const answered = await transact(newRuntime(), admittedCall(), {
    decide: async () => ok({ changes: [] }),
    answer: ({ events }) => events.length,
  })
  expect(answered).toEqual(ok(0))
  expect(sent).toEqual([])
})

it('waits until followers have seen the last event that it recorded, or else read', async () => {
  const runtime = newRuntime()
  const awaited: bigint[] = []
  runtime.recorded.add(async (position) => void awaited.push(position))
  await renaming(() => 'one', runtime)()
  const last = await store.lastPosition()
  await renaming(() => undefined, runtime)()
  expect(awaited).toEqual([last, last])
})

it('expects no sequence of a decision that concerns no object', async () => {
  const answered = await transact(newRuntime(), admittedCall({ expectedSequence: 5n }), {
    decide: async () => ok({ changes: [] }),
    answer: ({ events }) => events.length,
  })
  expect(answered).toEqual(err({ kind: 'SequenceMismatch', expected: 5n, actual: 0n }))
})

describe('Until followers have seen what a call answers, it keeps others from nothing', () => {
  /** A runtime whose follower sees nothing until `see` is called. */
  const withFollower = () => {
    const runtime = newRuntime()
    const { promise: seen, resolve: see } = Promise.withResolvers<void>()
    runtime.recorded.add(() => seen)
    return { runtime, see }
  }

  it('when it has recorded something', async () => {
    const { runtime, see } = withFollower()
    const calls = ['one', 'two'].map((name) => renaming(() => name, runtime)())
    await turn()
    expect(sent).toHaveLength(2)
    see()
    expect(await Promise.all(calls)).toEqual([ok(1), ok(1)])
  })

  it('when it waited for its turn and then had nothing to record', async () => {
    const { runtime, see } = withFollower()
    const rename = (name: string) =>
      renaming(({ state }) => (exists(state) && state.name === name ? undefined : name), runtime)()
    const calls = ['one', 'one', 'two'].map(rename)
    await turn()
    expect(sent).toHaveLength(2)
    see()
    expect(await Promise.all(calls)).toEqual([ok(1), ok(0), ok(1)])
  })
})

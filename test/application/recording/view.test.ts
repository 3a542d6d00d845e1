import { beforeEach, expect, it } from 'vitest'
import { Ledger } from '../../../src/application/recording/ledger.js'
import { CallView, type View } from '../../../src/application/recording/view.js'
import { projects } from '../../../src/domain/project/aggregate.js'
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
  recording = {
    ...store,
    readStream: (stream, after) => {
      read.push(stream)
      return store.readStream(stream, after)
    },
  }
})

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
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
  const process = iamOn({
    ...store,
    readStream: async (stream, after) => {
      if (stream === EDITOR && reads++ === 0) await good(iam.projects.remove(portal, context))
      return store.readStream(stream, after)
    },
  })
  expect(await refusal(process.projectRoles.update(unchanged, context))).toEqual({
    kind: 'NotFound',
    object: { type: 'project', ...portal },
  })
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

it('guards by one write what a decision reads twice', async () => {
  const view = new CallView(new Ledger(store), 'acme')
  const readTwice = (given: View) => [given.read(projects, portal), given.read(projects, portal)]
  view.decide(readTwice)
  await view.load(undefined)
  view.decide(readTwice)
  expect(view.isPartial).toBe(false)
  expect(view.writesOf([])).toEqual([{ stream: PORTAL, expectedVersion: 1, events: [] }])
})

it('does not take what was loaded before a wait for the latest', async () => {
  const view = new CallView(new Ledger(store), 'acme')
  const read = (given: View) => given.read(projects, portal)
  view.decide(read)
  await view.load(undefined)
  view.decide(read)
  expect(view.isFresh).toBe(true)
  view.recall()
  view.decide(read)
  expect(view.isFresh).toBe(false)
})

it('loads what it only glances at, and guards nothing by it', async () => {
  const ledger = new Ledger(store)
  const remembered = await ledger.read(projects, 'acme', portal)
  await good(iam.projects.patch({ ...portal, name: 'newer' }, context))
  for (const [way, version] of [
    ['lastSeen', 1],
    ['glance', 2],
  ] as const) {
    const view = new CallView(ledger, 'acme')
    const look = (given: View) => given[way](projects, portal)
    expect(view.decide(look)).toBe(remembered)
    expect(view.isPartial).toBe(way === 'glance')
    if (view.isPartial) await view.load(undefined)
    expect(view.decide(look).version).toBe(version)
    expect(view.isPartial).toBe(false)
    expect(view.writesOf([])).toEqual([])
  }
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

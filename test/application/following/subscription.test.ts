import { beforeEach, describe, expect, it } from 'vitest'
import {
  type EventStore,
  memoryEventStore,
  type RecordedEvent,
  type SubscribeOptions,
  SubscriptionEnded,
} from '../../../src/index.js'
import { addSamples, context, good, type Iam, iamOn, inGlobex, logOf, start } from '../host.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

const rename = (name: string) => good(iam.projects.patch({ id: 'portal', name }, context))

/** All events of a subscription, which has to end by itself. */
const all = async (options: SubscribeOptions, of: Iam = iam) => {
  const events: RecordedEvent[] = []
  for await (const event of of.subscribe(options)) events.push(event)
  return events
}

const toHead = { until: 'head' } as const

describe('A subscription with until: head', () => {
  it('yields the events of the log and ends', async () => {
    expect(await all(toHead)).toEqual(await logOf(store))
    expect(await all({ ...toHead, types: ['project.removed'] })).toEqual([])
  })

  it('yields many pages and ends', async () => {
    const roles = Array.from({ length: 999 }, (_, n) => ({ roleKey: `${n}`, displayName: 'd' }))
    await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
    expect(await all(toHead)).toEqual(await logOf(store))
  })

  it('ends at once when there are no events', async () => {
    expect(await all(toHead, iamOn(memoryEventStore()))).toEqual([])
    expect(await all({ ...toHead, after: await store.lastPosition() })).toEqual([])
    expect(await all({ ...toHead, after: 2n ** 64n - 1n })).toEqual([])
  })

  it('leaves out events that are recorded after the first was read', async () => {
    const events = iam.subscribe(toHead)
    await rename('before')
    const log = await logOf(store)
    const seen: RecordedEvent[] = []
    for await (const event of events) {
      seen.push(event)
      await rename('meanwhile')
    }
    expect(seen).toEqual(log)
  })

  it('ends when the last events were lost in a failover', async () => {
    const [one, two] = (await logOf(store)) as [RecordedEvent, RecordedEvent]
    const left = memoryEventStore()
    await left.restore([one, two])
    let head = await store.lastPosition()
    const failedOver: EventStore = {
      ...left,
      lastPosition: async () => head,
      readAll: async (after, limit) => {
        head = await left.lastPosition()
        return left.readAll(after, limit)
      },
    }
    expect(await all(toHead, iamOn(failedOver))).toEqual([one, two])
  })

  it('ends before an event beyond the head that cannot be read', async () => {
    const log = await logOf(store)
    const [one, two, three] = log as [RecordedEvent, RecordedEvent, RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([one, two, { ...three, schemaVersion: 9 }])
    const lastPosition = async () => two.position
    expect(await all(toHead, iamOn({ ...copy, lastPosition }))).toEqual([one, two])
    await expect(all(toHead, iamOn(copy))).rejects.toBeInstanceOf(SubscriptionEnded)
  })

  it('waits for a store with a fault, and then ends', async () => {
    let faults = 0
    const flaky = <Arguments extends readonly unknown[], Answer>(
      question: (...given: Arguments) => Promise<Answer>,
    ) => {
      return (...given: Arguments) =>
        faults++ % 2 === 0 ? Promise.reject<Answer>(new Error('away')) : question(...given)
    }
    const process = iamOn({
      ...store,
      lastPosition: flaky(store.lastPosition),
      readAll: flaky(store.readAll),
    })
    expect(await all(toHead, process)).toEqual(await logOf(store))
    expect(faults).toBe(4)
  })

  it('ends when the signal aborts before the head was read', async () => {
    const controller = new AbortController()
    const lastPosition = () => {
      controller.abort()
      return new Promise<never>(() => undefined)
    }
    const { signal } = controller
    expect(await all({ ...toHead, signal }, iamOn({ ...store, lastPosition }))).toEqual([])
  })
})

const google = { type: 'identity_provider', idpId: 'google' } as const
const portal = { type: 'project', id: 'portal' } as const
const editor = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const

describe('A subscription for an object', () => {
  const of = (object: SubscribeOptions['object'], more: SubscribeOptions = {}) =>
    all({ ...toHead, orgId: 'acme', object, ...more })
  const typesOf = (events: readonly RecordedEvent[]) => events.map(({ type }) => type)

  it('yields the events of its stream only', async () => {
    await addSamples(iam, inGlobex)
    await good(iam.projects.add({ id: 'other', name: 'Other' }, context))
    await good(
      iam.projectRoles.add({ projectId: 'other', roleKey: 'editor', displayName: 'd' }, context),
    )
    await rename('new')
    const log = await logOf(store)
    expect(await of(google)).toEqual([log[0]])
    expect(await of(portal)).toEqual([log[1], log.at(-1)])
    expect(await of(editor)).toEqual([log[2]])
    expect(await of(portal, { types: ['project.updated'] })).toEqual([log.at(-1)])
    expect(await of(portal, { orgId: 'globex' })).toEqual([log[4]])
    expect(await of({ ...portal, id: 'unknown' })).toEqual([])
  })

  it('shows the removal of the project as the end of a role', async () => {
    const ended = ['project_role.added', 'project.removed']
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(typesOf(await of(editor))).toEqual(ended)
    expect(typesOf(await of(portal))).toEqual(['project.added', 'project.removed'])
    expect(typesOf(await of(google))).toEqual(['identity_provider.oidc_added'])
    const [, added] = await of(editor)
    const after = (added?.position ?? 0n) - 1n
    expect(typesOf(await of(editor, { after }))).toEqual(['project.removed'])
    expect(await of(editor, { types: ['project_role.removed'] })).toEqual([])
  })

  it('shows no removal of the project for a role that was removed before or never existed', async () => {
    await good(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'editor' }, context))
    await good(iam.projects.add({ id: 'other', name: 'Other' }, context))
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(typesOf(await of(editor))).toEqual(['project_role.added', 'project_role.removed'])
    expect(await of({ ...editor, roleKey: 'never' })).toEqual([])
  })

  it('shows the removal of the project for a role that was added again', async () => {
    const role = { projectId: 'portal', roleKey: 'editor' }
    await good(iam.projectRoles.remove(role, context))
    await good(iam.projectRoles.add({ ...role, displayName: 'again' }, context))
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(typesOf(await of(editor)).slice(1)).toEqual([
      'project_role.removed',
      'project_role.added',
      'project.removed',
    ])
  })

  it('retries while the store cannot be read for the role', async () => {
    await good(iam.projects.remove({ id: 'portal' }, context))
    let times = 1
    const readStream: EventStore['readStream'] = (stream) =>
      times-- > 0 ? Promise.reject(new Error('away')) : store.readStream(stream)
    const process = iamOn({ ...store, readStream })
    const events = await all({ ...toHead, orgId: 'acme', object: editor }, process)
    expect(typesOf(events)).toEqual(['project_role.added', 'project.removed'])
  })
})

describe('The options of a subscription', () => {
  it.each([
    ['until', { until: 'now' }],
    ['until', { until: 5n }],
    ['untill', { untill: 'head' }],
    ['organization', { organization: 'acme' }],
    ['object', { orgId: 'acme', object: 'portal' }],
    ['object.id', { orgId: 'acme', object: { type: 'project' } }],
    ['object.roleKey', { orgId: 'acme', object: { ...portal, roleKey: 'editor' } }],
    ['orgId', { object: portal }],
    ['after', { after: 0 }],
    ['types\\[0\\]', { types: ['project.exploded'] }],
  ])('are refused with an exception when unknown or malformed: %s of %o', (field, options) => {
    expect(() => iam.subscribe(options as never)).toThrow(TypeError)
    expect(() => iam.subscribe(options as never)).toThrow(new RegExp(`^${field} `))
  })

  it.each([
    ["until must be 'head'", { until: 'now' }],
    ['orgId must be given with object', { object: portal }],
    ['signal must be an AbortSignal', { signal: {} }],
    ["until must be 'head'; more is not a known field", { until: 1, more: 1 }],
  ])('are described where they are malformed: %s', (message, options) => {
    expect(() => iam.subscribe(options as never)).toThrow(new TypeError(message))
  })

  it('may all be absent', async () => {
    const absent = { after: undefined, types: undefined, orgId: undefined, object: undefined }
    const options = { ...absent, until: undefined, signal: undefined }
    for await (const event of iam.subscribe(options)) {
      expect(event).toEqual((await logOf(store))[0])
      break
    }
  })
})

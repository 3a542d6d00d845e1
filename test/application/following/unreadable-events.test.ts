import { beforeEach, describe, expect, it } from 'vitest'
import {
  type EventStore,
  type FaultSeen,
  memoryEventStore,
  memoryReadModel,
  type RecordedEvent,
  SubscriptionEnded,
  toStatus,
  verify,
} from '../../../src/index.js'
import {
  addSamples,
  context,
  good,
  iamOn,
  inGlobex,
  logOf,
  oidc,
  refusal,
  start,
  withReads,
} from '../host.js'

let store: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  await addSamples(started.iam)
})

const portal = { id: 'portal' }
const google = { idpId: 'google' }

/** All that names the event that cannot be read. */
const address = {
  position: expect.any(BigInt),
  stream: 'project-acme+portal',
  version: 2,
  type: 'project.added',
  schemaVersion: 1,
  appendId: 'broken',
  resourceOwner: 'acme',
}

describe('An event in the stream that cannot be read', () => {
  /** A store that holds a project whose last event is `broken`. */
  const storeWith = async (broken: Partial<RecordedEvent>): Promise<EventStore> => {
    const broke = memoryEventStore()
    const log = await logOf(store)
    const last: RecordedEvent = {
      ...(log[1] as RecordedEvent),
      appendId: 'broken',
      version: 2,
      position: (log.at(-1)?.position ?? 0n) + 1n,
      ...broken,
    }
    await broke.restore([...log, last])
    return broke
  }

  it.each([
    ['type', { type: 'project.exploded' }],
    ['version', { schemaVersion: 9 }],
  ])('is unknown by its %s', async (_, broken) => {
    const process = iamOn(await storeWith(broken))
    const expected = { kind: 'UnknownEvent', ...address, ...broken }
    const error = await refusal(process.projects.patch({ ...portal, name: 'n' }, context))
    expect(error).toEqual(expected)
    expect(toStatus(error).code).toBe(13)
    expect(await refusal(process.projects.get(portal, context))).toEqual(expected)
    expect(await refusal(process.projects.list({}, context))).toEqual(expected)
    const then = { object: { type: 'project' as const, ...portal }, sequence: 2n ** 60n }
    expect(await refusal(process.history.stateAt(then, context))).toEqual(expected)
    const before = { ...then, sequence: await store.lastPosition() }
    expect(await good(process.history.stateAt(before, context))).toMatchObject(portal)
    // What is not concerned goes on.
    await good(process.identityProviders.deactivate(google, context))
  })

  it.each([
    ['data.name', { name: 5 }],
    ['data.more', { more: 'unknown' }],
    ['stream', { id: 'other' }],
  ])('is corrupt in its %s', async (field, broken) => {
    const [, added] = await logOf(store)
    const process = iamOn(await storeWith({ data: { ...added?.data, ...broken } }))
    const error = await refusal(process.projects.patch({ ...portal, name: 'n' }, context))
    expect(error).toEqual({ kind: 'CorruptEvent', ...address, field })
    expect(await refusal(process.projects.get(portal, context))).toEqual(error)
  })

  it.each([
    ['unknown', { type: 'project.exploded' }, { kind: 'UnknownEvent', type: 'project.exploded' }],
    ['corrupt', { data: { id: 'portal' } }, { kind: 'CorruptEvent', field: 'data.name' }],
  ])('is reported to the operator only, by every reader: %s', async (_, broken, fault) => {
    const broke = await storeWith(broken)
    const expected = { ...address, position: await broke.lastPosition(), ...fault }
    expect((await verify(broke))._unsafeUnwrapErr()).toEqual(expected)

    // Every organization waits for it, and none learns which one owns it.
    const ofAnother = await refusal(iamOn(broke).projects.get(portal, inGlobex))
    expect(ofAnother).toEqual(expected)
    expect(JSON.stringify(toStatus(ofAnother))).not.toMatch(/acme|portal|broken|name|project\./)

    const seen: FaultSeen[] = []
    const process = iamOn(broke, { hooks: { onFault: (fault) => seen.push(fault) } })
    const subscription = async () => {
      for await (const _ of process.subscribe());
    }
    const ended = await subscription().catch((thrown: unknown) => thrown)
    expect(ended).toBeInstanceOf(SubscriptionEnded)
    expect(ended).toMatchObject({ cause: expected })
    expect(await refusal(process.run(memoryReadModel()))).toEqual(expected)
    const { kind } = fault
    expect(seen).toEqual([
      { method: 'subscribe', kind, position: expected.position },
      { method: 'run', kind, position: expected.position },
    ])
  })

  it('is corrupt when it belongs to another kind of object', async () => {
    const role = { projectId: 'portal', roleKey: 'r', displayName: 'd', group: '' }
    const broke = await storeWith({ type: 'project_role.added', data: role })
    const error = await refusal(iamOn(broke).projects.patch({ ...portal, name: 'n' }, context))
    expect(error).toMatchObject({ kind: 'CorruptEvent', field: 'stream' })
  })
})

it('refuses an event of another aggregate although its stream matches', async () => {
  // A store that mixes up its streams.
  const [, added] = await logOf(store)
  const mixed: EventStore = { ...store, readStream: async () => (added ? [added] : []) }
  expect(await refusal(iamOn(mixed).identityProviders.deactivate(google, context))).toMatchObject({
    kind: 'CorruptEvent',
    field: 'type',
  })
})

describe.each(['data', 'metadata'] as const)('An event whose %s was damaged', (part) => {
  const damaged = (events: readonly RecordedEvent[]) =>
    events.map((event) => ({ ...event, [part]: undefined }) as never)
  const field = expect.stringMatching(`^${part}`)

  it('ends the repeat of a write that recorded it', async () => {
    const once = { ...context, idempotencyKey: 'k1' }
    const keyed = { ...oidc, idpId: 'keyed' }
    await good(iamOn(store).identityProviders.addOidc(keyed, once))
    const findAppend: EventStore['findAppend'] = async (by) => damaged(await store.findAppend(by))
    const repeat = iamOn({ ...store, findAppend }).identityProviders.addOidc(keyed, once)
    expect(await refusal(repeat)).toMatchObject({ kind: 'CorruptEvent', field })
  })

  it('ends a plan, and its apply, that reads the last event of a role', async () => {
    const none = { ...portal, name: 'Portal', roles: [] }
    const desired = { managedBy: 'code', prune: true, projects: [none] }
    const readModel = memoryReadModel()
    await good(iamOn(store).catchUp(readModel))
    const editor = 'project_role-acme+portal+editor'
    const readStream: EventStore['readStream'] = async (stream, after) => {
      const events = await store.readStream(stream, after)
      return stream === editor ? damaged(events) : events
    }
    const process = iamOn(withReads(store, readStream), { readModel })
    for (const refused of [process.plan(desired, context), process.apply(desired, context)])
      expect(await refusal(refused)).toMatchObject({ kind: 'CorruptEvent', stream: editor, field })
  })
})

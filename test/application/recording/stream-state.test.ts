import { describe, expect, it } from 'vitest'
import {
  change,
  foreseen,
  managerOf,
  StreamState,
  sequenceOf,
} from '../../../src/application/recording/stream-state.js'
import { projects } from '../../../src/domain/project/aggregate.js'
import { projectRoles } from '../../../src/domain/project-role/aggregate.js'
import type { ProjectRoleEvent } from '../../../src/domain/project-role/events.js'
import { ProjectId, RoleKey } from '../../../src/domain/values.js'
import type { Metadata, RecordedEvent } from '../../../src/index.js'

const ids = { projectId: ProjectId.parse('portal'), roleKey: RoleKey.parse('editor') }
const EDITOR = projectRoles.stream('acme', ids)
const data = { ...ids, displayName: 'Editor', group: '', permissions: [] }
const added: ProjectRoleEvent = { type: 'project_role.added', data }
const updated: ProjectRoleEvent = { type: 'project_role.updated', data }
const removed: ProjectRoleEvent = { type: 'project_role.removed', data: ids }

const byHand: Metadata = { actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'acme' }
const by = (managedBy: string, managedVersion?: number): Metadata => ({
  ...byHand,
  managedBy,
  ...(managedVersion !== undefined && { managedVersion }),
})

/** The role after `events`, the first at version 1. */
const roleAfter = (...events: readonly (readonly [ProjectRoleEvent, Metadata])[]) =>
  events.reduce(
    (before, [event, metadata], index) =>
      before.next(event, { version: index + 1, position: BigInt(index + 1), metadata }),
    new StreamState(projectRoles, EDITOR),
  )

describe('The desired state that manages an object', () => {
  it('is the last that recorded an event of it, whatever is changed by hand later', () => {
    const stream = roleAfter([added, by('code', 3)], [updated, by('ci')], [updated, byHand])
    expect([...stream.versions]).toEqual([
      ['code', 3],
      ['ci', 0],
    ])
    expect(managerOf(stream)).toBe('ci')
  })

  it('is the first one again once that records another event', () => {
    const stream = roleAfter(
      [added, by('code', 3)],
      [updated, by('ci', 1)],
      [updated, by('code', 4)],
    )
    expect([...stream.versions]).toEqual([
      ['ci', 1],
      ['code', 4],
    ])
    expect(managerOf(stream)).toBe('code')
  })

  it('is known after the removal, and forgotten when the object is added again', () => {
    const gone = roleAfter([added, by('code', 3)], [removed, by('code', 4)])
    expect(managerOf(gone)).toBe('code')
    const again = roleAfter([added, by('code', 3)], [removed, by('code', 4)], [added, byHand])
    expect([...again.versions]).toEqual([])
    expect(managerOf(again)).toBeUndefined()
  })
})

describe('An object', () => {
  const protecting: Metadata = { ...by('code'), protect: true }

  it('was created by the event that last added it, and changed by its last event', () => {
    const changed = roleAfter([added, byHand], [updated, byHand])
    expect(changed).toMatchObject({ created: 1n, changed: 2n })
    const again = roleAfter([added, byHand], [removed, byHand], [added, byHand], [updated, byHand])
    expect(again).toMatchObject({ created: 3n, changed: 4n })
    expect(roleAfter([added, byHand], [removed, byHand])).toMatchObject({
      created: 1n,
      changed: 2n,
    })
  })

  it('stays protected until it is removed, and is not protected when it is added again', () => {
    const stream = roleAfter([added, protecting], [updated, byHand])
    expect(stream.protectedBy).toBe('code')
    expect(roleAfter([added, protecting], [removed, byHand]).protectedBy).toBeUndefined()
    const again = roleAfter([added, protecting], [removed, protecting], [added, byHand])
    expect(again.protectedBy).toBeUndefined()
  })
})

it('An object has a sequence as long as it exists', () => {
  expect(sequenceOf(roleAfter())).toBeUndefined()
  expect(sequenceOf(roleAfter([added, byHand], [updated, byHand]))).toBe(2n)
  expect(sequenceOf(roleAfter([added, byHand], [removed, byHand]))).toBeUndefined()
})

describe('A stored event that cannot be read', () => {
  const stored = (more: Partial<RecordedEvent>): RecordedEvent => ({
    ...added,
    schemaVersion: 1,
    appendId: 'append',
    stream: EDITOR,
    version: 1,
    position: 1n,
    metadata: byHand,
    ...more,
  })

  it('stops the replay with the reason', () => {
    const replay = () =>
      new StreamState(projectRoles, EDITOR).replay([stored({ type: 'project_role.painted' })])
    expect(replay).toThrow(
      expect.objectContaining({ error: expect.objectContaining({ kind: 'UnknownEvent' }) }),
    )
  })

  it('may be one of another aggregate', () => {
    const replay = () => new StreamState(projects, EDITOR).replay([stored({})])
    expect(replay).toThrow(
      expect.objectContaining({
        error: expect.objectContaining({ kind: 'CorruptEvent', field: 'type', stream: EDITOR }),
      }),
    )
  })
})

it('A change that is not recorded yet counts its versions up', () => {
  const before = roleAfter([added, byHand])
  const { version, changed } = foreseen(change(before, [updated, updated, updated]), byHand)
  expect({ version, changed }).toEqual({ version: 4, changed: 1n })
})

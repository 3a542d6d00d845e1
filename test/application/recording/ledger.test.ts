import { expect, it, vi } from 'vitest'
import { Ledger } from '../../../src/application/recording/ledger.js'
import { Snapshot } from '../../../src/application/recording/snapshot.js'
import { projects } from '../../../src/domain/project/aggregate.js'
import { projectRoles } from '../../../src/domain/project-role/aggregate.js'
import { ProjectId, RoleKey } from '../../../src/domain/values.js'
import { memoryEventStore } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { context, good, iamOn } from '../host.js'

const snapshotOf = (id: string, name: string, more: object = {}) =>
  new Snapshot(projects, projects.stream('acme', { id }), {
    state: { status: 'active', ...PROJECT_DEFAULTS, id: ProjectId.parse(id), name, ...more },
    version: 1,
    created: 1n,
    changed: 1n,
  })

/** Remembers projects one after the other, and counts those that are still remembered in the end. */
const countKept = (maxBytes: number, name: string, more?: object): number => {
  const ledger = new Ledger(memoryEventStore(), maxBytes)
  const snapshots = Array.from({ length: 1_000 }, (_, n) => snapshotOf(`p${n}`, name, more))
  for (const snapshot of snapshots) ledger.remember(snapshot)
  return snapshots.filter((snapshot) => ledger.recall(projects, snapshot.name)).length
}

it('remembers states up to some bytes, so fewer of those that are large', () => {
  const small = countKept(200_000, 'x')
  const large = countKept(200_000, 'x'.repeat(10_000))
  expect(small).toBeGreaterThan(100)
  expect(small).toBeLessThan(1_000)
  expect(large).toBeGreaterThan(0)
  expect(large).toBeLessThan(20)
})

it('counts eight bytes for true or false', () => {
  const flags = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, n % 2 === 0]))
  // At least half of the bytes are used.
  expect(countKept(200_000, 'x', { flags })).toBeGreaterThanOrEqual(Math.floor(100_000 / 9_000))
})

it('counts the names of streams as well', () => {
  const ledger = new Ledger(memoryEventStore(), 200_000)
  const names = Array.from({ length: 300 }, (_, n) => `${n}${'x'.repeat(800)}`)
  const snapshots = names.map((roleKey) => {
    const ids = { projectId: ProjectId.parse('p'), roleKey: RoleKey.parse(roleKey.slice(0, 200)) }
    return new Snapshot(projectRoles, projectRoles.stream('acme', ids))
  })
  for (const snapshot of snapshots) ledger.remember(snapshot)
  const kept = snapshots.filter(({ name }) => ledger.recall(projectRoles, name)).length
  expect(kept).toBeLessThan(300)
})

it('recalls a stream as one of its own kind alone', () => {
  const ledger = new Ledger(memoryEventStore())
  const snapshot = snapshotOf('p', 'x')
  ledger.remember(snapshot)
  expect(ledger.recall(projects, snapshot.name)).toBe(snapshot)
  expect(ledger.recall(projectRoles, snapshot.name)).toBeUndefined()
})

/** A ledger on a store with a project `p` that was renamed once, and what it reads of the store. */
const ledgerOnProject = async () => {
  const store = memoryEventStore()
  const iam = iamOn(store)
  await good(iam.projects.add({ id: 'p', name: 'One' }, context))
  await good(iam.projects.patch({ id: 'p', name: 'Two' }, context))
  const readStream = vi.fn(store.readStream)
  const ledger = new Ledger({ ...store, readStream })
  const read = async (id = 'p') => ledger.read(projects, 'acme', { id })
  const recall = (id = 'p') => ledger.recall(projects, projects.stream('acme', { id }))
  return { iam, readStream, read, recall }
}

it('remembers what it read, and reads only what was added since', async () => {
  const { iam, readStream, read, recall } = await ledgerOnProject()
  expect(recall()).toBeUndefined()
  expect(await read()).toMatchObject({ version: 2, state: { name: 'Two' } })
  expect(recall()).toMatchObject({ version: 2, state: { name: 'Two' } })
  await good(iam.projects.patch({ id: 'p', name: 'Three' }, context))
  expect(await read()).toMatchObject({ version: 3, state: { name: 'Three' } })
  // The event last seen is read again, and no other.
  expect(readStream.mock.calls.map(([, after]) => after)).toEqual([0, 1])
  expect(recall()).toMatchObject({ version: 3, state: { name: 'Three' } })
})

it('does not remember a stream without events', async () => {
  const { read, recall } = await ledgerOnProject()
  expect(await read('other')).toMatchObject({ version: 0, state: { status: 'absent' } })
  expect(recall('other')).toBeUndefined()
})

it('reads a stream whole whose last event is another one, as after a failover', async () => {
  const { readStream, read, recall } = await ledgerOnProject()
  const events = await readStream(projects.stream('acme', { id: 'p' }))
  await read()
  const [added] = events
  if (!added) throw new Error('An event was expected')
  readStream.mockImplementation(async (_, after = 0) => (after === 0 ? [added] : []))
  expect(await read()).toMatchObject({ version: 1, state: { name: 'One' } })
  expect(recall()).toMatchObject({ version: 1, state: { name: 'One' } })
  readStream.mockImplementation(async () => [])
  expect(await read()).toMatchObject({ version: 0, state: { status: 'absent' } })
  expect(recall()).toMatchObject({ version: 0, state: { status: 'absent' } })
})

import { expect, it, vi } from 'vitest'
import { StateCache } from '../../../src/application/recording/state-cache.js'
import { StreamState } from '../../../src/application/recording/stream-state.js'
import { projects } from '../../../src/domain/project/aggregate.js'
import { projectRoles } from '../../../src/domain/project-role/aggregate.js'
import { ProjectId, RoleKey } from '../../../src/domain/values.js'
import { memoryEventStore } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { context, good, iamOn } from '../host.js'

const stateOf = (id: string, name: string, more: object = {}) =>
  new StreamState(projects, projects.stream('acme', { id }), {
    state: { status: 'active', ...PROJECT_DEFAULTS, id: ProjectId.parse(id), name, ...more },
    version: 1,
    created: 1n,
    changed: 1n,
    protectedBy: undefined,
    versions: new Map(),
  })

const cacheOf = (maxBytes: number) => new StateCache(memoryEventStore(), maxBytes)

/** Caches a thousand projects one after the other, and answers with the numbers of those that are kept. */
const kept = (maxBytes: number, name: string, more?: object): readonly number[] => {
  const cache = cacheOf(maxBytes)
  const states = Array.from({ length: 1_000 }, (_, n) => stateOf(`p${n}`, name, more))
  for (const state of states) cache.set(state)
  return states.flatMap((state, n) => (cache.get(projects, state.name) ? [n] : []))
}

it('keeps the states that were used last, up to some bytes, so fewer of those that are large', () => {
  const small = kept(200_000, 'x')
  const large = kept(200_000, 'x'.repeat(10_000))
  expect(small.length).toBeGreaterThan(100)
  expect(small.length).toBeLessThan(1_000)
  expect(small.at(-1)).toBe(999)
  expect(large.length).toBeGreaterThan(0)
  expect(large.length).toBeLessThan(20)
})

it('keeps many small states, unless it is given less', () => {
  const cache = new StateCache(memoryEventStore())
  const states = Array.from({ length: 1_000 }, (_, n) => stateOf(`p${n}`, 'x'))
  for (const state of states) cache.set(state)
  expect(states.filter(({ name }) => !cache.get(projects, name))).toEqual([])
})

it('counts eight bytes for true or false', () => {
  const flags = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, n % 2 === 0]))
  // At least half of the bytes are used.
  expect(kept(200_000, 'x', { flags }).length).toBeGreaterThanOrEqual(Math.floor(100_000 / 9_000))
})

it('counts the names of streams as well', () => {
  const cache = cacheOf(200_000)
  const names = Array.from({ length: 300 }, (_, n) => `${n}${'x'.repeat(800)}`)
  const states = names.map((roleKey) => {
    const ids = { projectId: ProjectId.parse('p'), roleKey: RoleKey.parse(roleKey.slice(0, 200)) }
    return new StreamState(projectRoles, projectRoles.stream('acme', ids))
  })
  for (const state of states) cache.set(state)
  expect(states.filter(({ name }) => cache.get(projectRoles, name)).length).toBeLessThan(300)
})

it('keeps a state that is used again and again', () => {
  const cache = cacheOf(20_000)
  const used = stateOf('used', 'x')
  cache.set(used)
  for (let n = 0; n < 1_000; n++) {
    cache.set(stateOf(`p${n}`, 'x'))
    expect(cache.get(projects, used.name)).toBe(used)
  }
})

it('keeps the state that was set last, however large it is', () => {
  const cache = cacheOf(10)
  const large = stateOf('p', 'x'.repeat(10_000))
  cache.set(large)
  expect(cache.get(projects, large.name)).toBe(large)
  expect(cache.get(projects, large.name)).toBe(large)
})

it('returns the last state that was set of a stream, even after it was used less', () => {
  const cache = cacheOf(20_000)
  const older = stateOf('p', 'older')
  const newer = stateOf('p', 'newer')
  cache.set(older)
  for (let n = 0; n < 10; n++) cache.set(stateOf(`p${n}`, 'x'))
  cache.set(newer)
  for (let n = 0; n < 10; n++) cache.set(stateOf(`q${n}`, 'x'))
  expect(cache.get(projects, newer.name)).toBe(newer)
  expect(cache.latest(older)).toBe(newer)
})

it('returns the state of a stream only for its own aggregate', () => {
  const cache = new StateCache(memoryEventStore())
  const state = stateOf('p', 'x')
  cache.set(state)
  expect(cache.get(projects, state.name)).toBe(state)
  expect(cache.get(projectRoles, state.name)).toBeUndefined()
})

/** A cache over a store with a project `p` that was renamed once, and what it reads of the store. */
const cacheOnProject = async () => {
  const store = memoryEventStore()
  const iam = iamOn(store)
  await good(iam.projects.add({ id: 'p', name: 'One' }, context))
  await good(iam.projects.patch({ id: 'p', name: 'Two' }, context))
  const readStream = vi.fn(store.readStream)
  const cache = new StateCache({ ...store, readStream })
  const read = async (id = 'p') => cache.readLatest(projects, 'acme', { id })
  const recall = (id = 'p') => cache.get(projects, projects.stream('acme', { id }))
  return { iam, readStream, read, recall }
}

it('keeps what it read, and reads only what was added since', async () => {
  const { iam, readStream, read, recall } = await cacheOnProject()
  expect(recall()).toBeUndefined()
  expect(await read()).toMatchObject({ version: 2, state: { name: 'Two' } })
  expect(recall()).toMatchObject({ version: 2, state: { name: 'Two' } })
  await good(iam.projects.patch({ id: 'p', name: 'Three' }, context))
  expect(await read()).toMatchObject({ version: 3, state: { name: 'Three' } })
  // The event last seen is read again, and no other.
  expect(readStream.mock.calls.map(([, after]) => after)).toEqual([0, 1])
  expect(recall()).toMatchObject({ version: 3, state: { name: 'Three' } })
})

it('does not keep a stream without events', async () => {
  const { read, recall } = await cacheOnProject()
  expect(await read('other')).toMatchObject({ version: 0, state: { status: 'absent' } })
  expect(recall('other')).toBeUndefined()
})

it('reads a stream whole whose last event is another one, as after a failover', async () => {
  const { readStream, read, recall } = await cacheOnProject()
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

import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type EventStore,
  type FaultSeen,
  type Iam,
  type LiveQuestion,
  memoryEventStore,
  StoreFault,
} from '../../../src/index.js'
import { addSamples, context, good, iamOn, logOf, refusal } from '../host.js'
import { liveOf } from './live-world.js'

afterEach(() => {
  vi.useRealTimers()
})

const bob = { userId: 'bob', projectId: 'portal' }
const grant = { ...bob, roles: [{ roleKey: 'editor' }] }
const editor = { projectId: 'portal', roleKey: 'editor' }
const asked: LiveQuestion = { orgId: 'acme', userId: 'bob', projectId: 'portal', roleKey: 'editor' }

/** A store with the samples, whose reads can be staged, and the library on it. */
const world = async (seen?: (fault: FaultSeen) => void) => {
  const inner = memoryEventStore()
  await addSamples(iamOn(inner))
  const reads: { before: (() => unknown) | undefined } = { before: undefined }
  const store: EventStore = {
    ...inner,
    lastPosition: async () => {
      await reads.before?.()
      return inner.lastPosition()
    },
    readAll: async (after, limit) => {
      await reads.before?.()
      return inner.readAll(after, limit)
    },
  }
  const iam = iamOn(store, seen && { hooks: { onFault: seen } })
  return { inner, store, reads, iam, other: iamOn(inner) }
}

const inVirtualTime = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
}

const away = (): never => {
  throw new StoreFault('away', 'not_recorded')
}

/** Records an event of a later version of the library. Returns its position. */
const addNewerEvent = async (store: ReturnType<typeof memoryEventStore>): Promise<bigint> => {
  const [first] = await logOf(store)
  if (!first) throw new Error('The log is empty')
  const position = (await store.lastPosition()) + 1n
  const stream = `${first.stream}2` as typeof first.stream
  await store.restore([{ ...first, type: 'project.exploded', stream, version: 1, position }])
  return position
}

const never = () => new Promise<never>(() => undefined)

const stale = { allowed: false, roleKeys: [], permissions: [], reasons: [{ kind: 'Stale' }] }

describe('Live checks', () => {
  it('go on past events that belong to no object: the claims of links and domains', async () => {
    const { iam } = await world()
    const live = await liveOf(iam)
    const expiresAt = new Date(Date.now() + 3_600_000)
    await good(iam.setupLinks.issue({ expiresAt, intents: ['domain'] }, context))
    await good(iam.userGrants.add(grant, context))
    expect(live.can(asked)).toBe(true)
    expect((await liveOf(iam)).can(asked)).toBe(true)
  })

  it('answer at once, as an eventual check does', async () => {
    const { iam, store } = await world()
    await good(iam.userGrants.add(grant, context))
    const live = await liveOf(iam)
    expect(live.can(asked)).toBe(true)
    expect(live.check(asked)).toEqual({
      allowed: true,
      roleKeys: ['editor'],
      permissions: [],
      reasons: [],
    })
    expect(live.can({ ...asked, roleKey: 'author' })).toBe(false)
    expect(live.check({ ...asked, orgId: 'globex' }).reasons).toEqual([{ kind: 'ProjectNotFound' }])
    expect(live.position).toBe(await store.lastPosition())
    expect(live.lag).toBeGreaterThanOrEqual(0)
  })

  it('list where a user has a permission, and pick the rows that a user may see', async () => {
    const iam = iamOn(memoryEventStore())
    const live = await liveOf(iam)
    for (const id of ['b', 'a', 'c']) {
      const role = {
        projectId: id,
        roleKey: 'reader',
        displayName: 'Reader',
        permissions: ['read'],
      }
      await good(iam.projects.add({ id, name: id }, context))
      await good(iam.projectRoles.add(role, context))
      if (id === 'c') continue
      const roles = [{ roleKey: 'reader' }]
      await good(iam.userGrants.add({ userId: 'bob', projectId: id, roles }, context))
    }
    const bobInAcme = { orgId: 'acme', userId: 'bob' }
    const scopes = ['a', 'b'].map((projectId) => ({ projectId, projectOrgId: 'acme' }))
    expect(live.scopesOf({ ...bobInAcme, permission: 'read' })).toEqual(scopes)
    expect(live.scopesOf({ ...bobInAcme, roleKey: 'reader', projectId: 'b' })).toEqual([scopes[1]])
    expect(live.scopesOf({ ...bobInAcme, orgId: 'globex', permission: 'read' })).toEqual([])
    const rows = ['c', 'b', 'a', 'b'].map((project, nth) => ({ nth, project }))
    const shown = live.filter(rows, ({ project }) => ({
      ...bobInAcme,
      projectId: project,
      permission: 'read',
    }))
    expect(shown.map(({ nth }) => nth)).toEqual([1, 2, 3])
    for (const wrong of [
      bobInAcme,
      { ...bobInAcme, permission: 'read', roleKey: 'reader' },
      { ...bobInAcme, permission: undefined },
      { ...bobInAcme, permission: 'read', at: new Date() },
      { userId: 'bob', permission: 'read' },
    ])
      expect(() => live.scopesOf(wrong as never)).toThrow(TypeError)
  })

  it('are not stale once they are there, however long the log took to read', async () => {
    inVirtualTime()
    const { iam, reads } = await world()
    await good(iam.userGrants.add(grant, context))
    reads.before = () => {
      reads.before = undefined
      vi.advanceTimersByTime(100)
    }
    const live = await liveOf(iam, 50)
    expect(live.can(asked)).toBe(true)
  })

  it('give answers that can be changed without effect on others', async () => {
    const { iam } = await world()
    await good(iam.userGrants.add(grant, context))
    const live = await liveOf(iam)
    for (const question of [asked, { ...asked, roleKey: 'author' }]) {
      const before = structuredClone(live.check(question))
      const answer = live.check(question)
      Object.assign(answer, { allowed: 'changed' })
      Object.assign(answer.roleKeys, ['changed'])
      Object.assign(answer.reasons, [{ kind: 'changed' }])
      expect(live.check(question)).toEqual(before)
    }
  })

  it.each([
    ['an unknown field', { role: 'editor' }],
    ['a role key that is undefined', { roleKey: undefined }],
    ['a permission that is undefined', { permission: undefined }],
    ['a time', { at: new Date(0) }],
    ['two questions', { roleKey: 'editor', permission: 'text.edit' }],
    ['no organization', { orgId: undefined }],
  ])('refuse a question with %s, and answer no other in its place', async (_, more) => {
    const { iam } = await world()
    const live = await liveOf(iam)
    const { roleKey: _role, ...login } = asked
    expect(live.can(login)).toBe(true)
    const odd = Object.assign<LiveQuestion, object>({ ...login }, more)
    expect(() => live.can(odd)).toThrow(TypeError)
    expect(() => live.check(odd)).toThrow(TypeError)
  })

  it('refuse options that they do not know', async () => {
    const { iam } = await world()
    const { signal } = new AbortController()
    const wrong: Parameters<Iam['access']['live']>[0][] = [
      { signal, maxLag: 49 },
      { signal, maxLag: 3_600_001 },
      { signal, maxLag: 99.5 },
      Object.assign({ signal }, { maxlag: 1_000 }),
      Object.assign({ signal }, { signal: undefined }),
      Object.assign({ signal }, { signal: {} }),
    ]
    for (const options of wrong) expect(() => iam.access.live(options)).toThrow(TypeError)
    const live = await liveOf(iam)
    expect(() => live.reached(-1n)).toThrow(TypeError)
    expect(() => live.reached(1n, Object.assign({ signal }, { timeout: 1 }))).toThrow(TypeError)
  })
})

describe('A write of the process', () => {
  const noHints = ({ onAppend: _, ...store }: EventStore): EventStore => store

  it.each([
    ['a store', (store: EventStore) => store],
    ['a store without hints', noHints],
  ])('is seen by the next call: %s', async (_, on) => {
    const { store } = await world()
    const iam = iamOn(on(store))
    const live = await liveOf(iam)
    const writes: readonly (readonly [write: () => Promise<unknown>, allowed: boolean])[] = [
      [() => good(iam.userGrants.add(grant, context)), true],
      [() => good(iam.userGrants.deactivate(bob, context)), false],
      [() => good(iam.userGrants.reactivate(bob, context)), true],
      [() => good(iam.projectRoles.remove(editor, context)), false],
      [
        () =>
          good(
            iam.projectRoles.import(
              { projectId: 'portal', roles: [{ roleKey: 'editor', displayName: 'Editor' }] },
              context,
            ),
          ),
        false,
      ],
      [() => good(iam.userGrants.addRoles(grant, context)), true],
      [() => good(iam.userGrants.removeAllOfUser({ userId: 'bob' }, context)), false],
    ]
    for (const [write, allowed] of writes) {
      await write()
      expect(live.can(asked)).toBe(allowed)
      expect(live.position).toBe(await store.lastPosition())
    }
  })

  it('is seen at once also where the log is read slowly, and one of another process later', async () => {
    const { iam, other, reads, store } = await world()
    const live = await liveOf(iam)
    const late = await liveOf(other)
    let turns = 0
    reads.before = async () => {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve(turns++)
    }
    await good(iam.userGrants.add(grant, context))
    expect(turns).toBeGreaterThan(50)
    expect(live.can(asked)).toBe(true)
    await good(other.userGrants.remove(bob, context))
    expect(late.can(asked)).toBe(false)
    expect(live.can(asked)).toBe(true)
    expect(await good(live.reached(await store.lastPosition()))).toBe(live.position)
    expect(live.can(asked)).toBe(false)
  })

  it.each([
    ['repeats one under its idempotency key', { ...context, idempotencyKey: 'once' }],
    ['finds nothing to do', context],
  ])('of another process is seen once a write answers it that %s', async (_, given) => {
    inVirtualTime()
    const { inner, other } = await world()
    // Without hints, a follower reads the log ten times a second.
    const { onAppend: _hints, ...store } = inner
    const iam = iamOn(store)
    const author = { projectId: 'portal', roleKey: 'author', displayName: 'Author' }
    await good(iam.projectRoles.add(author, context))
    const roles = [{ roleKey: 'editor' }, { roleKey: 'author' }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    const live = await liveOf(iam)
    const remove = { ...bob, roleKeys: ['editor'] }
    await good(other.userGrants.removeRoles(remove, given))
    expect(live.can(asked)).toBe(true)
    const again = await good(iam.userGrants.removeRoles(remove, given))
    expect(again.events).toHaveLength(given === context ? 0 : 1)
    expect(live.position).toBeGreaterThanOrEqual(again.details.sequence)
    expect(live.can(asked)).toBe(false)
  })

  it('that is recorded while they begin is seen by them', async () => {
    const { iam } = await world()
    const [live] = await Promise.all([liveOf(iam), good(iam.userGrants.add(grant, context))])
    expect(live.can(asked)).toBe(true)
  })

  it('does not wait for those that have ended', async () => {
    const { iam, reads } = await world()
    const ending = new AbortController()
    await good(iam.access.live({ signal: ending.signal }))
    ending.abort()
    await new Promise(setImmediate)
    reads.before = never
    await good(iam.userGrants.add(grant, context))
  })

  it.each([
    ['fails', away],
    ['hangs', never],
  ])(
    'is acknowledged within a second while the log %s, and refused until it is seen',
    async (_, fault) => {
      inVirtualTime()
      const { iam, reads } = await world()
      const live = await liveOf(iam)
      const login = { orgId: 'acme', userId: 'bob', projectId: 'portal' }
      expect(live.can(login)).toBe(true)
      reads.before = fault
      const written = iam.userGrants.add(grant, context)
      await vi.advanceTimersByTimeAsync(1_000)
      await good(written)
      expect(live.lag).toBeLessThan(5_000)
      expect(live.check(login)).toEqual(stale)
      expect(live.can(asked)).toBe(false)
      reads.before = undefined
      await vi.advanceTimersByTimeAsync(6_000)
      expect(live.can(login)).toBe(true)
      expect(live.can(asked)).toBe(true)
    },
  )
})

describe('A log that cannot be followed', () => {
  it.each([
    ['fails', away],
    ['hangs', never],
  ])('is stale after maxLag, and no longer when it can be: %s', async (_, fault) => {
    inVirtualTime()
    const { iam, other, reads } = await world()
    await good(iam.userGrants.add(grant, context))
    const live = await liveOf(iam, 2_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(live.can(asked)).toBe(true)
    reads.before = fault
    await good(other.userGrants.deactivate(bob, context))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(live.can(asked)).toBe(true)
    await vi.advanceTimersByTimeAsync(1_500)
    expect(live.can(asked)).toBe(false)
    expect(live.check(asked)).toEqual(stale)
    expect(live.lag).toBeGreaterThan(2_000)
    reads.before = undefined
    await good(other.userGrants.reactivate(bob, context))
    await vi.advanceTimersByTimeAsync(4_000)
    expect(live.can(asked)).toBe(true)
    expect(live.lag).toBeLessThan(2_000)
  })

  it('is stale where events that the store has recorded cannot be read', async () => {
    inVirtualTime()
    const { inner } = await world()
    const iam = iamOn(inner)
    let isLacking = false
    const readAll: EventStore['readAll'] = async (...range) =>
      isLacking ? [] : inner.readAll(...range)
    const live = await liveOf(iamOn({ ...inner, readAll }))
    const login = { orgId: 'acme', userId: 'bob', projectId: 'portal' }
    expect(live.can(login)).toBe(true)
    isLacking = true
    await good(iam.userGrants.add(grant, context))
    await vi.advanceTimersByTimeAsync(4_000)
    expect(live.can(login)).toBe(true)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(live.check(login)).toEqual(stale)
  })

  it('reports an event that cannot be read to reached and onFault', async () => {
    inVirtualTime()
    const faults: FaultSeen[] = []
    const { inner, iam } = await world((fault) => faults.push(fault))
    const live = await liveOf(iam)
    const position = await addNewerEvent(inner)
    expect(await refusal(live.reached(position))).toMatchObject({ kind: 'UnknownEvent', position })
    expect(faults).toEqual([{ method: 'access.live', kind: 'UnknownEvent', position }])
  })

  it('is unavailable to those that begin, and to reached', async () => {
    const { iam, reads, store } = await world()
    const live = await liveOf(iam)
    reads.before = away
    const { signal } = new AbortController()
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded' }
    expect(await refusal(iam.access.live({ signal }))).toMatchObject(unavailable)
    expect(
      await refusal(live.reached(await store.lastPosition().catch(() => 1n << 60n))),
    ).toMatchObject(unavailable)
  })
})

describe('A fault of the store', () => {
  it('is reported once, also after events that were read before it', async () => {
    inVirtualTime()
    const faults: FaultSeen[] = []
    const { inner, store, iam, other } = await world((fault) => faults.push(fault))
    const live = await liveOf(iam)
    const { position } = live
    store.readAll = async (after) => (after >= position ? away() : inner.readAll(after, 2))
    const roles = ['one', 'two'].map((roleKey) => ({ roleKey, displayName: roleKey }))
    await good(other.projectRoles.addMany({ projectId: 'portal', roles }, context))
    await vi.advanceTimersByTimeAsync(5)
    expect(live.position).toBeGreaterThan(position)
    expect(faults).toHaveLength(1)
  })
})

describe('The lag', () => {
  it('counts from the begin of the read that found nothing new', async () => {
    inVirtualTime()
    const { iam, other, reads } = await world()
    const live = await liveOf(iam)
    reads.before = () => {
      reads.before = undefined
      vi.advanceTimersByTime(800)
    }
    await good(other.projects.patch({ id: 'portal', name: 'Gate' }, context))
    const head = await good(iam.head())
    while (live.position < head) await vi.advanceTimersByTimeAsync(1)
    expect(live.lag).toBeGreaterThanOrEqual(800)
    expect(live.lag).toBeLessThan(1_000)
  })
})

describe('A log that is read slowly', () => {
  /** Live checks that need ten times `maxLag` to read what was recorded, an event at a time. */
  const behind = async (slowPage?: number) => {
    inVirtualTime()
    const { inner, iam, store, reads, other } = await world()
    const maxLag = 100
    const pages: bigint[] = []
    let isBegun = false
    store.readAll = async (after) => {
      pages.push(after)
      const takes = isBegun && pages.length === slowPage ? 3.5 * maxLag : maxLag / 2
      await new Promise((resolve) => setTimeout(resolve, takes))
      // One event, and the one at `after`.
      return inner.readAll(after, 2)
    }
    const begun = liveOf(iam, maxLag)
    await vi.advanceTimersByTimeAsync(1_000)
    const live = await begun
    isBegun = true
    reads.before = away
    for (let n = 0; n < 20; n++)
      await good(other.projects.patch({ id: 'portal', name: `Portal ${n}` }, context))
    pages.length = 0
    reads.before = undefined
    const head = await inner.lastPosition()
    for (let waited = 0; live.position < head && waited < 5_000; waited++)
      await vi.advanceTimersByTimeAsync(1)
    expect(live.position).toBe(head)
    return { live, pages }
  }

  it('is read once, however short maxLag is', async () => {
    const { pages } = await behind()
    expect(pages).toHaveLength(20)
    expect(new Set(pages).size).toBe(20)
  })

  it('is read by one reader again after a page that took longer than maxLag', async () => {
    const { pages } = await behind(3)
    expect(pages.length).toBeLessThanOrEqual(20 + 4)
  })

  it('is not stale as soon as it was read', async () => {
    const { live } = await behind()
    await vi.advanceTimersByTimeAsync(1)
    expect(live.can({ orgId: 'acme', userId: 'bob', projectId: 'portal' })).toBe(true)
  })
})

describe('A fault of live checks', () => {
  const typeError = (): never => {
    throw new TypeError('a bug of the store')
  }
  type World = Awaited<ReturnType<typeof world>>
  const kinds: readonly (readonly [
    what: string,
    stage: (on: World) => unknown,
    mend: ((on: World) => unknown) | undefined,
  ])[] = [
    [
      'a bug of the store',
      ({ reads }) => {
        reads.before = typeError
      },
      ({ reads }) => {
        reads.before = undefined
      },
    ],
    ['an event of a newer version', ({ inner }) => addNewerEvent(inner), undefined],
    [
      'an event that is damaged',
      ({ store, inner }) => {
        store.readAll = async (...range) =>
          (await inner.readAll(...range)).map((event) => ({ ...event, data: {} }))
      },
      ({ store, inner }) => {
        store.readAll = inner.readAll
      },
    ],
  ]

  it.each(kinds)('refuses at once, and after an own write: %s', async (_, stage, mend) => {
    inVirtualTime()
    const on = await world()
    const { iam, other } = on
    await good(iam.userGrants.add(grant, context))
    const live = await liveOf(iam)
    expect(live.can(asked)).toBe(true)
    await stage(on)
    await good(other.projects.patch({ id: 'portal', name: 'Gate' }, context))
    await vi.advanceTimersByTimeAsync(1)
    expect(live.check(asked)).toEqual(stale)
    expect(live.lag).toBe(Number.POSITIVE_INFINITY)
    // The write does not wait for a log that cannot be read.
    await good(iam.userGrants.deactivate(bob, context))
    expect(live.can(asked)).toBe(false)
    await good(iam.userGrants.reactivate(bob, context))
    expect(live.can(asked)).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(live.check(asked)).toEqual(stale)
    if (!mend) return
    await mend(on)
    await vi.advanceTimersByTimeAsync(1_001)
    expect(live.can(asked)).toBe(true)
    expect(live.lag).toBeLessThan(5_000)
    await good(iam.userGrants.deactivate(bob, context))
    expect(live.can(asked)).toBe(false)
  })
})

describe('A failover that lost events', () => {
  const login = { orgId: 'acme', userId: 'bob', projectId: 'portal' }

  it('makes them stale until they have read the log again', async () => {
    inVirtualTime()
    const { inner, store, iam, reads } = await world()
    const kept = await logOf(inner)
    const live = await liveOf(iam)
    await good(iam.userGrants.add(grant, context))
    expect(live.can(asked)).toBe(true)
    const standby = memoryEventStore()
    await standby.restore(kept)
    store.readAll = async (...range) => {
      await reads.before?.()
      return standby.readAll(...range)
    }
    store.lastPosition = () => standby.lastPosition()
    reads.before = away
    await vi.advanceTimersByTimeAsync(1_001)
    expect(live.check(login)).toEqual(stale)
    expect(live.lag).toBe(Number.POSITIVE_INFINITY)
    reads.before = undefined
    await vi.advanceTimersByTimeAsync(1_001)
    expect(live.can(login)).toBe(true)
    expect(live.can(asked)).toBe(false)
    expect(live.position).toBe(await standby.lastPosition())
  })

  it('is noticed, too, when others have written to the new server before they read it', async () => {
    inVirtualTime()
    const { inner, store, iam, reads } = await world()
    const kept = await logOf(inner)
    const live = await liveOf(iam)
    await good(iam.userGrants.add(grant, context))
    expect(live.can(asked)).toBe(true)
    const standby = memoryEventStore()
    await standby.restore(kept)
    await good(iamOn(standby).projects.add({ name: 'Other' }, context))
    expect(await standby.lastPosition()).toBeGreaterThan(live.position)
    store.readAll = async (...range) => {
      await reads.before?.()
      return standby.readAll(...range)
    }
    store.lastPosition = () => standby.lastPosition()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(live.can(asked)).toBe(false)
    expect(live.can(login)).toBe(true)
    expect(live.position).toBe(await standby.lastPosition())
  })

  it('of a write that they had not seen does not leave them stale', async () => {
    inVirtualTime()
    const { inner, store, iam, reads } = await world()
    const live = await liveOf(iam)
    const kept = await logOf(inner)
    reads.before = away
    const written = iam.userGrants.add(grant, context)
    await vi.advanceTimersByTimeAsync(1_000)
    await good(written)
    expect(live.check(login)).toEqual(stale)
    const standby = memoryEventStore()
    await standby.restore(kept)
    store.readAll = standby.readAll
    store.lastPosition = () => standby.lastPosition()
    await vi.advanceTimersByTimeAsync(4_000)
    expect(live.can(login)).toBe(true)
    expect(live.can(asked)).toBe(false)
  })
})

describe('The end of live checks', () => {
  it('leaves no scopes and no rows', async () => {
    const { iam } = await world()
    await good(iam.userGrants.add(grant, context))
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    const live = await good(iam.access.live({ signal: ending.signal }))
    const scopes = () => live.scopesOf({ orgId: 'acme', userId: 'bob', roleKey: 'editor' })
    const rows = () => live.filter([1], () => asked)
    expect([scopes().length, rows().length]).toEqual([1, 1])
    ending.abort()
    expect([scopes(), rows()]).toEqual([[], []])
  })

  it('refuses everything, at once', async () => {
    const { iam } = await world()
    await good(iam.userGrants.add(grant, context))
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    const live = await good(iam.access.live({ signal: ending.signal }))
    const waiting = refusal(live.reached(1n << 60n))
    expect(live.can(asked)).toBe(true)
    ending.abort()
    expect(live.can(asked)).toBe(false)
    expect(live.check(asked)).toEqual(stale)
    expect(live.lag).toBe(Number.POSITIVE_INFINITY)
    expect(await waiting).toEqual({ kind: 'Cancelled' })
    await good(iam.userGrants.deactivate(bob, context))
    expect(live.can(asked)).toBe(false)
  })

  it('is no beginning', async () => {
    const { iam } = await world()
    const live = iam.access.live({ signal: AbortSignal.abort() })
    expect(await refusal(live)).toEqual({ kind: 'Cancelled' })
  })

  it('of a wait leaves the checks as they are', async () => {
    const { iam } = await world()
    await good(iam.userGrants.add(grant, context))
    const live = await liveOf(iam)
    const ending = new AbortController()
    const waiting = refusal(live.reached(1n << 60n, { signal: ending.signal }))
    ending.abort()
    expect(await waiting).toEqual({ kind: 'Cancelled' })
    expect(live.can(asked)).toBe(true)
  })

  it('leaves no listener on the signal of the host', async () => {
    const { iam, reads } = await world()
    const { signal } = new AbortController()
    reads.before = away
    for (let n = 0; n < 3; n++) await refusal(iam.access.live({ signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, StoreFault, toStatus } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addAllSamples,
  context,
  good,
  iamOn,
  logOf,
  refusal,
  start,
  withAppend,
  withReads,
} from '../host.js'
import { reads, writes } from '../method/methods.js'

let store: EventStore
/** Number of events of the samples. */
let samples: number

beforeEach(async () => {
  const started = start()
  store = started.store
  await addAllSamples(started.iam)
  samples = (await logOf(store)).length
})

const portal = { id: 'portal' }

describe('An append whose outcome is unknown', () => {
  const unknown = new StoreFault('connection lost', 'unknown')
  const update = { ...PROJECT_DEFAULTS, ...portal, name: 'n' }

  it('is found by its id, and answered like any other', async () => {
    const losing = withAppend(store, async (append, send) => {
      await send(append)
      throw unknown
    })
    const process = iamOn(losing)
    const written = await good(process.projects.update(update, context))
    expect(written).toMatchObject({ changed: true, events: (await logOf(store)).slice(samples) })
    expect(written.details.sequence).toBe((await logOf(store)).at(-1)?.position)
    const roles = ['a', 'b'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    const many = await good(process.projectRoles.addMany({ projectId: 'portal', roles }, context))
    expect(many.events).toEqual((await logOf(store)).slice(-2))
    // What it remembers is what was recorded.
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'next' }, context))
  })

  it.each([unknown, new Error('of no outcome'), 'text'])(
    'is reported as such when it is not found: %s',
    async (cause) => {
      const losing = withAppend(store, () => Promise.reject(cause))
      expect(await refusal(iamOn(losing).projects.update(update, context))).toEqual({
        kind: 'Unavailable',
        outcome: 'unknown',
        cause,
      })
    },
  )

  it('is looked for, too, when the store threw at once', async () => {
    const throwing = withAppend(store, (append, send) => {
      void send(append)
      throw unknown
    })
    const written = await good(iamOn(throwing).projects.update(update, context))
    expect(written.events).toEqual((await logOf(store)).slice(samples))
  })

  it('is reported as unknown when it cannot be searched for', async () => {
    const losing = {
      ...withAppend(store, () => Promise.reject(unknown)),
      findAppend: () => Promise.reject(new StoreFault('away', 'not_recorded')),
    }
    expect(await refusal(iamOn(losing).projects.update(update, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'unknown',
      cause: unknown,
    })
  })

  it('is not looked for when the store knows that it was not recorded', async () => {
    const cause = new StoreFault('disk full', 'not_recorded')
    let isLookedFor = false
    const full = {
      ...withAppend(store, () => Promise.reject(cause)),
      findAppend: async () => {
        isLookedFor = true
        return []
      },
    }
    const error = await refusal(iamOn(full).projects.update(update, context))
    expect(error).toEqual({ kind: 'Unavailable', outcome: 'not_recorded', cause })
    expect(toStatus(error).code).toBe(14)
    expect(isLookedFor).toBe(false)
  })

  it('may be tried again under its idempotency key', async () => {
    let isLost = true
    const losing: EventStore = {
      ...withAppend(store, async (append, send) => {
        const verdict = await send(append)
        if (isLost) throw unknown
        return verdict
      }),
      findAppend: (by) => (isLost ? Promise.resolve([]) : store.findAppend(by)),
    }
    const process = iamOn(losing)
    const once = { ...context, idempotencyKey: 'k' }
    expect(await refusal(process.projects.add({ name: 'n' }, once))).toMatchObject({
      outcome: 'unknown',
    })
    isLost = false
    const log = await logOf(store)
    const again = await good(process.projects.add({ name: 'n' }, once))
    expect(again.events).toEqual(log.slice(samples))
    expect(await logOf(store)).toEqual(log)
  })

  it('leaves the queue free for waiting calls', async () => {
    let faults = 0
    const losing = withAppend(store, (append, send) =>
      faults++ === 0 ? Promise.reject(unknown) : send(append),
    )
    const process = iamOn(losing)
    const [first, second] = await Promise.all([
      process.projects.update(update, context),
      process.projects.deactivate(portal, context),
    ])
    expect(first.isErr()).toBe(true)
    expect(second.isOk()).toBe(true)
  })
})

describe('A store that cannot be read', () => {
  it.each(writes)('leaves $name unrecorded', async ({ of, input }) => {
    const cause = new StoreFault('away', 'unknown')
    const away = () => Promise.reject(cause)
    const process = iamOn({ ...withReads(store, away), append: away, findAppend: away })
    const error = await refusal(of(process)(input, context))
    expect(error).toMatchObject({ kind: 'Unavailable', cause })
    expect(await logOf(store)).toHaveLength(samples)
  })

  it.each(reads)('makes $name unavailable', async ({ of, input }) => {
    const cause = new StoreFault('away', 'unknown')
    const away = () => Promise.reject(cause)
    const process = iamOn({ ...withReads(store, away), readAll: away, lastPosition: away })
    expect(await refusal(of(process)(input, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })

  it('is distinguished from an append of unknown outcome', async () => {
    const cause = new StoreFault('away', 'unknown')
    const process = iamOn({ ...store, readStream: () => Promise.reject(cause) })
    expect(
      await refusal(
        process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'n' }, context),
      ),
    ).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })

  it('is distinguished even when it cannot search for an idempotency key', async () => {
    const cause = new StoreFault('away', 'unknown')
    const process = iamOn({ ...store, findAppend: () => Promise.reject(cause) })
    const keyed = { ...context, idempotencyKey: 'k' }
    expect(await refusal(process.projects.add({ ...portal, name: 'n' }, keyed))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })

  it('leaves it open whether a used idempotency key has recorded something', async () => {
    const cause = new StoreFault('away', 'not_recorded')
    const keyed = { ...context, idempotencyKey: 'k' }
    const used = iamOn(store)
    await good(used.projects.add({ name: 'n' }, keyed))
    const process = iamOn({ ...store, findAppend: () => Promise.reject(cause) })
    expect(await refusal(process.projects.add({ name: 'n' }, keyed))).toEqual({
      kind: 'Unavailable',
      outcome: 'unknown',
      cause,
    })
  })

  it('may also throw at once', async () => {
    const cause = new Error('at once')
    const throwing = () => {
      throw cause
    }
    const process = iamOn(withReads(store, throwing))
    expect(await refusal(process.projects.remove(portal, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })
})

describe('A bug', () => {
  it('of a store that answers with fewer events than it was sent names the stream', async () => {
    const process = iamOn(
      withAppend(store, async (append, send) => (await send(append)).map(() => [])),
    )
    await expect(process.projects.remove(portal, context)).rejects.toThrow(
      'The store recorded too few events of project-acme+portal',
    )
  })

  it('is not swallowed: what our own code throws rejects, and the queue goes on', async () => {
    const bug = new TypeError('a bug')
    let bugs = 0
    const process = iamOn(store, {
      newId: () => {
        if (bugs++ === 0) throw bug
        return '01ARZ3NDEKTSV4RRFFQ69G5FAV'
      },
    })
    await expect(process.projects.remove(portal, context)).rejects.toBe(bug)
    await good(process.projects.remove(portal, context))
  })

  it('ends the turn of who decides on what is remembered, at once or after others', async () => {
    const bug = new TypeError('a bug')
    let ids = 0
    const process = iamOn(store, {
      newId: () => {
        const id = ids++
        if (id === 1 || id === 3) throw bug
        return `01ARZ3NDEKTSV4RRFFQ69G5FA${id}`
      },
    })
    const rename = (name: string) =>
      process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, context)
    await good(rename('remembered'))
    await expect(rename('at once')).rejects.toBe(bug)
    const [first, second, third] = ['first', 'second', 'third'].map(rename)
    await Promise.all([first, expect(second).rejects.toBe(bug), third])
    expect((await logOf(store)).at(-1)?.data).toMatchObject({ name: 'third' })
  })
})

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Context, type EventStore, toStatus } from '../../../src/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS } from '../../defaults.js'
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
} from '../host.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

const portal = { id: 'portal' }

/** `store` where, right before each of the first `times` appends, somebody does `first`. */
const withRace = (first: () => Promise<unknown>, times = 1): EventStore => {
  let races = 0
  return withAppend(store, async (append, send) => {
    if (races++ < times) await first()
    return send(append)
  })
}

describe('An abort', () => {
  it('before anything was sent cancels, and records nothing', async () => {
    const controller = new AbortController()
    const process = iamOn({
      ...store,
      readStream: (stream, after) => {
        controller.abort()
        return store.readStream(stream, after)
      },
    })
    const cancelling = { ...context, signal: controller.signal }
    const error = await refusal(process.projects.remove(portal, cancelling))
    expect(error).toEqual({ kind: 'Cancelled' })
    expect(toStatus(error).code).toBe(1)
    expect(await logOf(store)).toHaveLength(3)
  })

  it('while it is authorized cancels, and asks the store for nothing', async () => {
    const controller = new AbortController()
    const readStream = vi.fn(store.readStream)
    const process = iamOn(
      { ...store, readStream },
      {
        authorize: () => {
          controller.abort()
          return true
        },
      },
    )
    const cancelling = { ...context, signal: controller.signal }
    expect(await refusal(process.projects.remove(portal, cancelling))).toEqual({
      kind: 'Cancelled',
    })
    expect(readStream).not.toHaveBeenCalled()
  })

  it('while the idempotency key is looked after cancels, and sends no append', async () => {
    const controller = new AbortController()
    const keyed = { ...context, idempotencyKey: 'k', signal: controller.signal }
    const adding = iam.projects.add({ id: 'new', name: 'New' }, keyed)
    controller.abort()
    expect(await refusal(adding)).toEqual({ kind: 'Cancelled' })
    expect(await logOf(store)).toHaveLength(3)
  })

  it('while waiting for a lock cancels at once, and those behind move up', async () => {
    const controller = new AbortController()
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let appends = 0
    const process = iamOn(
      withAppend(store, async (append, send) => {
        if (appends++ === 0) await held
        return send(append)
      }),
    )
    const first = process.projects.update(
      { ...PROJECT_DEFAULTS, ...portal, name: 'first' },
      context,
    )
    const cancelling: Context = { ...context, signal: controller.signal }
    const second = process.projects.update(
      { ...PROJECT_DEFAULTS, ...portal, name: 'second' },
      cancelling,
    )
    const third = process.projects.update(
      { ...PROJECT_DEFAULTS, ...portal, name: 'third' },
      context,
    )
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    // The first is still held, and so is who waits for it.
    expect(await refusal(second)).toEqual({ kind: 'Cancelled' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(appends).toBe(1)
    release()
    await good(first)
    await good(third)
    const names = (await logOf(store)).slice(3).map(({ data }) => Reflect.get(data, 'name'))
    expect(names).toEqual(['first', 'third'])
  })

  it('takes away a lock that is never released, in the order of the queue', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let appends = 0
    const process = iamOn(
      withAppend(store, (append, send) => {
        // As where a runtime has ended the request that sent it.
        return appends++ === 0 ? new Promise<never>(() => undefined) : send(append)
      }),
    )
    const rename = (name: string) =>
      process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, context)
    void rename('lost')
    const others = ['second', 'third', 'fourth'].map((name) => good(rename(name)))
    await vi.advanceTimersByTimeAsync(39_999)
    expect(appends).toBe(1)
    await vi.advanceTimersByTimeAsync(40_001)
    await Promise.all(others)
    await good(rename('fifth'))
    const names = (await logOf(store)).slice(3).map(({ data }) => Reflect.get(data, 'name'))
    expect(names).toEqual(['second', 'third', 'fourth', 'fifth'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps the order of the locks, however long all of them take', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let underWay = 0
    const process = iamOn(
      withAppend(store, async (append, send) => {
        expect(++underWay).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 35_000))
        underWay--
        return send(append)
      }),
    )
    const names = Array.from({ length: 8 }, (_, index) => `name ${index}`)
    const all = names.map((name) =>
      good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, context)),
    )
    await vi.advanceTimersByTimeAsync(8 * 35_000)
    await Promise.all(all)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('right before it waits for a lock cancels at once', async () => {
    const controller = new AbortController()
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const secrets: typeof oldCipher = {
      ...oldCipher,
      seal: (secret, owner) => {
        controller.abort()
        return oldCipher.seal(secret, owner)
      },
    }
    const process = iamOn(
      withAppend(store, async (append, send) => {
        await held
        return send(append)
      }),
      { secrets },
    )
    const google = { idpId: 'google' }
    const first = process.identityProviders.deactivate(google, context)
    const second = process.identityProviders.updateOidcConfig(
      { ...OIDC_DEFAULTS, ...google, clientId: 'c', issuer: 'i', clientSecret: 's' },
      { ...context, signal: controller.signal },
    )
    expect(await refusal(second)).toEqual({ kind: 'Cancelled' })
    release()
    await good(first)
  })

  it.each(['readStream', 'append'])('at any moment after %s lets none be sent', async (name) => {
    for (let moment = 0; moment < 60; moment++) {
      const controller = new AbortController()
      const { signal } = controller
      const abortAfter = async (asked: string) => {
        if (asked !== name) return
        for (let step = 0; step < moment; step++) await Promise.resolve()
        controller.abort()
      }
      let isLate = false
      const racing = withRace(() =>
        good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'raced' }, context)),
      )
      const process = iamOn({
        ...racing,
        readStream: async (stream, after) => {
          const events = await store.readStream(stream, after)
          void abortAfter('readStream')
          return events
        },
        append: async (append) => {
          isLate ||= signal.aborted
          const verdict = await racing.append(append)
          void abortAfter('append')
          return verdict
        },
      })
      const names = ['first', 'second'].map((order) => `${order} ${moment}`)
      await Promise.all(
        names.map((name) =>
          process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, { ...context, signal }),
        ),
      )
      expect(isLate).toBe(false)
    }
  })

  it('after the append was sent has no effect', async () => {
    const controller = new AbortController()
    const process = iamOn(
      withAppend(store, (append, send) => {
        controller.abort()
        return send(append)
      }),
    )
    const call = process.projects.update(
      { ...PROJECT_DEFAULTS, ...portal, name: 'n' },
      { ...context, signal: controller.signal },
    )
    expect(await good(call)).toMatchObject({ changed: true })
  })

  it('after a lost race cancels', async () => {
    const controller = new AbortController()
    const racing = withRace(async () => {
      await good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'raced' }, context))
      controller.abort()
    })
    const signal = controller.signal
    expect(await refusal(iamOn(racing).projects.remove(portal, { ...context, signal }))).toEqual({
      kind: 'Cancelled',
    })
    expect((await logOf(store)).at(-1)?.type).toBe('project.updated')
  })
})

describe('The queue of one process', () => {
  it('records commands of one stream in the order in which they came, without a lost race', async () => {
    let appends = 0
    const process = iamOn(
      withAppend(store, (append, send) => {
        appends++
        return send(append)
      }),
    )
    // Now it remembers what all of them will find otherwise.
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'first' }, context))
    appends = 0
    const names = Array.from({ length: 50 }, (_, n) => `name ${n}`)
    await Promise.all(
      names.map((name) =>
        good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, context)),
      ),
    )
    const log = await logOf(store)
    expect(log.slice(4).map(({ data }) => Reflect.get(data, 'name'))).toEqual(names)
    expect(appends).toBe(50)
  })

  it('never deadlocks on commands of several streams in any order', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e']
    const many = (order: readonly string[]) => ({
      projectId: 'portal',
      roles: order.map((roleKey) => ({ roleKey, displayName: 'd' })),
    })
    const orders = keys.flatMap((_, n) => {
      const turned = [...keys.slice(n), ...keys.slice(0, n)]
      return [turned, turned.toReversed(), turned.slice(0, 3)]
    })
    const outcomes = await Promise.all(
      orders.map((order) => iam.projectRoles.addMany(many(order), context)),
    )
    expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.isErr()) expect(outcome.error.kind).toBe('AlreadyExists')
    const { totalSize } = await good(iam.projectRoles.list({ projectId: 'portal' }, context))
    expect(totalSize).toBe(6)
  })

  it('does not make commands of one project wait for each other', async () => {
    let isHeld = true
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const process = iamOn(
      withAppend(store, async (append, send) => {
        if (isHeld) {
          isHeld = false
          await held
        }
        return send(append)
      }),
    )
    const role = { projectId: 'portal', displayName: 'd' }
    const first = process.projectRoles.add({ ...role, roleKey: 'first' }, context)
    await good(process.projectRoles.add({ ...role, roleKey: 'second' }, context))
    release()
    await good(first)
  })
})

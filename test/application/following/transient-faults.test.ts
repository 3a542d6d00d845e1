import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  EventStore,
  FaultSeen,
  Position,
  Projection,
  RecordedEvent,
} from '../../../src/index.js'
import { addSamples, good, iamOn, logOf, refusal, start } from '../host.js'

let store: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  await addSamples(started.iam)
})

afterEach(() => {
  vi.useRealTimers()
})

/** A view of a host's own that fails with what `failure` answers, as long as it answers. */
const failing = (failure: (events: readonly RecordedEvent[]) => unknown) => {
  const seen: RecordedEvent[] = []
  let checkpoint: Position = 0n
  const projection: Projection = {
    name: 'mine',
    checkpoint: async () => checkpoint,
    apply: async (from, events) => {
      const thrown = failure(events)
      if (thrown !== undefined) throw thrown
      if (from !== checkpoint) return false
      seen.push(...events)
      checkpoint = events.at(-1)?.position ?? from
      return true
    },
    reset: async () => undefined,
  }
  return { seen, projection }
}

const coded = (code: string, more: object = {}) =>
  Object.assign(new Error('lost'), { code, ...more })

/** What those throw that lost what they work with. */
const faults: readonly (readonly [name: string, error: unknown])[] = [
  ['a connection that was refused', coded('ECONNREFUSED')],
  ['a connection that was reset', coded('ECONNRESET', { syscall: 'read' })],
  ['a connection that was cut', coded('EPIPE')],
  ['a connection that took too long', coded('ETIMEDOUT')],
  ['a name that was not found', coded('ENOTFOUND', { syscall: 'getaddrinfo' })],
  ['a full disk', coded('ENOSPC')],
  ['a request that failed', new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') })],
  ['a request that took too long', new DOMException('too long', 'TimeoutError')],
  ['a cause of a cause', new Error('a', { cause: new Error('b', { cause: coded('08006') }) })],
  ['a backend that was ended', coded('57P01', { severity: 'FATAL' })],
  ['a statement that took too long', coded('57014')],
  ['too many connections', coded('53300')],
  ['a deadlock', coded('40P01')],
  ['a lock that is held', coded('55P03')],
  ['a standby', coded('25006')],
  ['a file that is locked', coded('ERR_SQLITE_ERROR', { errcode: 261 })],
  ['a file that is busy', coded('SQLITE_BUSY_SNAPSHOT')],
  ['a connection that pg lost', new Error('Connection terminated unexpectedly')],
  ['a pool that has none left', new Error('timeout exceeded when trying to connect')],
  ['an error with an outcome', Object.assign(new Error('away'), { outcome: 'unknown' })],
]

/** What the code of a projection throws at an event. */
const refusals: readonly (readonly [name: string, error: unknown])[] = [
  ['a bug', new TypeError('Cannot read properties of undefined')],
  ['a bug that Node.js found', coded('ERR_INVALID_ARG_TYPE')],
  ['a file that does not exist', coded('ENOENT')],
  ['a row that is there already', coded('23505', { severity: 'ERROR' })],
  ['a column that does not exist', coded('42703')],
  ['a row that SQLite refuses', coded('ERR_SQLITE_ERROR', { errcode: 2067 })],
  ['no error', 'no'],
  ['nothing', null],
]

describe('A projection with a temporary fault', () => {
  it.each(faults)('is unavailable until the fault is over: %s', async (_, cause) => {
    let times = 3
    const { seen, projection } = failing(() => (times-- > 0 ? cause : undefined))
    const iam = iamOn(store)
    for (const _ of [1, 2, 3]) {
      expect(await refusal(iam.catchUp(projection))).toEqual({
        kind: 'Unavailable',
        outcome: 'not_recorded',
        cause,
      })
    }
    await good(iam.catchUp(projection))
    expect(seen).toEqual(await logOf(store))
  })

  it('is retried by run after growing pauses, with onFault called each time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const reported: FaultSeen[] = []
    const iam = iamOn(store, { hooks: { onFault: (fault) => reported.push(fault) } })
    let isAway = true
    const { seen, projection } = failing(() => (isAway ? coded('ECONNREFUSED') : undefined))
    const controller = new AbortController()
    const running = iam.run(projection, { signal: controller.signal })
    const reportedAfter = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds)
      return reported.length
    }
    expect(await reportedAfter(9)).toBe(1)
    expect(await reportedAfter(1)).toBe(2)
    expect(await reportedAfter(19)).toBe(2)
    expect(await reportedAfter(1)).toBe(3)
    expect(await reportedAfter(600_000)).toBeGreaterThan(600)
    expect(reported[0]).toEqual({
      method: 'run',
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause: { name: 'Error', code: 'ECONNREFUSED' },
    })
    isAway = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(seen).toEqual(await logOf(store))
    controller.abort()
    expect(await good(running)).toBe(await store.lastPosition())
  })

  it('continues at the same event', async () => {
    const log = await logOf(store)
    let isAway = true
    const { seen, projection } = failing((events) => {
      // Refuses the batch, and loses its connection at the second event alone.
      if (events.length > 1) return new Error('of several')
      return isAway && events[0] === log[1] ? coded('ECONNRESET') : undefined
    })
    const iam = iamOn(store)
    expect(await refusal(iam.catchUp(projection))).toMatchObject({ kind: 'Unavailable' })
    expect(seen).toEqual(log.slice(0, 1))
    isAway = false
    await good(iam.catchUp(projection))
    expect(seen).toEqual(log)
  })

  it('gets a single event a second time before the event counts as refused', async () => {
    const [first] = await logOf(store)
    let times = 1
    const { seen, projection } = failing(() => (times-- > 0 ? new Error('gone') : undefined))
    const readAll: EventStore['readAll'] = async (after) => (after === 0n && first ? [first] : [])
    await good(iamOn({ ...store, readAll }).catchUp(projection))
    expect(seen).toEqual([first])
  })

  it('is unavailable when its checkpoint cannot be read either', async () => {
    const cause = new Error('The pool is gone')
    let isAway = false
    const { seen, projection } = failing(() => {
      isAway = true
      return cause
    })
    const checkpoint = () => (isAway ? Promise.reject(cause) : projection.checkpoint())
    expect(await refusal(iamOn(store).catchUp({ ...projection, checkpoint }))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
    expect(seen).toEqual([])
  })
})

describe('A projection that refuses an event', () => {
  it.each(refusals)('ends the run right before it: %s', async (_, cause) => {
    const log = await logOf(store)
    const { seen, projection } = failing((events) =>
      events.some((event) => event === log[1]) ? cause : undefined,
    )
    const iam = iamOn(store)
    const failed = {
      kind: 'ProjectionFailed',
      projection: 'mine',
      type: 'project.added',
      position: log[1]?.position,
      cause,
    }
    expect(await refusal(iam.run(projection))).toEqual(failed)
    expect(await refusal(iam.catchUp(projection))).toEqual(failed)
    expect(seen).toEqual(log.slice(0, 1))
  })
})

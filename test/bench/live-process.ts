import { createHistogram } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { orThrow } from 'claviger'
import { type Runner, takeTurns, timesAsLong } from './rounds.ts'
import { STORES } from './stores.ts'
import { bind, CONTEXT } from './systems/claviger.ts'
import { fill } from './systems/fill.ts'
import { nestedMap } from './systems/nested-map.ts'
import {
  type Call,
  HELD_ROLE,
  isHeld,
  newGrantOf,
  ORG_ID,
  type Place,
  questionOf,
} from './world.ts'
import type { Took } from './world-process.ts'

// Measures live checks over SQLite once: their memory, and how long they take while roles are given.

/** What is measured. */
export interface LiveRequest {
  readonly grants: number
  readonly seconds: number
}

/** What it came to; how long a check takes in nanoseconds. */
export interface LiveAnswer {
  readonly bytesPerGrant: number
  readonly catchUpMilliseconds: number
  readonly writesPerSecond: number
  readonly median: number
  readonly p99: number
  readonly p999: number
  /** How many times as long a nested `Map` of as many grants takes. */
  readonly nestedMap: number
}

const WRITES_PER_SECOND = 1_000
const CHECKS_PER_WRITE = 10

const measure = async ({ grants, seconds }: LiveRequest): Promise<LiveAnswer> => {
  const place: Place = { store: 'sqlite', grants }
  const opened = await STORES.sqlite()
  const iam = bind(opened)
  await fill(iam, opened, place, CONTEXT)
  const ending = new AbortController()
  const before = heldBytes()
  const begin = performance.now()
  const live = await orThrow(iam.access.live({ signal: ending.signal }))
  const catchUpMilliseconds = performance.now() - begin
  const bytesPerGrant = (heldBytes() - before) / grants

  const roles = [{ roleKey: HELD_ROLE }]
  const took = createHistogram()
  const question = (index: number) => {
    const { userId, projectId, roleKey } = questionOf(index, place)
    return { orgId: ORG_ID, userId, projectId, roleKey }
  }
  const check = (index: number): void => {
    const asked = question(index)
    const from = performance.now()
    const can = live.can(asked)
    took.record(Math.max(1, Math.round((performance.now() - from) * 1e6)))
    if (can !== isHeld(index)) throw new Error(`Check ${index} was answered wrongly`)
  }
  // The checks refuse everything until the log is read again after a catch-up that took long.
  await setTimeout(2_000)
  // Long enough that the code is compiled, and with time to follow the log.
  for (let index = 0; index < 200_000; index++) {
    check(index)
    if (index % 1_000 === 0) await setImmediate()
  }
  took.reset()

  let written = 0
  let checked = 0
  const writes: Promise<boolean>[] = []
  const from = performance.now()
  while (performance.now() - from < seconds * 1_000) {
    const due = ((performance.now() - from) * WRITES_PER_SECOND) / 1_000
    if (written < due) {
      const added = iam.userGrants.add({ ...newGrantOf(written++), roles }, CONTEXT)
      writes.push(Promise.resolve(added).then((outcome) => outcome.isOk()))
    }
    const dueChecks = written * CHECKS_PER_WRITE
    if (checked < dueChecks) check(checked++)
    else await setImmediate()
  }
  if (!(await Promise.all(writes)).every(Boolean)) throw new Error('A role was not given')
  const writesPerSecond = (written * 1_000) / (performance.now() - from)
  const { jobs } = await nestedMap(place)
  const can: Call = (index) => live.can(question(index)) === isHeld(index)
  const asked = [can, ...Object.values(jobs).map(({ call }) => call)].map(asking)
  const [own, nested] = await takeTurns(asked, { rounds: 9 })
  if (!own || !nested) throw new Error('There is nothing to compare')
  ending.abort()
  await opened.close()
  return {
    bytesPerGrant,
    catchUpMilliseconds,
    writesPerSecond,
    median: took.percentile(50),
    p99: took.percentile(99),
    p999: took.percentile(99.9),
    nestedMap: timesAsLong(nested, own, 'cpu'),
  }
}

const CHECKS_PER_ROUND = 100_000

/** Each round asks about other grants. */
const asking = (call: Call): Runner => {
  let next = 0
  const run = async (): Promise<Took> => {
    // The live checks follow the log.
    await setImmediate()
    const end = next + CHECKS_PER_ROUND
    const cpuBegin = process.cpuUsage()
    const begin = performance.now()
    for (; next < end; next++)
      if (!call(next)) throw new Error(`Check ${next} was answered wrongly`)
    const { user, system } = process.cpuUsage(cpuBegin)
    return {
      cpu: ((user + system) * 1e3) / CHECKS_PER_ROUND,
      wall: ((performance.now() - begin) * 1e6) / CHECKS_PER_ROUND,
    }
  }
  return { name: '', run }
}

/** What the process holds after garbage was collected. */
const heldBytes = (): number => {
  for (let pass = 0; pass < 3; pass++) globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

process.once('message', async (request: LiveRequest) => {
  process.send?.(await measure(request))
  process.disconnect()
})

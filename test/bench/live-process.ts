import { createHistogram } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { orThrow } from 'claviger'
import { STORES } from './stores.ts'
import { bind, CONTEXT } from './systems/claviger.ts'
import { fill } from './systems/fill.ts'
import { HELD_ROLE, isHeld, newGrantOf, ORG_ID, type Place, questionOf } from './world.ts'

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
  const check = (index: number): void => {
    const question = { orgId: ORG_ID, ...questionOf(index, place) }
    const from = performance.now()
    const can = live.can(question)
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
  ending.abort()
  await opened.close()
  return {
    bytesPerGrant,
    catchUpMilliseconds,
    writesPerSecond,
    median: took.percentile(50),
    p99: took.percentile(99),
    p999: took.percentile(99.9),
  }
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

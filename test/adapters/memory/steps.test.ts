import { expect, test } from 'vitest'
import { memoryReadModel } from '../../../src/adapters/memory/read-model.js'
import { grantOf, NOW, OF_PORTAL } from '../../../src/laws/read-model/grant-samples.js'
import { presentAccess } from '../../../src/projections/present-access.js'
import { readEvents } from '../../../src/projections/read-events.js'
import { busyLog, FAR_REACHING } from '../busy-log.js'

/** Prototypes of iterators, by which every loop over maps, sets and lists goes. */
const ITERATORS = [new Map().entries(), new Set().values(), [].values()].map(
  (iterator) => Object.getPrototypeOf(iterator) as { next: () => unknown },
)

/** How many items `work` goes through, in loops over maps, sets and lists. */
const stepsOf = async (work: () => unknown): Promise<number> => {
  let steps = 0
  const originals = ITERATORS.map((prototype) => prototype.next)
  for (const [index, prototype] of ITERATORS.entries())
    prototype.next = function (this: unknown, ...args) {
      steps++
      return originals[index]?.apply(this, args as [])
    }
  try {
    await work()
  } finally {
    for (const [index, prototype] of ITERATORS.entries())
      prototype.next = originals[index] ?? prototype.next
  }
  return steps
}

/** The most steps of the events in {@link FAR_REACHING}, and of the reads after each, with that many users. */
const mostSteps = async (count: number) => {
  const model = memoryReadModel()
  const live = presentAccess()
  const log = busyLog(count)
  await model.apply(0n, log.events)
  for (const event of readEvents(log.events)) live.apply(event)
  const read = async () => {
    await model.holders({ ...OF_PORTAL, limit: 10 })
    await model.heldRoles({ orgId: 'globex', userId: 'user-1', ...NOW })
    await model.access({ orgId: 'globex', ...grantOf('user-1') })
    const sort = [{ field: 'key', direction: 'asc' }] as const
    await model.list({ type: 'user_grant', orgId: 'globex', conditions: [], sort, limit: 10 })
  }
  // Users are put in order as far as they are read.
  await read()
  await model.holders({ ...OF_PORTAL, limit: 2 * count + 1 })
  for (const roleKey of ['reader', 'writer'])
    await model.holders({ ...OF_PORTAL, userOrgId: 'globex', roleKey, limit: 10 })
  let most = { applied: 0, reads: 0 }
  for (const event of FAR_REACHING) {
    const recorded = log.record('acme', event)
    const applied = await stepsOf(async () => {
      await model.apply(await model.checkpoint(), [recorded])
      for (const known of readEvents([recorded])) live.apply(known)
    })
    const reads = await stepsOf(read)
    most = { applied: Math.max(most.applied, applied), reads: Math.max(most.reads, reads) }
  }
  return most
}

test('An event and the reads after it take no more steps with many holders and organizations than with few.', async () => {
  const few = await mostSteps(100)
  expect(few.applied).toBeGreaterThan(0)
  const many = await mostSteps(5_000)
  expect(many.applied).toBeLessThanOrEqual(few.applied)
  // Organizations without a holder are passed over.
  expect(many.reads).toBeLessThanOrEqual(few.reads)
})

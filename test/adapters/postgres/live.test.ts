import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { createIam } from '../../../src/index.js'
import { anyStep, foundation, START, STEP_MS } from '../../application/access/any-history.js'
import { differences, liveOf } from '../../application/access/live-world.js'
import { addSamples, context, good, iamOn, oldCipher } from '../../application/host.js'
import { newSchema, serverForFile } from './test-schemas.js'

const server = serverForFile()

const open = (schema: string) =>
  openPostgres({ connectionString: server.connectionString, schema, maxConnections: 2 })

test('live checks agree with eventual checks at the same position, after writes of any process', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 40 }), async (steps) => {
      const schema = newSchema()
      let time = START.getTime()
      const options = { now: () => new Date(time), authorize: () => true }
      await using one = await open(schema)
      await using other = await open(schema)
      const iams = [one, other].map(({ store }) => iamOn(store, options))
      const [first] = iams
      if (!first) throw new Error('There are two')
      const live = await liveOf(first)
      for (const step of foundation) await step(first)
      for (const [index, step] of steps.entries()) {
        time += STEP_MS
        const before = await one.store.lastPosition()
        await step(iams[index % 2] ?? first)
        if (index % 10 !== 0) continue
        const after = await one.store.lastPosition()
        if (after > before) expect(live.position).toBe(after)
        expect(await differences(live, one.store, options)).toEqual([])
      }
      await good(live.reached(await one.store.lastPosition()))
      expect(await differences(live, other.store, options)).toEqual([])
    }),
    { numRuns: 3 },
  )
})

test('a write of the process is seen by the next call, and one of another soon', async () => {
  const schema = newSchema()
  await using own = await open(schema)
  await using foreign = await open(schema)
  const ports = { secrets: oldCipher, authorize: () => true }
  const iam = createIam({ ...own, ...ports })
  const other = createIam({ ...foreign, ...ports })
  await addSamples(iam)
  const live = await liveOf(iam)
  const bob = { userId: 'bob', projectId: 'portal' }
  const asked = { ...bob, orgId: 'acme', roleKey: 'editor' }
  await good(iam.userGrants.add({ ...bob, roles: [{ roleKey: 'editor' }] }, context))
  expect(live.can(asked)).toBe(true)
  await good(other.userGrants.deactivate(bob, context))
  await expect.poll(() => live.can(asked)).toBe(false)
  const { details } = await good(other.userGrants.reactivate(bob, context))
  await good(live.reached(details.sequence))
  expect(live.can(asked)).toBe(true)
})

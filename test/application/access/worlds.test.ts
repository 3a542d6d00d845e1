import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel, orThrow } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { compared } from '../../fuzz/worlds/program.js'
import { feed, firstDifference, restored } from '../../fuzz/worlds/worlds.js'
import { context, type Iam } from '../host.js'
import { PROJECTS, PROVIDERS, RESOURCES, USERS } from './any-history.js'
import { HISTORIES, histories, played } from './played.js'

test('Memory, SQLite, live checks and the replayed past agree on any history.', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.nat(),
      fc.constantFrom(1, 7, 1000),
      async (steps, some, size) => {
        const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
        const memory = memoryReadModel()
        const sqlite = openSqlite(temporaryFile())
        await feed(memory, log, 1000)
        const moments = [some, some >> 8].map((each) => log.at(each % log.length)?.position ?? 0n)
        const fed = [
          { name: 'memory', model: memory },
          { name: 'SQLite', model: await restored(sqlite, log, size) },
        ]
        expect(await firstDifference(fed, log, now, moments)).toBeUndefined()
        await sqlite.close()
      },
    ),
    { numRuns: Math.ceil(HISTORIES / 3) },
  )
})

test('The comparison takes the roles of a check and of a list for equal in any order.', async () => {
  const user = { userId: USERS[0], projectId: PROJECTS[0] }
  const writer = { ...user, roles: [{ roleKey: 'writer' }] }
  const reader = { ...user, resource: RESOURCES[0], roles: [{ roleKey: 'reader' }] }
  const leave = (idpId: string) => (iam: Iam) =>
    iam.memberships.remove({ idpId, userId: user.userId }, context)
  const steps = [
    ...PROVIDERS.map(leave),
    // A list has the roles on a whole project first, a check all of them by their keys.
    async (iam: Iam) => orThrow(await iam.userGrants.update(writer, context)),
    async (iam: Iam) => orThrow(await iam.userGrants.update(reader, context)),
  ]
  const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
  const model = memoryReadModel()
  await feed(model, log, 1000)
  expect(await firstDifference([{ name: 'memory', model }], log, now, [])).toBeUndefined()
})

// All of them, and PostgreSQL, take longer: `worlds.long.test.ts`.
test.each([
  'a role that is taken from the grant of a project goes on',
  'a role begins one event late in the past',
  'a role counts after it has expired',
])('The comparison finds a planted bug: %s.', async (name) => {
  expect(await compared(['--histories', '20'], name)).toMatch(/^Difference in history \d+: /)
})

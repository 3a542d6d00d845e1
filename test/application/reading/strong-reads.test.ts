import { beforeEach, expect, test } from 'vitest'
import { type EventStore, memoryReadModel, type ReadModel } from '../../../src/index.js'
import type { FoundAtHead, ReadQuery } from '../../../src/ports/read-model.js'
import { addAllSamples, context, good, type Iam, iamOn, refusal, start } from '../host.js'
import { reads, removeAllOfResource, removeAllOfUser, resealSecrets } from '../method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addAllSamples(iam)
})

const unproven = () => Promise.reject(new Error('A strong read asked without proof'))

/** A read model that reads at the head alone; `answerOf` may replace what a read finds. */
const readingAtHead = (
  answerOf: (
    query: ReadQuery,
    proven: FoundAtHead<unknown>,
  ) => Promise<FoundAtHead<unknown>> = async (_, proven) => proven,
): ReadModel => {
  const kept = memoryReadModel()
  const ask = async (query: ReadQuery) => {
    const read = kept[query.method] as unknown as (...args: readonly unknown[]) => Promise<unknown>
    const found = await read(...query.args)
    const proven = { found, head: await store.lastPosition(), reached: await kept.checkpoint() }
    return answerOf(query, proven)
  }
  return {
    ...kept,
    get: unproven,
    list: unproven,
    access: unproven,
    heldRoles: unproven,
    holders: unproven,
    affected: unproven,
    route: unproven,
    history: unproven,
    readAtHead: () => ask as never,
  }
}

const ROLES = [{ roleKey: 'editor', displayName: 'Editor' }]
const DESIRED = { managedBy: 'ci', projects: [{ id: 'portal', name: 'Portal', roles: ROLES }] }

/** All that reads strongly, whatever it does then. */
const STRONG: readonly (readonly [string, (iam: Iam) => Promise<unknown>])[] = [
  ...[...reads, resealSecrets, removeAllOfUser, removeAllOfResource].map(
    ({ name, of, input }) => [name, (on: Iam) => good(of(on)(input, context))] as const,
  ),
  ['resealSecrets of all', (on) => good(on.identityProviders.resealSecrets({}, context))],
  ['planAccess', (on) => good(on.plan(DESIRED, context))],
  ['applyAccess', (on) => good(on.apply(DESIRED, context))],
  ['apply of a plan', async (on) => good(on.apply(await good(on.plan(DESIRED, context)), context))],
  [
    'checkLogin by lists',
    async (on) => {
      await good(on.projects.patch({ id: 'portal', projectRoleCheck: true }, context))
      const lists = { userOrgId: 'acme', userRoleKeys: ['none', 'editor'], grantedOrgIds: [] }
      return good(on.projects.checkLogin({ id: 'portal', ...lists }, context))
    },
  ],
  ['a dry run', (on) => good(on.projects.remove({ id: 'portal' }, { ...context, dryRun: true }))],
]

test.each(STRONG)('%s asks no read model for an answer without proof.', async (_, read) => {
  await read(iamOn(store, { readModel: readingAtHead() }))
})

/** A removal that the read model loses again, as a server does in a crash, for as many reads. */
const losing = async (times: number) => {
  let before = await store.lastPosition()
  let asked = 0
  let lost = 0
  const old = memoryReadModel()
  const readModel = readingAtHead(async ({ method, args }, proven) => {
    asked++
    if (proven.reached <= before || lost === times) return proven
    lost++
    const read = old[method] as unknown as (...args: readonly unknown[]) => Promise<unknown>
    return { ...proven, found: await read(...args), reached: before }
  })
  const late = iamOn(store, { readModel })
  await good(late.projects.list({}, context))
  await good(iamOn(store, { readModel: old }).projects.list({}, context))
  before = await store.lastPosition()
  return { late, asked: () => asked }
}

const bob = { userId: 'bob', projectId: 'portal', roleKey: 'editor' }

test('A strong read is asked again when the read model falls back after it has caught up.', async () => {
  const { late } = await losing(2)
  expect(await good(late.access.check(bob, context))).toMatchObject({ allowed: true })
  await good(late.userGrants.remove({ userId: 'bob', projectId: 'portal' }, context))
  expect(await good(late.access.check(bob, context))).toMatchObject({ allowed: false })
})

test('A strong read of a read model that falls back again and again is unavailable.', async () => {
  const { late, asked } = await losing(Number.POSITIVE_INFINITY)
  await good(late.userGrants.remove({ userId: 'bob', projectId: 'portal' }, context))
  const before = asked()
  expect(await refusal(late.access.check(bob, context))).toMatchObject({ kind: 'Unavailable' })
  expect(asked() - before).toBeLessThan(20)
})

import { DatabaseSync } from 'node:sqlite'
import {
  createIam,
  type Iam,
  memoryEventStore,
  memoryReadModel,
  orThrow,
  type ReadModel,
} from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { describe, expect, it } from 'vitest'

const context = { caller: { userId: 'server', orgId: 'acme' } }
const question = { userId: 'ada', projectId: 'portal', roleKey: 'editor' }

const secrets = {
  seal: () => Promise.reject(new Error('No secrets')),
  open: () => Promise.reject(new Error('No secrets')),
  isCurrent: () => true,
}

const addEditor = async (iam: Iam) => {
  await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
  await orThrow(iam.projectRoles.add(role, context))
  const grant = { userId: 'ada', projectId: 'portal', roles: [{ roleKey: 'editor' }] }
  await orThrow(iam.userGrants.add(grant, context))
}

/** Faults of a disk that cannot be written, as systems and databases report them. */
const FAULTS: readonly object[] = [
  { code: 'ERR_SQLITE_ERROR', errcode: 13 },
  { code: 'ERR_SQLITE_ERROR', errcode: 8 },
  { code: 'ERR_SQLITE_ERROR', errcode: 4874 },
  { code: 'SQLITE_FULL' },
  { code: 'SQLITE_READONLY_DBMOVED' },
  { code: 'ENOSPC' },
  { code: 'EROFS' },
  { code: '53100' },
]

const started = (fault: () => object | undefined) => {
  const store = memoryEventStore()
  const kept = memoryReadModel()
  const readModel: ReadModel = {
    ...kept,
    apply: (from, events) => {
      const thrown = fault()
      if (thrown) throw Object.assign(new Error('Cannot write'), thrown)
      return kept.apply(from, events)
    },
  }
  const faults: unknown[] = []
  const hooks = { onFault: (seen: unknown) => faults.push(seen) }
  return {
    iam: createIam({ store, readModel, secrets, authorize: () => true, hooks }),
    faults,
    checkpoint: kept.checkpoint,
    store,
  }
}

describe('while the read model cannot be written', () => {
  it.each(FAULTS)(
    'strong reads are answered from the log, and the host is told: %j',
    async (fault) => {
      const { iam, faults, checkpoint } = started(() => fault)
      await addEditor(iam)
      expect(await orThrow(iam.access.check(question, context))).toMatchObject({ allowed: true })
      const { items } = await orThrow(iam.userGrants.list({}, context))
      expect(items).toMatchObject([{ userId: 'ada' }])
      expect(faults).toContainEqual(
        expect.objectContaining({ method: 'catchUp', kind: 'Unavailable' }),
      )

      const removed = { userId: 'ada', projectId: 'portal' }
      await orThrow(iam.userGrants.remove(removed, context))
      expect(await orThrow(iam.access.check(question, context))).toMatchObject({ allowed: false })
      expect(await checkpoint()).toBe(0n)
    },
  )

  it('the read model answers again once it can be written', async () => {
    let isFull = true
    const { iam, checkpoint, store } = started(() => (isFull ? { code: 'ENOSPC' } : undefined))
    await addEditor(iam)
    await orThrow(iam.access.check(question, context))
    isFull = false
    expect(await orThrow(iam.access.check(question, context))).toMatchObject({ allowed: true })
    expect(await checkpoint()).toBe(await store.lastPosition())
  })

  it.each([
    { code: 'ECONNREFUSED' },
    { code: 'ERR_SQLITE_ERROR', errcode: 5 },
    { code: '57P01' },
    { code: '25006' },
  ])('other faults are reported as they are: %j', async (fault) => {
    const { iam } = started(() => fault)
    await addEditor(iam)
    const checked = await iam.access.check(question, context)
    expect(checked._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' })
  })
})

it('a check on a full SQLite file is answered', async () => {
  const handle = new DatabaseSync(':memory:')
  const opened = openSqlite(handle)
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  await addEditor(iam)
  expect(await orThrow(iam.access.check(question, context))).toMatchObject({ allowed: true })
  // A file that may not grow is what a full disk is.
  const [pages] = Object.values(handle.prepare('PRAGMA page_count').get() ?? {})
  handle.exec(`PRAGMA max_page_count = ${Number(pages) + 6}`)
  let refused = 0
  for (let n = 0; n < 5_000 && refused === 0; n++)
    if ((await iam.projects.add({ name: 'n'.repeat(180) }, context)).isErr()) refused += 1
  expect(refused).toBe(1)
  expect(await orThrow(iam.access.check(question, context))).toMatchObject({ allowed: true })
  const eventual = { ...context, consistency: 'eventual' } as const
  expect(await orThrow(iam.access.check(question, eventual))).toMatchObject({ allowed: true })
})

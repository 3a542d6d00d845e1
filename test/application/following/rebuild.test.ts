import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  aesGcmCipher,
  createIam,
  type EventStore,
  memoryEventStore,
  memoryReadModel,
  type Progress,
  permissionsFromCaller,
  type ReadModel,
} from '../../../src/index.js'

const permissions = [
  'project.read',
  'project.write',
  'project.role.read',
  'project.role.write',
] as const
const context = { caller: { userId: 'u1', orgId: 'acme', permissions } }
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })

const inMemory = () => ({ store: memoryEventStore(), readModel: memoryReadModel() })

const homes: readonly [string, () => { store: EventStore; readModel: ReadModel }][] = [
  ['memory', inMemory],
  ['an SQLite file', () => openSqlite(':memory:')],
]

describe.each(homes)('a read model in %s', (_, open) => {
  const setUp = async () => {
    const { store, readModel } = open()
    const iam = createIam({ store, readModel, secrets, authorize: permissionsFromCaller })
    const { projectId } = (await iam.projects.add({ name: 'Portal' }, context))._unsafeUnwrap()
    const add = async (from: number, to: number) => {
      for (let index = from; index < to; index++) {
        const role = { projectId, roleKey: `r${index}`, displayName: `Role ${index}` }
        expect((await iam.projectRoles.add(role, context)).isOk()).toBe(true)
      }
    }
    return { iam, store, readModel, projectId, add }
  }

  it('is rebuilt during writes, with the same result as one that was never reset', async () => {
    const { iam, store, readModel, projectId, add } = await setUp()
    await add(0, 50)
    await iam.projectRoles.list({ projectId }, context)

    const writes = add(50, 100)
    await readModel.reset()
    expect((await iam.catchUp(readModel)).isOk()).toBe(true)
    await writes

    const fresh = createIam({ store, secrets, authorize: permissionsFromCaller })
    const wanted = { projectId, pageSize: 1000 }
    const rebuilt = (await iam.projectRoles.list(wanted, context))._unsafeUnwrap()
    expect(rebuilt.totalSize).toBe(100)
    expect(rebuilt).toEqual((await fresh.projectRoles.list(wanted, context))._unsafeUnwrap())
  })

  it('reports the progress of a rebuild', async () => {
    const { iam, store, readModel, add } = await setUp()
    await add(0, 30)
    await readModel.reset()
    const reported: Progress[] = []
    await iam.catchUp(readModel, { onProgress: (progress) => reported.push(progress) })
    const head = await store.lastPosition()
    expect(reported.at(-1)).toMatchObject({ done: 31, total: 31, position: head, head })
    expect(reported.at(-1)?.rate).toBeGreaterThan(0)
  })

  it('is fed by run for eventual reads, until the signal aborts', async () => {
    const { iam, readModel, projectId, add } = await setUp()
    const end = new AbortController()
    const running = iam.run(readModel, { signal: end.signal })
    await add(0, 3)
    const eventual = { ...context, consistency: 'eventual' as const }
    await expect
      .poll(async () => (await iam.projectRoles.list({ projectId }, eventual)).isOk())
      .toBe(true)
    await expect
      .poll(
        async () =>
          (await iam.projectRoles.list({ projectId }, eventual))._unsafeUnwrap().totalSize,
      )
      .toBe(3)
    end.abort()
    expect((await running)._unsafeUnwrap()).toBe(await readModel.checkpoint())
  })
})

import { DatabaseSync } from 'node:sqlite'
import { createIam, type Iam, orThrow } from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryFile } from './temporary-file.js'

// Disks that people reported on GitHub: full ones, and ones that cannot be written.

const context = { caller: { userId: 'server', orgId: 'acme' } }
const question = { userId: 'ada', projectId: 'portal', roleKey: 'editor' }
const secrets = {
  seal: () => Promise.reject(new Error('No secrets')),
  open: () => Promise.reject(new Error('No secrets')),
  isCurrent: () => true,
}

const iamOn = (handle: DatabaseSync, faults: unknown[] = []) => {
  const { store, readModel, close } = openSqlite(handle)
  const hooks = { onFault: (fault: unknown) => faults.push(fault) }
  const iam = createIam({ store, readModel, secrets, authorize: () => true, hooks })
  return { iam, store, close }
}

const addEditor = async (iam: Iam) => {
  await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
  await orThrow(iam.projectRoles.add(role, context))
  await give(iam)
}
const give = async (iam: Iam) => {
  const roles = [{ roleKey: 'editor' }]
  await orThrow(iam.userGrants.give({ userId: 'ada', projectId: 'portal', roles }, context))
}
const isAllowed = async (iam: Iam) => (await orThrow(iam.access.check(question, context))).allowed

const pagesOf = (handle: DatabaseSync): number =>
  Number(Object.values(handle.prepare('PRAGMA page_count').get() ?? {})[0])

/** How a disk takes no more writes, and takes them again. */
const DISKS: readonly (readonly [
  disk: string,
  fill: (handle: DatabaseSync) => void,
  free: (handle: DatabaseSync) => void,
])[] = [
  // plexidev/quick.db/issues/218, rqlite/rqlite/issues/861, rmcrackan/Libation/issues/962
  [
    'is full',
    (handle) => handle.exec(`PRAGMA max_page_count = ${pagesOf(handle)}`),
    (handle) => handle.exec('PRAGMA max_page_count = 1073741823'),
  ],
  // fr-ser/grafana-sqlite-datasource/issues/167, sifiveinc/wake/issues/501, sqlitebrowser/sqlitebrowser/issues/3385
  [
    'is read-only',
    (handle) => handle.exec('PRAGMA query_only = ON'),
    (handle) => handle.exec('PRAGMA query_only = OFF'),
  ],
]

/** Writes until the disk takes no more. */
const refusal = async (iam: Iam) => {
  for (let n = 0; n < 5_000; n++) {
    const added = await iam.projects.add({ name: 'n'.repeat(180) }, context)
    if (added.isErr()) return added.error
  }
  throw new Error('The disk is never full')
}

describe.each(DISKS)('On a disk that %s', (_, fill, free) => {
  test('access is still answered, writes are refused as not recorded, and all works again afterwards', async () => {
    const handle = new DatabaseSync(temporaryFile())
    const faults: unknown[] = []
    const { iam, store } = iamOn(handle, faults)
    await addEditor(iam)
    fill(handle)
    expect(await refusal(iam)).toMatchObject({ kind: 'Unavailable', outcome: 'not_recorded' })
    const recorded = await store.lastPosition()
    expect(await isAllowed(iam)).toBe(true)
    expect((await orThrow(iam.userGrants.list({}, context))).items).toHaveLength(1)
    expect((await orThrow(iam.history.list({ limit: 1 }, context))).items).toHaveLength(1)
    // Nobody keeps a role because it could not be taken: the caller is told.
    const taken = await iam.userGrants.remove({ userId: 'ada', projectId: 'portal' }, context)
    expect(taken.isErr()).toBe(true)
    expect(await store.lastPosition()).toBe(recorded)
    free(handle)
    await orThrow(iam.userGrants.remove({ userId: 'ada', projectId: 'portal' }, context))
    expect(await isAllowed(iam)).toBe(false)
    await give(iam)
    expect(await isAllowed(iam)).toBe(true)
    handle.close()
  })

  test('a strong read of a process that starts behind is answered from the log', async () => {
    const path = temporaryFile()
    const first = new DatabaseSync(path)
    const { store } = openSqlite(first)
    // A writer without a read model: what it records waits for a reader.
    const writer = createIam({ store, secrets, authorize: () => true })
    await addEditor(writer)
    const second = new DatabaseSync(path)
    const { iam } = iamOn(second)
    fill(second)
    expect(await isAllowed(iam)).toBe(true)
    free(second)
    expect(await isAllowed(iam)).toBe(true)
    first.close()
    second.close()
  })
})

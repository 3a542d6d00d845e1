import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, it } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import {
  aesGcmCipher,
  createIam,
  memoryReadModel,
  permissionsFromCaller,
  type ReadModel,
  type RecordedEvent,
} from '../../src/index.js'

const WRITERS = 4
const EVENTS_OF_EACH = 5_000
const KILLS = 5

const children = new Set<ChildProcess>()
const folder = mkdtempSync(join(tmpdir(), 'claviger-log-'))
const file = join(folder, 'iam.db')

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const start = (script: string, ...parameters: string[]): ChildProcess => {
  const child = fork(join(import.meta.dirname, script), parameters, { execArgv: [] })
  children.add(child)
  return child
}

/** A reader, and the position that it has told last. */
const startReader = (ownFile: string) => {
  const child = start('log-reader.mjs', file, ownFile)
  let position = 0n
  child.on('message', (told) => {
    position = BigInt(String(told))
  })
  const reach = async (head: bigint): Promise<void> => {
    while (position < head) await once(child, 'message')
  }
  return { child, reach }
}

/** Kills a reader a few times in the middle of its work, and starts it again where it was. */
const follow = async (ownFile: string, written: Promise<unknown>) => {
  for (let kills = 0; kills < KILLS; kills++) {
    const { child } = startReader(ownFile)
    await once(child, 'message')
    // Once all is written there may be nothing left to tell of.
    await Promise.race([once(child, 'message'), written])
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return startReader(ownFile)
}

/** What a reader applied, as the log has it. */
const appliedIn = (ownFile: string) => {
  const database = new DatabaseSync(ownFile)
  const query = database.prepare('SELECT position, stream, version FROM applied ORDER BY position')
  query.setReadBigInts(true)
  const rows = query.all().map(({ position, stream, version }) => [position, stream, version])
  database.close()
  return rows
}

const permissions = ['project.read', 'project.role.read'] as const
const context = { caller: { userId: 'u1', orgId: 'acme', permissions } }

/** Everything that lists show, through `readModel`. */
const shownBy = async (store: ReturnType<typeof openSqlite>['store'], readModel: ReadModel) => {
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
  const iam = createIam({ store, readModel, secrets, authorize: permissionsFromCaller })
  const projects = (await iam.projects.list({}, context))._unsafeUnwrap()
  const roles = []
  for (const { id } of projects.items) {
    let pageToken: string | undefined
    do {
      const page = await iam.projectRoles.list(
        { projectId: id, pageSize: 1000, pageToken },
        context,
      )
      roles.push(...page._unsafeUnwrap().items)
      pageToken = page._unsafeUnwrap().nextPageToken
    } while (pageToken !== undefined)
  }
  return { projects: projects.items, roles }
}

it('lets no reader skip or repeat an event while processes write and are killed', async () => {
  const ownFiles = [join(folder, 'reader-1.db'), join(folder, 'reader-2.db')]
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    start('log-writer.mjs', file, `project-${index}`, String(EVENTS_OF_EACH - 1)),
  )
  const written = Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0]))
  const following = ownFiles.map((ownFile) => follow(ownFile, written))
  expect(await written).toEqual([0, 0, 0, 0])

  const { store, readModel, close } = openSqlite(file)
  const head = await store.lastPosition()
  const readers = await Promise.all(following)
  const log: RecordedEvent[] = []
  for (let page = await store.readAll(0n, 5_000); page.length > 0; ) {
    log.push(...page)
    page = await store.readAll(page.at(-1)?.position ?? 0n, 5_000)
  }
  expect(log).toHaveLength(WRITERS * EVENTS_OF_EACH)
  await Promise.all(readers.map(({ reach }) => reach(head)))

  const expected = log.map(({ position, stream, version }) => [position, stream, BigInt(version)])
  for (const ownFile of ownFiles) expect(appliedIn(ownFile)).toEqual(expected)

  for (const { child } of readers) child.kill('SIGKILL')
  expect(await shownBy(store, readModel)).toEqual(await shownBy(store, memoryReadModel()))
  await close()
}, 120_000)

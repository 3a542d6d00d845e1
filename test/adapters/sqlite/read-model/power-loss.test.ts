import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSqlite, inTransaction as withHost } from '../../../../src/adapters/sqlite/index.js'
import { context, good, iamOn } from '../../../application/host.js'
import { pairsIn, sqliteForPairs } from '../../sql/views/pairs.js'
import { temporaryFile } from '../temporary-file.js'

/** A page of the database with its header in the write-ahead log. */
const FRAME = 4096 + 24

/** Of what was not yet on the disk, the end is missing; or a page in between, and what follows is there. */
const leftOf = (wal: Buffer, cut: number, isZeroed: boolean): Buffer =>
  isZeroed
    ? Buffer.from(wal).fill(0, cut, Math.min(cut + FRAME / 2, wal.length))
    : wal.subarray(0, cut)

const bob = { projectId: 'portal', userId: 'bob' }
const editor = { projectId: 'portal', roleKey: 'editor' }

test('A power cut that takes the last commits of the read model takes no answered append.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  const iam = iamOn(opened.store, opened)
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add({ ...editor, displayName: 'Editor' }, context))
  await good(iam.userGrants.add({ ...bob, roles: [{ roleKey: 'editor' }] }, context))
  await good(iam.projects.get({ id: 'portal' }, context))
  await good(iam.projectRoles.remove(editor, context))
  await good(iam.projects.patch({ id: 'portal', name: 'Renamed' }, context))
  const answered = statSync(`${path}-wal`).size
  const head = await opened.store.lastPosition()
  const before = await opened.readModel.checkpoint()
  expect(before).toBeLessThan(head)
  const shown = await good(iam.userGrants.get(bob, context))
  const history = await good(iam.history.list({}, context))
  const wal = readFileSync(`${path}-wal`)
  expect(wal.length).toBeGreaterThan(answered + FRAME)

  const checkpoints = new Set<bigint>()
  for (let cut = answered; cut <= wal.length; cut += FRAME / 2)
    for (const isZeroed of [false, true]) {
      const copy = temporaryFile()
      copyFileSync(path, copy)
      writeFileSync(`${copy}-wal`, leftOf(wal, cut, isZeroed))
      await using cutOff = openSqlite(copy)
      expect(await cutOff.store.lastPosition()).toBe(head)
      checkpoints.add(await cutOff.readModel.checkpoint())
      const again = iamOn(cutOff.store, cutOff)
      expect(await good(again.userGrants.get(bob, context))).toEqual(shown)
      expect(await good(again.history.list({}, context))).toEqual(history)
    }
  expect(checkpoints).toEqual(new Set([before, head]))
})

test('A power cut leaves no half of a row of the host, its grant and the rows of the views.', async () => {
  const path = temporaryFile()
  await using database = await sqliteForPairs(path, true)
  const iam = iamOn(database.store)
  const written = statSync(`${path}-wal`).size
  /** The size of the log on the disk when the call returned. */
  const answered: { readonly id: string; readonly at: number }[] = []
  const give = async (id: string) => {
    const inTransaction = withHost((db: DatabaseSync) => {
      db.prepare('INSERT INTO invoice (id) VALUES (?)').run(id)
    })
    const grant = { userId: id, projectId: 'portal', roles: [{ roleKey: 'approver' }] }
    await good(iam.userGrants.add(grant, { ...context, inTransaction }))
    answered.push({ id, at: statSync(`${path}-wal`).size })
  }
  await Promise.all(Array.from({ length: 16 }, (_, n) => give(`u${n}`)))
  const wal = readFileSync(`${path}-wal`)

  const seen = new Set<number>()
  let isZeroed = false
  for (let cut = written; cut <= wal.length; cut += FRAME / 2, isZeroed = !isZeroed) {
    const copy = temporaryFile()
    copyFileSync(path, copy)
    writeFileSync(`${copy}-wal`, leftOf(wal, cut, isZeroed))
    await using cutOff = pairsIn(copy, true)
    const { pairs, halves } = await cutOff.left()
    expect(halves.count).toBe(0)
    for (const { id, at } of answered)
      if (at <= cut) expect([id, await cutOff.hasRow(id)]).toEqual([id, true])
    seen.add(pairs)
  }
  expect(seen).toEqual(new Set(Array.from({ length: 17 }, (_, n) => n)))
})

/** Values of `PRAGMA synchronous`. */
const [NORMAL, FULL] = [1, 2]

/** The `PRAGMA synchronous` of each commit of databases that are opened from now on. */
const levelsOfCommits = (): unknown[] => {
  const { prepare } = DatabaseSync.prototype
  const preparing = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => preparing.mockRestore())
  const levels: unknown[] = []
  preparing.mockImplementation(function (this: DatabaseSync, sql) {
    const statement = prepare.call(this, sql)
    if (sql !== 'COMMIT') return statement
    const run = statement.run.bind(statement)
    statement.run = () => {
      levels.push(prepare.call(this, 'PRAGMA synchronous').get()?.['synchronous'])
      return run()
    }
    return statement
  })
  return levels
}

test('Appends wait for the disk, the read model does not.', async () => {
  const levels = levelsOfCommits()
  await using opened = openSqlite(temporaryFile())
  const iam = iamOn(opened.store, opened)
  await opened.readModel.checkpoint()
  levels.length = 0
  for (const id of ['portal', 'shop']) {
    await good(iam.projects.add({ id, name: id }, context))
    await good(iam.projects.get({ id }, context))
  }
  await good(iam.projects.remove({ id: 'shop' }, context))
  await opened.readModel.reset()
  expect(levels).toEqual([FULL, NORMAL, FULL, NORMAL, FULL, FULL])
})

test('An append waits for the disk though another connection on its handle wrote without waiting.', async () => {
  const levels = levelsOfCommits()
  const handle = new DatabaseSync(temporaryFile())
  const one = openSqlite(handle)
  const other = openSqlite(handle)
  const iam = iamOn(one.store, one)
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projects.get({ id: 'portal' }, context))
  levels.length = 0
  await good(iamOn(other.store, other).projects.add({ id: 'shop', name: 'Shop' }, context))
  expect(levels).toEqual([FULL])
})

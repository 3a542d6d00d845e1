import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { aesGcmCipher, createIam, permissionsFromCaller } from '../../src/index.js'

const PROCESSES = 2
const TASKS = 50
const ROLES = 200

/** What one process won, and how often it was refused for which reason. */
interface Told {
  readonly won: readonly string[]
  readonly lost: Readonly<Record<string, number>>
}

const children = new Set<ChildProcess>()
let folder: string
let opened: ReturnType<typeof openSqlite>

const permissions = ['project.read', 'project.write', 'project.role.read'] as const
const context = { caller: { userId: 'u1', orgId: 'acme', permissions } }
const portal = { id: 'portal' }

const iamOn = ({ store, readModel }: Partial<typeof opened> & Pick<typeof opened, 'store'>) =>
  createIam({
    store,
    readModel,
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'claviger-race-'))
  opened = openSqlite(join(folder, 'iam.db'))
  const added = await iamOn(opened).projects.add({ ...portal, name: 'Portal' }, context)
  added._unsafeUnwrap()
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await opened.close()
  rmSync(folder, { recursive: true })
})

/** Lets processes that run `script` begin at the same time; what each sent when it was done. */
const raceOf = async <Answer>(
  script: string,
  { processes, tasks, rounds }: Readonly<Record<'processes' | 'tasks' | 'rounds', number>>,
): Promise<() => Promise<readonly Answer[]>> => {
  const parameters = [join(folder, 'iam.db'), portal.id, String(tasks), String(rounds)]
  const racers = Array.from({ length: processes }, () =>
    fork(join(import.meta.dirname, script), parameters, { execArgv: [] }),
  )
  for (const racer of racers) children.add(racer)
  await Promise.all(racers.map((racer) => once(racer, 'message')))
  const told = racers.map(async (racer) => {
    const [answer] = await Promise.race([once(racer, 'message'), once(racer, 'exit')])
    return answer as Answer
  })
  for (const racer of racers) racer.send('go')
  return () => Promise.all(told)
}

const race = (tasks: number, rounds: number) =>
  raceOf<Told>('role-adder.mjs', { processes: PROCESSES, tasks, rounds })

const keys = Array.from({ length: ROLES }, (_, n) => `role-${n}`).toSorted()

it('lets each role key be won once, however many processes race for it', async () => {
  const told = await (await race(TASKS, ROLES))()
  expect(told.flatMap(({ won }) => won).toSorted()).toEqual(keys)
  const lost = told.map((one) => one.lost)
  expect(lost.map((reasons) => Object.keys(reasons))).toEqual([
    ['AlreadyExists'],
    ['AlreadyExists'],
  ])
  const refused = lost.reduce((sum, reasons) => sum + (reasons['AlreadyExists'] ?? 0), 0)
  expect(refused).toBe(PROCESSES * TASKS * ROLES - ROLES)

  const log = await opened.store.readAll(0n, 10_000)
  expect(log).toHaveLength(ROLES + 1)
  // The file's own read model, and one that is made from the log alone.
  for (const iam of [iamOn(opened), iamOn({ store: opened.store })]) {
    const page = await iam.projectRoles.list({ projectId: portal.id, pageSize: 1000 }, context)
    const { items, totalSize } = page._unsafeUnwrap()
    expect(totalSize).toBe(ROLES)
    expect(items.map(({ roleKey }) => roleKey)).toEqual(keys)
  }
})

it('makes every one of the updates that processes make of one project without a condition', async () => {
  const size = { processes: 4, tasks: 2, rounds: 150 }
  const done = await raceOf<{ readonly errors: readonly string[] }>('project-updater.mjs', size)
  expect((await done()).flatMap(({ errors }) => errors)).toEqual([])
  const log = await opened.store.readAll(0n, 10_000)
  expect(log).toHaveLength(1 + size.processes * size.tasks * size.rounds)
})

it('leaves no role of a project that is removed in the middle of the race', async () => {
  const iam = iamOn(opened)
  // So many that the removal comes long before the last.
  const told = await race(5, 20 * ROLES)
  let seen = 0
  for await (const { type } of iam.subscribe()) {
    if (type === 'project_role.added') seen++
    if (seen === ROLES) break
  }
  const removed = (await iam.projects.remove(portal, context))._unsafeUnwrap()
  const outcomes = await told()

  const log = await opened.store.readAll(0n, 10_000)
  expect(log.at(-1)?.position).toBe(removed.details.sequence)
  const won = outcomes.flatMap((one) => one.won)
  const added = log.filter(({ type }) => type === 'project_role.added')
  expect(added.map(({ data }) => Reflect.get(data, 'roleKey')).toSorted()).toEqual(won.toSorted())
  expect(won.length).toBeGreaterThanOrEqual(ROLES)
  expect(won.length).toBeLessThan(20 * ROLES)
  for (const { lost } of outcomes)
    for (const reason of Object.keys(lost)) expect(reason).toMatch(/^(AlreadyExists|NotFound)$/)
  const list = await iam.projectRoles.list({ projectId: portal.id }, context)
  expect(list._unsafeUnwrapErr().kind).toBe('NotFound')
})

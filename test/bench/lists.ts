import type { Iam } from 'claviger'
import { addRatio, addRows, type Report } from './report.ts'
import { median } from './rounds.ts'
import { memory, type OpenStore, postgres, type StoreEntry, sqlite } from './stores.ts'
import { PROJECT_ID, projectOf } from './system.ts'
import { bind, CONTEXT } from './systems/claviger.ts'
import { type Job, runTimed } from './timed.ts'
import type { Scale } from './workloads.ts'

/** Growth that is allowed: in a large organization a page may take this many times as long. */
const ALLOWED = 1.2
const FEW = 1_000
const ROLE = { roleKey: 'editor' }
const EVENTUAL = { ...CONTEXT, consistency: 'eventual' as const }

/** Pages of the lists that organizations fill: the first, the next, and that of one user. */
const LISTS: Readonly<Record<string, (iam: Iam, next: string) => Promise<number>>> = {
  'first page': async (iam) => sizeOf(await iam.userGrants.list({}, EVENTUAL)),
  'next page': async (iam, pageToken) => sizeOf(await iam.userGrants.list({ pageToken }, EVENTUAL)),
  'grants of one user': async (iam) =>
    100 * sizeOf(await iam.userGrants.list({ filter: { userId: { equals: 'user-7' } } }, EVENTUAL)),
  'holders of a role': async (iam) =>
    sizeOf(await iam.access.whoHas({ projectId: PROJECT_ID, ...ROLE }, EVENTUAL)),
}

type Answer =
  | Awaited<ReturnType<Iam['userGrants']['list']>>
  | Awaited<ReturnType<Iam['access']['whoHas']>>

const sizeOf = (answer: Answer): number => (answer.isOk() ? answer.value.items.length : 0)

/** How lists fare in an organization with a thousand grants and with as many as a large store has events. */
export const listGrowth = async (report: Report, scale: Scale): Promise<void> => {
  const logs = [await logWith(FEW), await logWith(scale.large)]
  for (const entry of [memory, sqlite, postgres]) {
    const opened = []
    for (const log of logs) opened.push(await filled(entry, log))
    for (const [list, page] of Object.entries(LISTS)) {
      const timed = await runTimed(
        scale,
        opened.map(({ iam, next }, index) =>
          job(`${[FEW, scale.large][index]} grants`, () => page(iam, next)),
        ),
      )
      const measured = timed.map(({ measured }) => measured)
      addRows(report, `growth: ${list}, ${entry.name}`, measured)
      const [small, large] = measured.map(({ nanoseconds }) => median(nanoseconds))
      if (small === undefined || large === undefined) continue
      addRatio(report, `growth: ${list}, ${entry.name}`, {
        measured: (ALLOWED * small) / large,
        target: 1,
      })
    }
    for (const { store } of opened) await store.close()
  }
}

const CALLS = 20

const job = (name: string, page: () => Promise<number>): Job => ({
  name,
  operations: CALLS,
  run: async () => {
    let items = 0
    for (let call = 0; call < CALLS; call++) items += await page()
    return items
  },
  expected: CALLS * 100,
})

/** A log in which so many users have a role of one project. */
const logWith = async (grants: number) => {
  const opened = await memory.open()
  const { store } = opened
  const iam = bind(opened)
  await iam.projects.add({ ...projectOf(0, 1) }, CONTEXT)
  await iam.projectRoles.add({ projectId: PROJECT_ID, ...ROLE, displayName: 'Editor' }, CONTEXT)
  for (let index = 0; index < grants; index++) {
    const grant = { userId: `user-${index}`, projectId: PROJECT_ID, roles: [ROLE] }
    const added = await iam.userGrants.add(grant, CONTEXT)
    if (added.isErr()) throw new Error(added.error.kind)
  }
  return store
}

const filled = async (entry: StoreEntry, log: OpenStore['store']) => {
  const store = await entry.open()
  for (let after = 0n; ; ) {
    const events = await log.readAll(after, 5_000)
    const last = events.at(-1)
    if (last === undefined) break
    await store.store.restore(events)
    after = last.position
  }
  const iam = bind(store)
  const first = await iam.userGrants.list({}, CONTEXT)
  await store.analyze?.()
  return { store, iam, next: (first.isOk() && first.value.nextPageToken) || '' }
}

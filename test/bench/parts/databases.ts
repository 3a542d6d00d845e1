import { addComparison, atLeast, atMost, type Report, ratioOf } from '../report.ts'
import type { Scale } from '../rounds.ts'
import type { SystemName } from '../systems.ts'
import type { StoreName } from '../world.ts'
import { closeWorlds, entriesOf, openWorlds, runEntries } from '../worlds.ts'

const GRANTS = 5_000
const SHOWN = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** How many times as long Drizzle, and Kysely, are to take. */
const AIMS: readonly (readonly [job: string, drizzle: number | undefined, kysely?: number])[] = [
  ['check a role, SQLite', 4, 1.3],
  ['list a page of grants, SQLite', undefined, 0.75],
  ['give a role, SQLite', 1],
  ['give a role, then read it, SQLite', 1, 0.7],
  ['check a role, PostgreSQL', 1.3, 1],
  ['list a page of grants, PostgreSQL', undefined, 0.8],
  ['give a role, PostgreSQL', 2],
  ['give a role, then read it, PostgreSQL', 1, 0.9],
]

/** Jobs of a host on its database, beside what it would use instead. */
export const databases = async (report: Report, scale: Scale): Promise<void> => {
  for (const store of ['sqlite', 'postgres'] as const) {
    const worlds = await openWorlds(
      ['claviger', 'betterAuth', 'drizzle', 'kysely', 'kyselyGrouped', 'withViews'],
      {
        store,
        grants: GRANTS * scale.share,
      },
    )
    const withoutViews = worlds.filter(({ system }) => system !== 'withViews')
    const compare = async (job: string, title: string, inFlight = 1) => {
      // Only writes feel the views.
      const entries = [
        ...entriesOf(job.startsWith('add') && inFlight === 1 ? worlds : withoutViews, job),
        ...(inFlight > 1 ? entriesOf(worlds, `${job} in groups`) : []),
      ]
      const measured = await runEntries(entries, scale, { by: 'wall', inFlight })
      addComparison(report, {
        table: 'databases',
        job: `${title}, ${SHOWN[store]}`,
        by: 'wall',
        measured,
      })
    }
    await compare('check', 'check a role')
    await compare('list', 'list a page of grants')
    await compare('add', 'give a role')
    await compare('add', 'give a role, 64 at once', 64)
    await compare('add, then get', 'give a role, then read it')
    await closeWorlds(worlds)
    const job = `give a role, ${SHOWN[store]}`
    const ratio = ratioOf(report, job, 'claviger with views')
    atMost(report, `claviger with views / claviger, ${job}`, 1.6, ratio)
  }
  const aim = (peer: string, job: string, least: number) =>
    atLeast(report, `${peer} / claviger, ${job}`, least, ratioOf(report, job, peer))
  for (const [job, ofDrizzle, ofKysely] of AIMS) {
    if (ofDrizzle !== undefined) aim('Drizzle and audit row', job, ofDrizzle)
    if (ofKysely !== undefined) aim('Kysely and audit row', job, ofKysely)
  }
}

/** Adding a role beside bare drivers, and beside libraries for event sourcing that check nothing. */
export const floors = async (report: Report, scale: Scale): Promise<void> => {
  const compare = async (
    store: StoreName,
    systems: readonly SystemName[],
    inFlights: readonly number[],
  ) => {
    const worlds = await openWorlds(systems, { store, grants: 0 })
    for (const inFlight of inFlights) {
      const by = store === 'memory' ? 'cpu' : 'wall'
      const entries = entriesOf(worlds, 'add role')
      const measured = await runEntries(entries, scale, { by, inFlight })
      addComparison(report, { table: 'floors', job: addRole(store, inFlight), by, measured })
    }
    await closeWorlds(worlds)
  }
  await compare('memory', ['claviger', 'equinox'], [1])
  await compare('sqlite', ['claviger', 'rawSqlite'], [1, 64])
  await compare('postgres', ['claviger', 'rawPostgres', 'castore', 'emmett'], [1, 64])
  const aim = (floor: string, job: string, least: number) =>
    atLeast(report, `${floor} / claviger, ${job}`, least, ratioOf(report, job, floor))
  aim('equinox-js, bare', addRole('memory', 1), 0.9)
  aim('bare node:sqlite', addRole('sqlite', 1), 0.95)
  aim('bare node:sqlite', addRole('sqlite', 64), 10)
  aim('bare pg', addRole('postgres', 1), 0.95)
  aim('bare pg', addRole('postgres', 64), 4)
}

const addRole = (store: StoreName, inFlight: number): string =>
  `add a role, ${store === 'memory' ? 'memory' : SHOWN[store]}${inFlight > 1 ? `, ${inFlight} at once` : ''}`

import { addComparison, atLeast, atMost, type Report, ratioOf } from '../report.ts'
import type { Scale } from '../rounds.ts'
import type { Place, StoreName } from '../world.ts'
import { closeWorlds, openWorld, openWorlds, runEntries } from '../worlds.ts'

/** Growth that is allowed: in a large store a call may take this many times as long. Caches of the processor are small. */
const ALLOWED: Readonly<Record<StoreName, number>> = { memory: 2, sqlite: 2, postgres: 1.2 }

const SMALL = 1_000

/** What must not feel the size of the store; adding comes last, since it makes the small one larger. */
const JOBS = [
  'get',
  'check',
  'check on a resource',
  'list',
  'projects.list',
  'projectRoles.list',
  'projectGrants.list',
  'identityProviders.list',
  'domains.list',
  'access.whoHas',
  'access.whoHas, all projects',
  'access.rolesOf',
  'access.scopesOf, 1,000 resources',
  'history.list',
  'history.list of a grant',
  'add',
] as const

const SHOWN: Readonly<Record<StoreName, string>> = {
  memory: 'memory',
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

/** The same calls in a store of a thousand events and in a large one. */
export const growth = async (report: Report, scale: Scale): Promise<void> => {
  for (const store of ['memory', 'sqlite', 'postgres'] as const) {
    const worlds = await Promise.all(
      [SMALL, scale.large].map((events) => openWorld('claviger', placeOf(store, events))),
    )
    let most = 0
    for (const job of JOBS) {
      const entries = worlds.map((world, index) => ({
        world,
        job,
        name: nameOf(index === 0 ? SMALL : scale.large),
      }))
      const title = `${job}, ${SHOWN[store]}`
      const by = store === 'memory' ? 'cpu' : 'wall'
      addComparison(report, {
        table: 'growth',
        job: title,
        by,
        measured: await runEntries(entries, scale, { by }),
      })
      most = Math.max(most, ratioOf(report, title, nameOf(scale.large)) ?? 0)
    }
    atMost(report, `largest growth of a call, ${SHOWN[store]}`, ALLOWED[store], most)
    await closeWorlds(worlds)
  }
}

const nameOf = (events: number): string => `${events.toLocaleString('en-US')} events`

/** Half of the events are grants; the others are projects, roles, project grants, providers and domains. */
const placeOf = (store: StoreName, events: number): Place => ({
  store,
  grants: events / 2,
  others: events / 10,
})

/** Fills an empty read model from a log of grants, beside a loop by hand. */
export const rebuild = async (report: Report, scale: Scale): Promise<void> => {
  for (const [store, floor, large] of [
    ['sqlite', 'rawSqlite', scale.large],
    ['postgres', 'rawPostgres', scale.large / 5],
  ] as const) {
    const place: Place = { store, grants: large }
    const worlds = await openWorlds(['claviger', floor], place)
    const entries = worlds.map((world, index) => ({
      world,
      job: 'rebuild',
      name: index === 0 ? 'claviger' : 'bare loop',
    }))
    addComparison(report, {
      table: 'rebuild',
      job: `an event, ${SHOWN[store]}`,
      by: 'wall',
      measured: await runEntries(
        entries,
        { ...scale, rounds: Math.min(3, scale.rounds) },
        { by: 'wall' },
      ),
    })
    const job = `an event, ${SHOWN[store]}`
    const least = store === 'sqlite' ? 0.25 : 0.4
    atLeast(report, `bare loop / claviger, ${job}`, least, ratioOf(report, job, 'bare loop'))
    await closeWorlds(worlds)
  }
}

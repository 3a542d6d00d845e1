import { addRatio, addRows, type Report } from './report.ts'
import { runRounds, timesAsFast } from './rounds.ts'
import { sqlite } from './stores.ts'
import type { System } from './system.ts'
import { claviger } from './systems/claviger.ts'
import { loadEmmettSqlite } from './systems/emmett-sqlite.ts'
import { groupedSqlite, rawSqlite } from './systems/raw-sqlite.ts'
import { addRole, contestant, type Scale, updateProject } from './workloads.ts'

/** Workloads A, B and C on SQLite. */
export const sqliteWrites = async (report: Report, scale: Scale): Promise<void> => {
  const { share } = scale
  const ours = claviger(sqlite)
  const others = await emmettSqlite()

  const added = await runRounds(
    [
      contestant(ours, addRole(), { calls: 2_000, share }),
      contestant(rawSqlite, addRole(), { calls: 2_000, share }),
      contestant(ours, addRole(), { calls: 8_000, inFlight: 16, share }),
      contestant(ours, addRole(), { calls: 20_000, inFlight: 64, share }),
      contestant(groupedSqlite, addRole(), { calls: 20_000, share }),
      ...others.map((other) => contestant(other, addRole(), { calls: 1_000, share })),
    ],
    scale,
  )
  addRows(report, 'A add role, sqlite', added)
  const [one, floor, , many] = added
  if (!one || !floor || !many) return
  addRatio(report, 'A sqlite 1 in flight / floor', {
    measured: timesAsFast(one, floor),
    target: 0.95,
  })
  addRatio(report, 'A sqlite 64 in flight / floor', {
    measured: timesAsFast(many, floor),
    target: 10,
  })

  for (const events of [10, 100, 1000] as const) {
    const task = updateProject(events)
    const updated = await runRounds(
      [
        contestant(ours, task, { calls: 2_000, share }),
        contestant(rawSqlite, task, { calls: 2_000, share }),
        contestant(ours, task, { calls: 4_000, inFlight: 16, share }),
        contestant(ours, task, { calls: 8_000, inFlight: 64, share }),
      ],
      scale,
      true,
    )
    addRows(report, `B update project, streams of ${events}, sqlite`, updated)
    const [own, floor] = updated
    if (!own || !floor || events !== 10) continue
    addRatio(report, 'B sqlite 1 in flight / floor', {
      measured: timesAsFast(own, floor),
      target: 0.95,
    })
  }
}

/** Emmett on SQLite, when it was installed beside; that takes a compiler. */
const emmettSqlite = async (): Promise<readonly System[]> => {
  const system = await loadEmmettSqlite()
  if (system) return [system]
  console.log('\nEmmett on SQLite is left out: docs/performance.md says how to install it.')
  return []
}

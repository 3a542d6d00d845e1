import { apart, runApart } from './apart.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { timesAsFast } from './rounds.ts'
import { embeddedPeers } from './systems/peers.ts'
import { addRole, type Scale, updateProject } from './workloads.ts'

/** Workloads A, B and C on SQLite. */
export const sqliteWrites = async (report: Report, scale: Scale): Promise<void> => {
  const { share } = scale
  const isInstalled = await embeddedPeers.isEmmettSqliteInstalled()
  if (!isInstalled) {
    console.log('\nEmmett on SQLite is left out: docs/performance.md says how to install it.')
  }

  const added = await runApart(
    [
      // Quick runs make all of these calls: fewer would leave the code half compiled.
      apart('clavigerSqlite', addRole(), { calls: 10_000, share: 1 }),
      apart('rawSqlite', addRole(), { calls: 10_000, share: 1 }),
      apart('clavigerSqlite', addRole(), { calls: 8_000, inFlight: 16, share }),
      apart('clavigerSqlite', addRole(), { calls: 20_000, inFlight: 64, share }),
      apart('groupedSqlite', addRole(), { calls: 20_000, share }),
      ...(isInstalled ? [apart('emmettSqlite', addRole(), { calls: 1_000, share })] : []),
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
    const updated = await runApart(
      [
        apart('clavigerSqlite', task, { calls: 2_000, share, isKept: true }),
        apart('rawSqlite', task, { calls: 2_000, share, isKept: true }),
        apart('clavigerSqlite', task, { calls: 4_000, inFlight: 16, share, isKept: true }),
        apart('clavigerSqlite', task, { calls: 8_000, inFlight: 64, share, isKept: true }),
      ],
      scale,
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

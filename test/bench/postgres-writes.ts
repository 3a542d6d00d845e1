import { addRatio, addRows, type Report } from './report.ts'
import { runRounds, timesAsFast } from './rounds.ts'
import { postgres } from './stores.ts'
import { claviger } from './systems/claviger.ts'
import { loadPostgresPeers } from './systems/peers.ts'
import { groupedPostgres, rawPostgres } from './systems/raw-postgres.ts'
import { addRole, contestant, type Scale, updateProject } from './workloads.ts'

/** Workloads A, B and C on PostgreSQL. */
export const postgresWrites = async (report: Report, scale: Scale): Promise<void> => {
  const { share } = scale
  const { castorePostgres, emmettPostgres } = await loadPostgresPeers()
  const ours = claviger(postgres)
  const alone = await runRounds(
    [
      contestant(ours, addRole(), { calls: 1_000, share }),
      contestant(rawPostgres(1), addRole(), { calls: 1_000, share }),
      contestant(castorePostgres, addRole(), { calls: 1_000, share }),
      contestant(emmettPostgres, addRole(), { calls: 500, share }),
    ],
    scale,
    true,
  )
  addRows(report, 'A add role, postgres, 1 in flight', alone)
  const together = await runRounds(
    [
      contestant(ours, addRole(), { calls: 8_000, inFlight: 64, share }),
      contestant(rawPostgres(64), addRole(), { calls: 4_000, inFlight: 64, share }),
      contestant(rawPostgres(10), addRole(), { calls: 4_000, inFlight: 64, share }),
      contestant(castorePostgres, addRole(), { calls: 4_000, inFlight: 64, share }),
      contestant(emmettPostgres, addRole(), { calls: 1_000, inFlight: 64, share }),
      contestant(ours, addRole(), { calls: 4_000, inFlight: 16, share }),
      contestant(groupedPostgres, addRole(), { calls: 8_000, share }),
    ],
    scale,
    true,
  )
  addRows(report, 'A add role, postgres, 64 in flight', together)
  for (const events of [10, 100, 1000] as const) {
    const task = updateProject(events)
    const updated = await runRounds(
      [
        contestant(ours, task, { calls: 1_000, share }),
        contestant(rawPostgres(1), task, { calls: 1_000, share }),
        contestant(ours, task, { calls: 2_000, inFlight: 16, share }),
        contestant(ours, task, { calls: 4_000, inFlight: 64, share }),
      ],
      scale,
      true,
    )
    addRows(report, `B update project, streams of ${events}, postgres`, updated)
  }
  const [own, floor] = alone
  if (own && floor) {
    addRatio(report, 'A postgres 1 in flight / floor', {
      measured: timesAsFast(own, floor),
      target: 0.95,
    })
  }
  // A server on few processors may do better with fewer connections: the better floor counts.
  const [many, ...floors] = together.slice(0, 3)
  if (many) {
    addRatio(report, 'A postgres 64 in flight / floor at 64', {
      measured: Math.min(...floors.map((each) => timesAsFast(many, each))),
      target: 4,
    })
  }
}

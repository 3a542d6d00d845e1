import { apart, runApart } from './apart.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { type Measured, timesAsFast } from './rounds.ts'
import type { Task } from './system.ts'
import type { Embedded } from './systems/embedded.ts'
import { addRole, type Scale, updateProject } from './workloads.ts'

const PEERS = ['equinox', 'castore', 'emmett'] as const

/**
 * Calls per round: enough of them that a round is about warm code. Emmett and castore slow down with the
 * size of the store, so they make fewer.
 */
const callsOf = (system: Embedded, task: Task): number => {
  if (task.kind === 'add role') {
    if (system === 'emmett') return 2_000
    return system === 'castore' ? 20_000 : 100_000
  }
  if (system === 'emmett' || system === 'castore') return task.events === 1000 ? 500 : 2_000
  return system === 'equinox' && task.events === 1000 ? 2_000 : 8_192
}

/** Workloads A, B and C in memory. */
export const memoryWrites = async (report: Report, scale: Scale): Promise<void> => {
  const compare = async (
    name: string,
    systems: readonly Embedded[],
    task: Task,
    inFlight: number,
  ) => {
    const isKept = task.kind === 'update project'
    const contestants = systems.map((system) =>
      apart(system, task, {
        calls: callsOf(system, task),
        // Quick runs make all calls that are quick: fewer would leave the code half compiled.
        share: isKept ? scale.share : 1,
        inFlight,
        isKept,
      }),
    )
    const measured = await runApart(contestants, scale)
    addRows(report, `${name}, memory, ${inFlight} in flight`, measured)
    return measured
  }

  for (const inFlight of [1, 16, 64]) {
    const systems = ['claviger', ...PEERS, 'guardedEquinox', 'objectStore'] as const
    const measured = await compare('A add role', systems, addRole(), inFlight)
    const [own, , , , guarded] = measured
    const fastest = fastestOf(measured.slice(1, 1 + PEERS.length))
    if (!own || !guarded || inFlight === 16) continue
    const target = inFlight === 1 ? 1.2 : 1
    const measuredRatio = timesAsFast(own, fastest)
    addRatio(report, `A memory ${inFlight} in flight / fastest bare peer`, {
      measured: measuredRatio,
      target,
    })
    if (inFlight > 1) continue
    addRatio(report, 'A memory 1 in flight / the same peer, guarded', {
      measured: timesAsFast(own, guarded),
      target: 2,
    })
  }
  for (const events of [10, 100, 1000] as const) {
    const systems = ['claviger', ...PEERS, 'objectStore'] as const
    for (const inFlight of events === 1000 ? [1, 16, 64] : [1]) {
      const name = `B update project, streams of ${events}`
      const measured = await compare(name, systems, updateProject(events), inFlight)
      const [own] = measured
      if (!own || events < 1000 || inFlight > 1) continue
      addRatio(report, 'B memory, streams of 1000 / fastest bare peer', {
        measured: timesAsFast(own, fastestOf(measured.slice(1, 1 + PEERS.length))),
        target: 50,
      })
    }
  }
}

const fastestOf = (measured: readonly Measured[]): Measured =>
  measured.reduce((one, other) => (timesAsFast(one, other) >= 1 ? one : other))

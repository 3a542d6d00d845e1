import { addComparison, atLeast, type Report, ratioOf } from '../report.ts'
import type { Scale } from '../rounds.ts'
import type { SystemName } from '../systems.ts'
import type { Place } from '../world.ts'
import { closeWorlds, entriesOf, openWorld, openWorlds, runEntries } from '../worlds.ts'

const GRANTS = 50_000
const PEERS: readonly SystemName[] = ['nestedMap', 'casl', 'casbin', 'cedar']

/** A check on every request: live and eventual checks beside what else a host could ask in its process. */
export const requests = async (report: Report, scale: Scale): Promise<void> => {
  const grants = GRANTS * scale.share
  const memory: Place = { store: 'memory', grants }
  const [own, inMemory, betterAuth] = await Promise.all([
    openWorld('claviger', memory),
    openWorlds(PEERS, memory),
    openWorld('betterAuth', { store: 'sqlite', grants }),
  ])
  const peers = [...inMemory, betterAuth]
  for (const [job, title, table] of [
    ['live check', LIVE, 'requests'],
    ['eventual check', EVENTUAL, 'method'],
  ] as const) {
    const [entry] = entriesOf([own], job)
    if (!entry) continue
    const entries = [entry, ...entriesOf(peers, 'check')]
    const measured = await runEntries(entries, scale, { by: 'cpu' })
    addComparison(report, { table, job: title, by: 'cpu', measured })
  }
  await closeWorlds([own, ...peers])
  atLeast(report, 'nested Map / live.can', 1.3, ratioOf(report, LIVE, 'nested Map'))
  atLeast(report, 'CASL / live.can', 1, ratioOf(report, LIVE, 'CASL'))
}

const LIVE = '`live.can`, memory'
const EVENTUAL = '`access.check`, eventual, memory'

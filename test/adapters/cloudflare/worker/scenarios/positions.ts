import { durableObjectStore, InvalidRestore } from '../../../../../src/adapters/cloudflare/index.js'
import { ProjectId } from '../../../../../src/domain/values.js'
import { wholeLog } from '../../../../../src/laws/event-store/harness.js'
import { demandEqual } from '../../../../../src/laws/law.js'
import { newLog } from '../../../../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../../../../src/laws/read-model/object-samples.js'
import type { Scenario } from './scenario.js'

/** The largest position that is restored; the runtime reads integers as numbers. */
const MOST = 2n ** 53n - 2n ** 32n

export const largestPositions: Scenario = async ({ storage }) => {
  const { store, readModel } = durableObjectStore(storage)
  const { events, record } = newLog(MOST - 800n)
  record('acme', projectAdded('portal'))
  record('acme', roleAdded('portal', 'reader'))
  record('acme', projectAdded('billing'))
  await store.restore(events)
  demandEqual('the log', await wholeLog(store), events)
  const beyond = events.map((event) => ({ ...event, position: event.position + MOST }))
  await readModel.apply(0n, events)
  const project = await readModel.get('acme', { type: 'project', id: ProjectId.parse('billing') })
  const history = await readModel.history({ orgId: 'acme', after: MOST - 1n, limit: 10 })
  return {
    last: await store.lastPosition(),
    above: (await store.readAll(MOST - 1n, 10)).length,
    farAbove: (await store.readAll(2n ** 70n, 10)).length,
    beyond: await store.restore(beyond).catch((error) => error instanceof InvalidRestore),
    checkpoint: await readModel.checkpoint(),
    sequence: project?.details.sequence,
    history: history.map(({ sequence }) => sequence),
  }
}

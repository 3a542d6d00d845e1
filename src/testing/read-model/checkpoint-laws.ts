import type { RecordedEvent } from '../../ports/event-store.js'
import type { HistoryEntry, ReadModel } from '../../ports/read-model.js'
import { allOf, demandEqual, demandRejection } from '../law.js'
import { project } from './history-laws.js'
import { fedWith, feed, type ReadModelLaw } from './law.js'
import { projectRemoved, roleAdded } from './object-samples.js'
import { portalWith, ROLES } from './samples.js'

/** All that can be read of the organization `acme`. */
const contentOf = async (model: ReadModel) => ({
  checkpoint: await model.checkpoint(),
  project: await model.get<'project'>('acme', project('portal')),
  roles: await model.list(ROLES),
  history: await model.history({ orgId: 'acme', after: 0n, limit: 1000 }),
})

const NOTHING = {
  checkpoint: 0n,
  project: undefined,
  roles: { items: [], hasMore: false, totalSize: 0, sequence: 0n },
  history: [],
}

/** Keys of more roles than one page holds, in their order. */
const MANY = Array.from({ length: 1_100 }, (_, index) => `role-${1_000 + index}`)

const positionOf = ({ position }: RecordedEvent) => position
const sequenceOf = ({ sequence }: HistoryEntry) => sequence

const lastOf = (events: readonly RecordedEvent[]) => events.at(-1)?.position ?? 0n

/** Laws of `checkpoint`, `apply` and `reset`. */
export const checkpointLaws: readonly ReadModelLaw[] = [
  {
    name: 'Before the first event the checkpoint is 0 and there is nothing to be read.',
    check: async ({ open }) => {
      const all = await contentOf(await open())
      demandEqual('content', all, NOTHING)
    },
  },
  {
    name: 'Applying events moves the checkpoint to the last of them.',
    check: async (home) => {
      const log = portalWith(MANY.slice(0, 2))
      const model = await home.open()
      demandEqual('apply', await model.apply(0n, log.events), true)
      demandEqual('checkpoint', await model.checkpoint(), lastOf(log.events))
      demandEqual('apply of nothing', await model.apply(lastOf(log.events), []), true)
      demandEqual('checkpoint', await model.checkpoint(), lastOf(log.events))
    },
  },
  {
    name: 'From another checkpoint than its own nothing is applied.',
    check: async (home) => {
      const log = portalWith(MANY.slice(0, 1))
      const model = await fedWith(home, log)
      const before = await contentOf(model)
      const from = lastOf(log.events)
      log.record('acme', projectRemoved('portal'))
      for (const wrong of [0n, from - 1n, from + 1n]) {
        demandEqual(`apply from ${wrong}`, await model.apply(wrong, log.above(from)), false)
        demandEqual(`apply of nothing from ${wrong}`, await model.apply(wrong, []), false)
      }
      demandEqual('content', await contentOf(model), before)
      await model.reset()
      demandEqual(`apply to nothing from ${from}`, await model.apply(from, log.above(from)), false)
    },
  },
  {
    name: 'Many events are applied at once, all or none, and are all to be found.',
    check: async (home) => {
      const log = portalWith([])
      const model = await fedWith(home, log)
      const before = await contentOf(model)
      const from = lastOf(log.events)
      for (const key of MANY) log.record('acme', roleAdded('portal', key))
      const events = log.above(from)
      const unknown = { ...log.record('acme', projectRemoved('portal')), type: 'project.sold' }
      await demandRejection('apply of an unknown event', model.apply(from, [...events, unknown]))
      demandEqual('content', await contentOf(model), before)
      demandEqual('apply without it', await model.apply(from, events), true)
      const { roles, history } = await contentOf(model)
      const { items, ...page } = roles
      const sequence = lastOf(events)
      demandEqual('page of roles', page, { hasMore: true, totalSize: MANY.length, sequence })
      demandEqual(
        'roles on it',
        items.map(({ roleKey }) => roleKey),
        MANY.slice(0, 1_000),
      )
      demandEqual('history', history.map(sequenceOf), log.events.slice(0, 1_000).map(positionOf))
    },
  },
  {
    name: 'What was applied, forgotten by a reset and built anew is so for every handle.',
    check: async (home) => {
      const log = portalWith(MANY.slice(0, 3))
      const model = await fedWith(home, log)
      const other = await home.reopen()
      const before = await contentOf(model)
      demandEqual('content', await contentOf(other), before)
      await other.reset()
      demandEqual('content after reset', await contentOf(model), NOTHING)
      demandEqual('content after reset', await contentOf(other), NOTHING)
      await feed(model, log)
      demandEqual('content when built anew', await contentOf(other), before)
    },
  },
  {
    name: 'Of several handles that apply the same events at once, one does.',
    check: async (home) => {
      const log = portalWith(MANY.slice(0, 40))
      const handles = [await home.open(), await home.reopen(), await home.reopen()]
      for (let round = 0; round < log.events.length; round++) {
        const from = log.events[round - 1]?.position ?? 0n
        const events = log.events.slice(round, round + 1)
        const outcomes = await allOf(handles.map((handle) => handle.apply(from, events)))
        demandEqual('outcomes', outcomes.toSorted(), [false, false, true])
      }
      for (const handle of handles) {
        const { roles, history } = await contentOf(handle)
        demandEqual('roles', roles.totalSize, 40)
        demandEqual('history', history.map(sequenceOf), log.events.map(positionOf))
      }
    },
  },
]

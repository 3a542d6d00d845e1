import type { AnyEvent } from '../../domain/aggregates.js'
import type { EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import type {
  FoundAtHead,
  HistoryEntry,
  ReadAtHead,
  ReadMethod,
  ReadMethods,
  ReadModel,
  ReadQuery,
  ViewType,
} from '../../ports/read-model.js'
import { objectOf, streamOf } from '../../projections/read-events.js'
import { appendOf, record } from '../event-store/harness.js'
import { allOf, demand, demandEqual, demandRejection, lawsOf } from '../law.js'
import { ACCESS, AFFECTED, HELD_ROLES, HOLDERS } from './grant-samples.js'
import { fedWith, feed, inNewestVersion, type ReadModelHome, type ReadModelLaw } from './harness.js'
import { ALL } from './history-laws.js'
import { DOMAIN, projectAdded, projectRemoved, roleAdded } from './object-samples.js'
import {
  FIRST_EVENTS,
  listOf,
  portalWith,
  project,
  ROLES,
  role,
  SCENARIOS,
  TYPES,
} from './samples.js'

/** All that can be read of the organization `acme`. */
const contentOf = async (model: ReadModel) => ({
  checkpoint: await model.checkpoint(),
  project: await model.get<'project'>('acme', project('portal')),
  roles: await model.list(ROLES),
  history: await model.history({ orgId: 'acme', after: 0n, limit: 1000 }),
})

const EMPTY_CONTENT = {
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
export const checkpointLaws = lawsOf<ReadModelHome>({
  'Before the first event the checkpoint is 0 and reads find nothing.': async ({ open }) => {
    const all = await contentOf(await open())
    demandEqual('content', all, EMPTY_CONTENT)
  },
  'Applying events moves the checkpoint to the last of them.': async (home) => {
    const log = portalWith(MANY.slice(0, 2))
    const model = await home.open()
    demandEqual('apply', await model.apply(0n, log.events), true)
    demandEqual('checkpoint', await model.checkpoint(), lastOf(log.events))
    demandEqual('apply of nothing', await model.apply(lastOf(log.events), []), true)
    demandEqual('checkpoint', await model.checkpoint(), lastOf(log.events))
  },
  'Events that do not follow the checkpoint are not applied.': async (home) => {
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
  'Many events are applied at once, all or none, and all are found.': async (home) => {
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
  'Every handle sees the changes, resets and rebuilds of the others.': async (home) => {
    const log = portalWith(MANY.slice(0, 3))
    const model = await fedWith(home, log)
    const other = await home.reopen()
    const before = await contentOf(model)
    demandEqual('content', await contentOf(other), before)
    await other.reset()
    demandEqual('content after reset', await contentOf(model), EMPTY_CONTENT)
    demandEqual('content after reset', await contentOf(other), EMPTY_CONTENT)
    await feed(model, log)
    demandEqual('content after a rebuild', await contentOf(other), before)
  },
  'When several handles apply the same events at once, exactly one succeeds.': async (home) => {
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
})

/** Both ports of one database, as one process has them. */
interface Handle {
  readonly store: EventStore
  readonly model: ReadModel
  readonly atHead: ReadAtHead
}

/** Undefined when the read model has no `readAtHead`. */
const handleOn = (home: ReadModelHome, model: ReadModel): Handle | undefined => {
  if (model.readAtHead === undefined) return undefined
  const store = home.store?.()
  demand(store !== undefined, 'a home with `store`, since the read model has `readAtHead`')
  const atHead = model.readAtHead({ store, readModel: model })
  demand(atHead !== undefined, 'a read model to read at the head of the store beside it')
  return { store, model, atHead }
}

/** Laws by their names, each kept by a read model without `readAtHead`. */
const lawsAtHead = (
  checks: Readonly<
    Record<string, (handle: Handle, reopen: () => Promise<Handle | undefined>) => Promise<void>>
  >,
): readonly ReadModelLaw[] =>
  Object.entries(checks).map(([name, check]) => ({
    name,
    check: async (home) => {
      const handle = handleOn(home, await home.open())
      if (handle) await check(handle, async () => handleOn(home, await home.reopen()))
    },
  }))

/** Records the first event of an object of the organization `acme`. */
const recordFirst = async ({ store }: Handle, event: AnyEvent): Promise<Position> => {
  const stream = streamOf('acme', objectOf(event))
  const write = { stream, expectedVersion: 0, events: [inNewestVersion(event)] }
  const [recorded] = await record(store, appendOf([write], { resourceOwner: 'acme' }))
  return recorded?.position ?? 0n
}

/** Applies what the store holds above the checkpoint. */
const catchUp = async ({ store, model }: Handle): Promise<void> => {
  const from = await model.checkpoint()
  const events = await store.readAll(from, 1000)
  demand(await model.apply(from, events), `${model.name} to apply from its checkpoint`)
}

/** Demands that reads at the head answer as the read model does, and where both ports stand. */
const demandAnswers = async (
  { model, atHead }: Handle,
  positions: Omit<FoundAtHead<never>, 'found'>,
): Promise<void> => {
  const demandAnswer = async <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ): Promise<void> => {
    const reads: ReadMethods<Type> = model
    const found = await reads[query.method](...query.args)
    demandEqual(`${query.method} at the head`, await atHead(query), { ...positions, found })
  }
  for (const { ref } of SCENARIOS) await demandAnswer({ method: 'get', args: ['acme', ref] })
  for (const type of TYPES) await demandAnswer({ method: 'list', args: [listOf(type)] })
  await demandAnswer({ method: 'access', args: [ACCESS] })
  await demandAnswer({ method: 'heldRoles', args: [HELD_ROLES] })
  await demandAnswer({ method: 'holders', args: [HOLDERS] })
  await demandAnswer({ method: 'affected', args: [AFFECTED] })
  await demandAnswer({ method: 'route', args: [DOMAIN] })
  await demandAnswer({ method: 'history', args: [ALL] })
}

/** Laws of `readAtHead`. */
export const headLaws = lawsAtHead({
  'Reads at the head need the original store and read model, not copies.': async ({
    store,
    model,
  }) => {
    const copies = { store: { ...store }, readModel: { ...model } }
    const pairs = [
      { store: copies.store, readModel: model },
      { store, readModel: copies.readModel },
      copies,
    ]
    for (const reader of [model, copies.readModel]) {
      for (const pair of pairs) demandEqual('reads of a copy', reader.readAtHead?.(pair), undefined)
    }
  },
  'A read at the head returns the result of the read model, with the end of the log and the checkpoint.':
    async (handle) => {
      await demandAnswers(handle, { head: 0n, reached: 0n })
      let reached = 0n
      for (const event of FIRST_EVENTS) {
        await recordFirst(handle, event)
        const head = await recordFirst(handle, projectAdded(`project-${reached}`))
        await demandAnswers(handle, { head, reached })
        await catchUp(handle)
        await demandAnswers(handle, { head, reached: head })
        reached = head
      }
    },
  'A read at the head immediately finds events that another process has recorded and applied.':
    async (handle, reopen) => {
      const other = await reopen()
      demand(other !== undefined, 'a second handle to have `readAtHead`')
      for (const event of FIRST_EVENTS) {
        const reached = await handle.model.checkpoint()
        const head = await recordFirst(other, event)
        await demandAnswers(handle, { head, reached })
        await catchUp(other)
        await demandAnswers(handle, { head, reached: head })
      }
    },
  'A read at the head is of one moment, even while events are recorded and applied.': async (
    handle,
    reopen,
  ) => {
    const handles = [handle, (await reopen()) ?? handle, handle]
    const roles: Position[] = []
    let last = await recordFirst(handle, projectAdded('portal'))
    for (let round = 0; round < 20; round++) {
      const key = `role-${round}`
      const writing = (async () => {
        roles.push(await recordFirst(handle, roleAdded('portal', key)))
        await catchUp(handle)
      })()
      const listing = allOf(
        handles.map(({ atHead }) =>
          atHead<'list', 'project_role'>({ method: 'list', args: [ROLES] }),
        ),
      )
      const getting = allOf(
        handles.map(({ atHead }) =>
          atHead<'get', 'project_role'>({ method: 'get', args: ['acme', role('portal', key)] }),
        ),
      )
      await allOf<unknown>([writing, listing, getting])
      const position = roles[round] ?? 0n
      for (const { found, head, reached } of await listing) {
        demand(head >= last, `a head of ${last} or later, not ${head}`)
        demandEqual('sequence of a list', found.sequence, reached)
        const known = roles.filter((position) => position <= reached).length
        demandEqual(`roles as of ${reached}`, [found.items.length, found.totalSize], [known, known])
      }
      for (const { found, head, reached } of await getting) {
        demand(head >= reached, `a head of ${reached} or later, not ${head}`)
        demandEqual(
          `position of ${key}`,
          found?.details.sequence ?? 0n,
          reached < position ? 0n : position,
        )
      }
      last = position
    }
  },
})

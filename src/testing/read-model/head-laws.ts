import type { AnyEvent } from '../../domain/aggregates.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import type {
  FoundAtHead,
  ReadAtHead,
  ReadMethod,
  ReadMethods,
  ReadModel,
  ReadQuery,
  ViewType,
} from '../../ports/read-model.js'
import { objectOf, streamOf } from '../../projections/read-events.js'
import { appendOf, record } from '../event-store/harness.js'
import { allOf, demand, demandEqual } from '../law.js'
import { ACCESS, HELD_ROLES, HOLDERS } from './grant-samples.js'
import { ALL, role } from './history-laws.js'
import type { ReadModelHome, ReadModelLaw } from './law.js'
import { DOMAIN, projectAdded, roleAdded } from './object-samples.js'
import { inNewestVersion } from './sample.js'
import { FIRST_EVENTS, listOf, ROLES, SCENARIOS, TYPES } from './samples.js'

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

/** A law that is kept by a read model without `readAtHead`. */
const headLaw = (
  name: string,
  check: (handle: Handle, reopen: () => Promise<Handle | undefined>) => Promise<void>,
): ReadModelLaw => ({
  name,
  check: async (home) => {
    const handle = handleOn(home, await home.open())
    if (handle) await check(handle, async () => handleOn(home, await home.reopen()))
  },
})

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
  await demandAnswer({ method: 'route', args: [DOMAIN] })
  await demandAnswer({ method: 'history', args: [ALL] })
}

/** Laws of `readAtHead`. */
export const headLaws: readonly ReadModelLaw[] = [
  headLaw(
    'Reads at the head are of one store and one read model, and of no copy of either.',
    async ({ store, model }) => {
      const copies = { store: { ...store }, readModel: { ...model } }
      const pairs = [
        { store: copies.store, readModel: model },
        { store, readModel: copies.readModel },
        copies,
      ]
      for (const reader of [model, copies.readModel]) {
        for (const pair of pairs)
          demandEqual('reads of a copy', reader.readAtHead?.(pair), undefined)
      }
    },
  ),
  headLaw(
    'A read at the head answers as the read model does, and where the log ends and the checkpoint is.',
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
  ),
  headLaw(
    'A read at the head finds at once what another process has recorded and applied.',
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
  ),
  headLaw(
    'A read at the head is as of one moment, even while events are recorded and applied.',
    async (handle, reopen) => {
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
          demandEqual(
            `roles as of ${reached}`,
            [found.items.length, found.totalSize],
            [known, known],
          )
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
  ),
]

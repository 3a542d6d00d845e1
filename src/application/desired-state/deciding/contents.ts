import { ok, Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { aggregates } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import type { Message } from '../../../domain/message.js'
import type { ObjectRef, StreamId } from '../../../domain/values.js'
import { MAX_WRITES } from '../../../ports/event-store.js'
import type { WriteError } from '../../errors/errors.js'
import { allObjects } from '../../reading/reads.js'
import type { Status, StreamState, StreamsOf } from '../../recording/stream-state.js'
import { inBatches } from '../../waiting.js'
import type { Planning } from '../sealed-secrets.js'
import {
  type Draft,
  foresee,
  foreseenBy,
  isOwn,
  isSuperseded,
  type Scene,
  type Subject,
  superseded,
} from './draft.js'

/** A project while it is decided on what lies in it. */
export interface InProject extends Scene {
  readonly projectId: string
  /** Streams of the objects that are left to a newer version. */
  readonly left: Set<StreamId>
  /** The project, if it is added. */
  readonly newProject: string | undefined
}

/** The objects of one type that are declared in a project, and the decision on one of them. */
export interface Contents<Ids extends object, State extends Status, Event extends Message, Item> {
  readonly aggregate: StreamsOf<Ids, State, Event> & {
    readonly type: 'project_role' | 'project_grant' | 'role_mapping'
    readonly ids: z.ZodMiniType<Ids>
    ref(ids: object): ObjectRef
  }
  /** The ids of the declared objects, in the declared order. */
  readonly declared: readonly { readonly ids: Ids; readonly item: Item }[]
  readonly decide: (
    planning: Planning,
    subject: Content<Ids, State, Event>,
    wanted: Wanted<Item>,
  ) => Promise<Result<Draft, WriteError>>
}

/** What becomes of an object: as declared in `item`, removed, or else as it is, and `planning` says who protects it. */
export interface Wanted<Item> {
  readonly item?: Item
  readonly isRemoved: boolean
}

/** An object in a project, before the decision. */
export interface Content<Ids, State extends Status, Event extends Message> extends Subject {
  readonly ids: Ids
  readonly before: StreamState<State, Event>
}

/** Decides on objects of one type: first the declared ones, then those to remove, or to protect no longer. */
export const decideContents = async <
  Ids extends object,
  State extends Status,
  Event extends Message,
  Item,
>(
  inside: InProject,
  contents: Contents<Ids, State, Event, Item>,
): Promise<Result<readonly Draft[], WriteError>> => {
  const { planning } = inside
  const decisions = await inBatches(
    planning.runtime.environment,
    [...contents.declared, ...(await undeclaredIn(inside, contents))],
    (each) => decideOne(inside, contents, each),
    MAX_WRITES,
  )
  return Result.combine([...decisions]).map((found) => {
    const drafts = found.flatMap((draft) => draft ?? [])
    for (const { change, before, write } of drafts) {
      if (write) inside.foreseen.set(write.before.name, foreseenBy(planning, write))
      if (before && change.action === 'superseded') inside.left.add(before.name)
    }
    return drafts
  })
}

const decideOne = async <Ids extends object, State extends Status, Event extends Message, Item>(
  inside: InProject,
  { aggregate, decide }: Contents<Ids, State, Event, Item>,
  { ids, item }: { readonly ids: Ids; readonly item?: Item },
): Promise<Result<Draft | undefined, WriteError>> => {
  const { planning, streams } = inside
  const { prune, managedBy } = planning.access
  const before = await foresee(streams, inside).read(aggregate, ids)
  if (item === undefined) {
    const isLeaving = prune ? isOwn(planning, before) : before.protectedBy === managedBy
    if (!exists(before.state) || !isLeaving) return ok(undefined)
  }
  const subject = { ids, object: aggregate.ref(ids), before }
  if (isSuperseded(planning, before)) return ok(superseded(subject))
  if (item !== undefined) return decide(planning, subject, { item, isRemoved: false })
  return decide(unprotecting(planning), subject, { isRemoved: prune === true })
}

/** The desired state without `protect`. */
export const unprotecting = (planning: Planning): Planning => ({
  ...planning,
  access: { ...planning.access, protect: false },
})

/** The objects in a project that are not declared, and may be removed or protected no longer. */
const undeclaredIn = async <Ids extends object, State extends Status, Event extends Message>(
  { planning, projectId, newProject }: InProject,
  { aggregate, declared }: Pick<Contents<Ids, State, Event, unknown>, 'aggregate' | 'declared'>,
): Promise<readonly { readonly ids: Ids }[]> => {
  const { runtime, call, access } = planning
  const { orgId } = call
  if (access.managedBy === undefined || newProject !== undefined) return []
  const names = new Set(declared.map(({ ids }) => aggregate.stream(orgId, ids)))
  const equals = { operator: 'equals', ignoreCase: false } as const
  // Mappings lie in no project, and name one that may be of another organization.
  const within = aggregates[aggregate.type].container
    ? { projectId }
    : {
        conditions: [
          { field: 'projectId', value: projectId, ...equals },
          { field: 'projectOrgId', value: orgId, ...equals },
        ],
      }
  const undeclared: { ids: Ids }[] = []
  for await (const row of allObjects(runtime, call, { type: aggregate.type, orgId, ...within })) {
    if (!access.prune && row.protectedBy !== access.managedBy) continue
    const { type: _, ...named } = aggregate.ref(row)
    const ids = aggregate.ids.parse(named)
    if (!names.has(aggregate.stream(orgId, ids))) undeclared.push({ ids })
  }
  return undeclared
}

import { ok, Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import type { Message } from '../../../domain/message.js'
import type { ObjectRef, ProjectId, StreamId } from '../../../domain/values.js'
import { MAX_WRITES } from '../../../ports/event-store.js'
import type { Condition } from '../../../ports/read-model.js'
import type { WriteError } from '../../errors/errors.js'
import { allObjects } from '../../reading/reads.js'
import type { Status, StreamState, StreamsOf } from '../../recording/stream-state.js'
import { inBatches } from '../../waiting.js'
import type { Planning } from '../sealed-secrets.js'
import { type Draft, foreseenBy, isOwn, isSuperseded, type Subject, superseded } from './draft.js'
import { foresee, type Scene } from './foresight.js'

/** A project while it is decided on what lies in it. */
export interface InProject extends Scene {
  readonly projectId: ProjectId
  /** Streams of the objects that are left to a newer version. */
  readonly left: Set<StreamId>
  /** The project, if it is added. */
  readonly newProject: string | undefined
}

/** The objects of one type that are declared in a project, and the decision on one of them. */
export interface Contents<Ids extends object, State extends Status, Event extends Message, Item> {
  readonly aggregate: StreamsOf<Ids, State, Event> & {
    readonly type: 'project_role' | 'project_grant' | 'role_mapping'
    ref(ids: Ids): ObjectRef
  }
  readonly idsOf: (key: string, item: Item | undefined) => Ids
  /** By their keys, in the declared order. */
  readonly declared: ReadonlyMap<string, Item>
  /** Changes the object as declared. Without `item` it stays as it is, and `planning` says who protects it. */
  readonly change: (
    planning: Planning,
    subject: Content<Ids, State, Event>,
    item?: Item,
  ) => Promise<Result<Draft, WriteError>>
  readonly remove: (subject: Content<Ids, State, Event>) => Promise<Result<Draft, WriteError>>
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
  const keys = [...contents.declared.keys(), ...(await undeclaredKeys(inside, contents))]
  const decisions = await inBatches(
    planning.runtime.environment,
    keys,
    (key) => decideOne(inside, contents, key),
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
  { aggregate, idsOf, declared, change, remove }: Contents<Ids, State, Event, Item>,
  key: string,
): Promise<Result<Draft | undefined, WriteError>> => {
  const { planning, streams } = inside
  const { prune, managedBy } = planning.access
  const item = declared.get(key)
  const ids = idsOf(key, item)
  const before = await foresee(streams, inside).read(aggregate, ids)
  if (item === undefined) {
    const isLeaving = prune ? isOwn(planning, before) : before.protectedBy === managedBy
    if (!exists(before.state) || !isLeaving) return ok(undefined)
  }
  const subject = { ids, object: aggregate.ref(ids), before }
  if (isSuperseded(planning, before)) return ok(superseded(subject))
  if (item !== undefined) return change(planning, subject, item)
  return prune ? remove(subject) : change(unprotecting(planning), subject)
}

/** The desired state without `protect`. */
export const unprotecting = (planning: Planning): Planning => ({
  ...planning,
  access: { ...planning.access, protect: false },
})

/** Keys of the objects in a project that are not declared, and may be removed or protected no longer. */
const undeclaredKeys = async (
  { planning, projectId, newProject }: InProject,
  {
    aggregate: { type },
    declared,
  }: {
    readonly aggregate: { readonly type: 'project_role' | 'project_grant' | 'role_mapping' }
    readonly declared: ReadonlyMap<string, unknown>
  },
): Promise<readonly string[]> => {
  const { runtime, call, access } = planning
  const { managedBy, prune } = access
  const { orgId } = call
  if (managedBy === undefined || newProject !== undefined) return []
  // Mappings lie in no project, and name one that may be of another organization.
  const within =
    aggregates[type].container === undefined
      ? { conditions: equal({ projectId, projectOrgId: orgId }) }
      : { projectId }
  const keys: string[] = []
  for await (const row of allObjects(runtime, call, { type, orgId, ...within })) {
    const key = aggregates[type].key(row, orgId)
    if (!declared.has(key) && (prune || row.protectedBy === managedBy)) keys.push(key)
  }
  return keys
}

const equal = (values: Readonly<Record<string, string>>): readonly Condition[] =>
  Object.entries(values).map(([field, value]) => ({
    field,
    value,
    operator: 'equals',
    ignoreCase: false,
  }))

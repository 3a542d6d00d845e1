import { err, ok, Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { exists } from '../../../domain/aggregate.js'
import { aggregates } from '../../../domain/aggregates.js'
import type { NotFound } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import type { Message } from '../../../domain/message.js'
import type { ProjectGrantState } from '../../../domain/project-grant/aggregate.js'
import { projectRoles } from '../../../domain/project-role/aggregate.js'
import type { RoleGeneration } from '../../../domain/role-generations.js'
import type { RoleMappingState } from '../../../domain/role-mapping/aggregate.js'
import { type ObjectRef, type RoleKey, type StreamId, sameRoles } from '../../../domain/values.js'
import { MAX_WRITES } from '../../../ports/event-store.js'
import type { WriteError } from '../../errors/errors.js'
import { currentRoles, type GrantChange } from '../../grant-rules/current-roles.js'
import { conditionsOf } from '../../reading/list.js'
import { allObjects } from '../../reading/query.js'
import {
  change,
  type Status,
  type StreamState,
  type StreamsOf,
} from '../../recording/stream-state.js'
import type { Streams } from '../../recording/streams.js'
import { inBatches } from '../../waiting.js'
import type { ParsedMapping } from '../declared/desired-project.js'
import type { Planning } from '../sealed-secrets.js'
import {
  blocked,
  changed,
  type Draft,
  foresee,
  foreseenBy,
  type Guard,
  isOwn,
  isSuperseded,
  protectionChanges,
  removed,
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
interface Contents<Ids extends object, State extends Status, Event extends Message, Item> {
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
  // Mappings lie in no project, and name one that may be of another organization.
  const within = aggregates[aggregate.type].container
    ? { projectId }
    : { conditions: conditionsOf({ projectId, projectOrgId: orgId }) }
  const undeclared: { ids: Ids }[] = []
  for await (const row of allObjects(runtime, call, { type: aggregate.type, orgId, ...within })) {
    if (!access.prune && row.protectedBy !== access.managedBy) continue
    const { type: _, ...named } = aggregate.ref(row)
    const ids = aggregate.ids.parse(named)
    if (!names.has(aggregate.stream(orgId, ids))) undeclared.push({ ids })
  }
  return undeclared
}

/** The declared fields of a grant or a mapping. */
type Roles = Pick<ParsedMapping, 'roleKeys' | 'validFor'>

/** A change of a grant or a mapping to these roles, or its removal. */
interface RolesChange extends Roles {
  readonly verb: 'Add' | 'Update' | 'Remove'
  /** Whether an update is recorded even if nothing changes. */
  readonly isForced: boolean
}

/** Decides by the rules of an aggregate. */
type Decide<Ids> = (
  streams: Streams,
  ids: Ids,
  change: RolesChange,
) => Promise<Result<GrantChange, WriteError>>

/**
 * Decides on a grant to another organization, or on a mapping of a group. One of a role that a newer version removed is
 * superseded, a mapping of a removed provider is blocked.
 */
export const decideGrant = async <
  Ids,
  State extends ProjectGrantState | RoleMappingState,
  Event extends Message,
>(
  inside: InProject,
  planning: Planning,
  { ids, object, before }: Content<Ids, State, Event>,
  { item, isRemoved, decide }: Wanted<Roles> & { readonly decide: Decide<Ids> },
): Promise<Result<Draft, WriteError>> => {
  const { streams } = inside
  const isMapping = object.type === 'role_mapping'
  const source = isMapping && !isRemoved ? { idpId: object.idpId } : undefined
  const provider = source && (await foresee(streams, inside).read(identityProviders, source))
  if (source && provider?.state.status === 'absent')
    return err({ kind: 'NotFound', object: identityProviders.ref(source) })
  const left = await leftToNewer(inside, item?.roleKeys)
  if (left.isErr()) return err(left.error)
  if (left.value) return ok(superseded({ object, before }))
  if (provider?.state.status === 'removed') return ok(blocked(object))

  const recorded: State = before.state
  const remaining = await currentKeys(foresee(streams, inside), inside, recorded)
  const now = exists(recorded) ? { ...validityOf(recorded), roleKeys: remaining } : undefined
  const wanted = isRemoved ? undefined : !item || isSame(item, now) ? now : item
  const isUnchanged = wanted === now
  const isForced = protectionChanges(planning, before)
  if (isUnchanged && !isForced)
    return ok(changed(planning, { object, before, roleKeys: remaining }, change(before, [])))

  const current = await currentKeys(streams, inside, recorded)
  const guards = new Map<StreamId, Guard>()
  const decided = await decide(foresee(streams, inside, guards), ids, {
    verb: isRemoved ? 'Remove' : now ? 'Update' : 'Add',
    ...(wanted ?? { roleKeys: [] }),
    isForced,
  })
  return decided.map((write) => {
    const subject = { object, before, roleKeys: isUnchanged ? remaining : current }
    const draft = isRemoved ? removed(subject, write) : changed(planning, subject, write)
    if (isUnchanged) return { ...draft, guards: [...guards.values()] }
    const after = new Set(wanted?.roleKeys)
    return {
      ...draft,
      guards: [...guards.values()],
      changedRoleKeys: isRemoved ? current : changedKeys(write, current, after),
      ...(now && { ends: remaining.filter((roleKey) => !after.has(roleKey)) }),
      ...(now && isMapping && { mapping: { before: now, after: wanted } }),
    }
  })
}

const validityOf = (state: ProjectGrantState | RoleMappingState): Pick<Roles, 'validFor'> =>
  'validFor' in state && state.validFor !== undefined ? { validFor: state.validFor } : {}

/** The same roles in another order are no change. */
const isSame = (declared: Roles, now: Roles | undefined): boolean =>
  declared.validFor === now?.validFor && sameRoles(declared.roleKeys, now?.roleKeys ?? [])

/** Keys of the roles of a grant or mapping that are still of their generation. */
const currentKeys = async (
  streams: Streams,
  { projectId }: InProject,
  state: ProjectGrantState | RoleMappingState,
): Promise<readonly RoleKey[]> => {
  const recorded: readonly Pick<RoleGeneration, 'roleKey' | 'roleSince'>[] = exists(state)
    ? state.roles
    : []
  const roles = await currentRoles(streams, { projectOrgId: streams.orgId, projectId }, recorded)
  return roles.map(({ roleKey }) => roleKey)
}

/** The roles that a grant or mapping gains or loses. The end of a removed role is not counted. */
const changedKeys = (
  write: GrantChange,
  before: readonly string[],
  after: ReadonlySet<string>,
): readonly string[] => {
  const gained = new Set(after)
  for (const key of before) gained.delete(key)
  return [
    ...new Set([...write.changedRoleKeys(), ...before.filter((key) => !after.has(key)), ...gained]),
  ]
}

/** Whether a newer version removed one of the roles. Refused: a role that the project will not have. */
const leftToNewer = async (
  inside: InProject,
  roleKeys: readonly RoleKey[] = [],
): Promise<Result<boolean, NotFound>> => {
  const { projectId } = inside
  const ahead = foresee(inside.streams, inside)
  const roles = await Promise.all(
    roleKeys.map((roleKey) => ahead.read(projectRoles, { projectId, roleKey })),
  )
  const missing = roles.flatMap(({ name, state }, index) => {
    const roleKey = roleKeys[index]
    return exists(state) || roleKey === undefined ? [] : { roleKey, isLeft: inside.left.has(name) }
  })
  const absent = missing.find(({ isLeft }) => !isLeft)
  if (!absent) return ok(missing.length > 0)
  return err({ kind: 'NotFound', object: projectRoles.ref({ ...absent, projectId }) })
}

import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { isExpired } from '../../domain/role-generations.js'
import { type RoleMapping, roleMappings } from '../../domain/role-mapping/aggregate.js'
import type { IdentityProviderRef, MembershipRef, ObjectRef } from '../../domain/values.js'
import type {
  Affected,
  AffectedByGroup,
  AffectedInProject,
  AffectedQuery,
  AffectedRole,
  HeldRole,
  HeldRolesQuery,
} from '../../ports/access-reads.js'
import type { Position, RecordedEvent } from '../../ports/event-store.js'
import type { ListQuery, Views, ViewType } from '../../ports/read-model.js'
import { fieldChanges } from '../../projections/history-entries.js'
import { type IsCurrent, project, type Row, rolesIn, shown } from '../../projections/project.js'
import { aggregateOf, isOfObject, objectOf, readEvents } from '../../projections/read-events.js'
import { compareCodePoints, keyOfHeldRole } from '../../projections/row-order.js'
import { countsOn } from '../../projections/world.js'
import type { Violation, WriteError } from '../errors/errors.js'
import { readProject } from '../grant-rules/current-roles.js'
import { withCurrentRoles } from '../grant-rules/shown-roles.js'
import type { AdmittedCall } from '../method/context.js'
import { lastPositionIn } from '../method/input.js'
import { type Impact, isPermitted, MAX_NAMED, type Planned, warningsOf } from '../method/method.js'
import { type AnyStreamState, detailsOf, type StreamChange } from '../recording/stream-state.js'
import { type Streams, streamsAt, withinLimits } from '../recording/streams.js'
import { asExpected, unprotected } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { fromPort } from '../waiting.js'
import { type RoleRange, rangeOf } from './role-range.js'

export interface ObjectCommand {
  /** The parsed input without secrets, which tells commands of one method with the same idempotency key apart. */
  readonly input: object
  readonly aggregate: AnyAggregate
  /** Decides what to record; the last change is the object's. */
  readonly decide: (streams: Streams) => Promise<Result<readonly StreamChange[], WriteError>>
  /** For a command that adds several objects: the path of each in the input, such as `roles[0].`. */
  readonly pathOf?: (index: number) => string
  /** Values of the input that are probably a mistake, given the object before the command. */
  readonly warnings?: (before: AnyStreamState) => readonly Violation[]
}

/** Decides on the state at the end of the log. Everything in the outcome, including the impact, is of that position. */
export const planned = async (
  runtime: Runtime,
  call: AdmittedCall,
  command: ObjectCommand,
): Promise<Result<Planned, WriteError>> => {
  const { store } = runtime
  const { orgId } = call
  const at = await fromPort(() => store.lastPosition())
  const streams = streamsAt(store, orgId, at)
  call.observer?.deciding(1)
  const decide = async () => (await command.decide(streams)).map((changes) => ({ changes }))
  const decision = await withinLimits(runtime.delegations.get(call.caller), decide)(streams)
  const decided = unprotected(undefined, asExpected(call, decision))
  if (decided.isErr()) return err(decided.error)
  const { changes } = decided.value
  const object = changes.at(-1)?.before
  if (object === undefined) throw new Error('A command on an object must change its stream')
  const { aggregate, input: ids } = command
  const ref = aggregate.ref(ids)
  let row: Row | undefined
  if (exists(object.state)) {
    const past = await fromPort(() => store.readStream(object.name))
    row = readEvents(past.slice(0, object.version)).reduce<Row | undefined>(project, row)
  }
  const before = row && (await withCurrentRoles(streams, ref, row))
  if (!before) row = undefined
  const current = new Set(before && rolesIn(before).map(keyOf))
  let after = before
  let isAdded = false
  const events = changes.flatMap((each) => each.events)
  const metadata = runtime.metadataOf(call)
  const known = readEvents(
    events.filter(isOfObject).map(({ type, schemaVersion, data }): RecordedEvent => {
      const stream = aggregateOf(type).stream(orgId, data)
      return { type, schemaVersion, data, appendId: '', stream, version: 1, position: 0n, metadata }
    }),
  )
  const fields = known.flatMap((event, index) => {
    // Each of several objects that are added begins without a row.
    const [last, earlier] = exists(object.state) ? [row, after] : []
    row = project(last, event)
    isAdded ||= !last && row !== undefined
    const isCurrent: IsCurrent = (_, { roleKey }) => current.has(roleKey)
    after = row && shown(objectOf(event), row, 'roles' in event.data ? undefined : isCurrent)
    const path = command.pathOf?.(index) ?? ''
    return fieldChanges(event, { before: earlier, after }).map((change) => ({
      ...change,
      field: `${path}${change.field}`,
    }))
  })
  const change = { ref, before, after, isAdded, streams, at }
  const impact = await impactOf(runtime, call, change)
  return ok({
    changed: events.length > 0,
    events,
    changes: fields,
    ...(exists(object.state) && { details: detailsOf(object, orgId) }),
    ...(impact && { impact }),
    ...warningsOf(command.warnings?.(object)),
  })
}

/** A change of one object, with its views at the position of the decision. */
interface ObjectChange {
  readonly ref: ObjectRef
  /** Undefined for an object that is added. */
  readonly before: Views[ViewType] | undefined
  /** Undefined for an object that is removed; `before` itself when nothing changes. */
  readonly after: Views[ViewType] | undefined
  /** Whether one of its events adds the object. */
  readonly isAdded: boolean
  /** The streams at `at`. */
  readonly streams: Streams
  readonly at: Position
}

const NOBODY: Affected = { count: 0, first: [] }

/** The impact of a change that gives and revokes no roles. */
export const NO_IMPACT: Impact = { loses: NOBODY, gains: NOBODY }

/**
 * Counts the roles that users lose and gain by a change, at the position of the decision. Undefined if the change
 * cannot affect roles, or if the caller may not see who has a role. A role that a user also has in another way does not
 * count. The impact of a user's grant follows from the streams of the decision; every other impact is a query of the
 * read model.
 */
const impactOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  change: ObjectChange,
): Promise<Impact | undefined> => {
  const { ref, before, after } = change
  if (ref.type === 'membership' || ref.type === 'identity_provider')
    return impactOnMembers(runtime, call, change, ref)
  const range = rangeOf(ref, call.orgId)
  if (!range) return undefined
  const isSettings = before?.state === after?.state && before !== after
  // Projects and their roles grant nothing.
  if (range.orgId === undefined && (before === undefined || isSettings)) return undefined
  if (!(await mayReadHolders(runtime, call, range))) return undefined
  const { orgId, userId, source } = range
  if (orgId !== undefined && userId !== undefined)
    return impactOnUser(runtime, call, change, { ...range, orgId, userId })
  if (source && ref.type === 'role_mapping') {
    const { isAdded, streams } = change
    // An added mapping counts from the next report on.
    if (!isMapping(before) || isAdded || before === after) return NO_IMPACT
    const { created: since } = await streams.read(roleMappings, ref)
    const to = isMapping(after) ? after : undefined
    return impactOfMapping(runtime, call, {
      ...range,
      source,
      since,
      before,
      after: to,
      at: change.at,
    })
  }
  const roleKeys = range.roleKey === undefined ? rolesEnded(change) : [range.roleKey]
  const affected = { ...range, ...(roleKeys && { roleKeys }), at: change.at }
  if (before === undefined || before === after || roleKeys?.length === 0) return NO_IMPACT
  return before.state === 'inactive' && after?.state === 'active'
    ? { loses: NOBODY, gains: await readAffected(runtime, call, { ...affected, asIfActive: true }) }
    : { loses: await readAffected(runtime, call, affected), gains: NOBODY }
}

/** Whether the caller may read who has the roles of the project of `range`, as `access.whoHas` requires it. */
export const mayReadHolders = async (
  runtime: Runtime,
  call: AdmittedCall,
  range: RoleRange,
): Promise<boolean> => {
  const { permissions, target } = aggregates.user_grant
  const object = target(range, call.orgId)
  return (await isPermitted(runtime, call, { permission: permissions.read, object })) === true
}

/** Roles of one project, at a position. */
interface AffectedRange
  extends RoleRange,
    Pick<AffectedInProject, 'roleKeys' | 'at' | 'asIfActive'> {}

/** The roles of users in `range` that count, or would count. */
export const readAffected = (
  runtime: Runtime,
  call: Pick<AdmittedCall, 'signal'>,
  { projectOrgId, projectId, orgId, roleKeys, at, asIfActive }: AffectedRange,
): Promise<Affected> =>
  countAffected(runtime, call, {
    orgId: projectOrgId,
    projectId,
    ...(roleKeys && { roleKeys }),
    ...(orgId !== undefined && { userOrgId: orgId }),
    ...(asIfActive && { asIfActive }),
    at,
    now: runtime.now(),
    limit: MAX_NAMED,
  })

const countAffected = (
  runtime: Runtime,
  { signal }: Pick<AdmittedCall, 'signal'>,
  query: AffectedQuery,
): Promise<Affected> =>
  runtime.query({ consistency: 'strong', signal }, { method: 'affected', args: [query] })

/**
 * Keys of the roles of a grant that a change revokes or suspends: all of them if the grant is removed or its state
 * changes. Undefined for an object without roles.
 */
const rolesEnded = ({ ref, before, after }: ObjectChange): readonly string[] | undefined => {
  if (ref.type === 'project') return undefined
  const hasSameState = before?.state === after?.state
  const remaining = new Set(after && hasSameState ? rolesIn(after).map(keyOf) : [])
  const held = before ? rolesIn(before).map(keyOf) : []
  return held.filter((key) => !remaining.has(key))
}

const keyOf = ({ roleKey }: { readonly roleKey: string }): string => roleKey

/** Compares the roles of one user that count before a change of the user's grant and after it. */
const impactOnUser = async (
  runtime: Runtime,
  call: AdmittedCall,
  { before, after, streams, at }: ObjectChange,
  user: RoleRange & Pick<AffectedRole, 'orgId' | 'userId'>,
): Promise<Impact> => {
  const { projectOrgId, projectId, resource, orgId, userId } = user
  const now = runtime.now()
  const isOpen = await isProjectOpen(streams, user)
  const counting = (view: ObjectChange['before']): ReadonlySet<string> => {
    const isActive = isOpen && view?.state === 'active'
    const roles = isActive ? rolesIn(view) : []
    return new Set(roles.filter((role) => !isExpired(role, now)).map(keyOf))
  }
  const [had, has] = [counting(before), counting(after)]
  const on = resource === undefined ? {} : { resource }
  const query = { orgId, userId, projectOrgId, projectId, ...on, at, now }
  const held = await rolesHeld(runtime, call, query)
  // The roles that the user has there in another way.
  const others = new Set(
    held
      .filter((role) => countsOn(role.resource, resource))
      .filter((role) => role.via !== 'grant' || role.resource !== resource)
      .map(keyOf),
  )
  const affected = (keys: ReadonlySet<string>, same: ReadonlySet<string>): Affected => {
    const changed = [...keys].filter((key) => !same.has(key) && !others.has(key))
    return affectedOf(changed.map((roleKey) => ({ orgId, userId, roleKey, ...on })))
  }
  return { loses: affected(had, has), gains: affected(has, had) }
}

/** Whether users of the organization of `streams` may have roles of a project that count. */
const isProjectOpen = async (
  streams: Streams,
  range: Pick<RoleRange, 'projectOrgId' | 'projectId'>,
): Promise<boolean> => {
  const { project, projectGrant } = await readProject(streams, range, [])
  return project.status === 'active' && (!projectGrant || projectGrant.status === 'active')
}

/** `roles` in the form of an {@link Impact}. */
const affectedOf = (roles: readonly AffectedRole[]): Affected => ({
  count: roles.length,
  first: roles
    .toSorted(
      (one, other) =>
        compareCodePoints(one.roleKey, other.roleKey) ||
        compareCodePoints(one.orgId, other.orgId) ||
        compareCodePoints(one.userId, other.userId) ||
        compareCodePoints(one.resource ?? '', other.resource ?? ''),
    )
    .slice(0, MAX_NAMED),
})

/** All roles of a user that count at a position, in each way. */
const rolesHeld = async (
  runtime: Runtime,
  { signal }: Pick<AdmittedCall, 'signal'>,
  query: Omit<HeldRolesQuery, 'after' | 'limit'>,
): Promise<readonly HeldRole[]> => {
  const held: HeldRole[] = []
  let after: HeldRolesQuery['after']
  do {
    const page = await runtime.query(
      { consistency: 'strong', signal },
      { method: 'heldRoles', args: [{ ...query, ...(after && { after }), limit: 1000 }] },
    )
    held.push(...page.items)
    const last = page.hasMore ? page.items.at(-1) : undefined
    after = last && keyOfHeldRole(last)
  } while (after)
  return held
}

/** A change of a mapping that exists; `after` is undefined when it is removed. */
export interface MappingChange {
  readonly before: MappedRoles
  readonly after: MappedRoles | undefined
}

interface MappedRoles extends Pick<RoleMapping, 'roleKeys'> {
  readonly validFor?: number | undefined
}

/** A change of a mapping, and the position of the event that added it. */
export interface ChangedMapping
  extends MappingChange,
    Pick<RoleRange, 'projectOrgId' | 'projectId' | 'resource'>,
    Required<Pick<RoleRange, 'source'>> {
  readonly since: Position
}

/** Counts the members of a group who lose or gain roles by a change of its mapping, after the `earlier` changes. */
export const impactOfMapping = async (
  runtime: Runtime,
  call: AdmittedCall,
  changed: ChangedMapping & { readonly at: Position },
  earlier: readonly ChangedMapping[] = [],
): Promise<Impact> => {
  const { projectOrgId, projectId, resource, source, since, before, after, at } = changed
  const now = runtime.now()
  const [had, has] = [before.roleKeys, after?.roleKeys ?? []]
  const from = firstReport(since, before.validFor, now)
  const to = firstReport(since, after?.validFor, now)
  const count = async (roleKeys: readonly string[], after: Position, until?: Position) => {
    if (roleKeys.length === 0 || (until !== undefined && until <= after)) return NOBODY
    const members = { orgId: call.orgId, ...source, after, ...(until !== undefined && { until }) }
    const on = resource === undefined ? {} : { resource }
    const range = { orgId: projectOrgId, projectId, ...on, members, at, now, limit: MAX_NAMED }
    const earlierThere = earlier.filter((each) => countsOn(each.resource, resource))
    const asked = roleKeys.map((key) => ({ key, others: assumedOf(earlierThere, key, now) }))
    const alone = asked.filter(({ others }) => others.length === 0).map(({ key }) => key)
    const queries = [
      ...(alone.length > 0 ? [{ ...range, roleKeys: alone }] : []),
      ...asked.flatMap(({ key, others }) =>
        others.length > 0 ? [{ ...range, roleKeys: [key], others }] : [],
      ),
    ]
    const counted = await Promise.all(queries.map((query) => countAffected(runtime, call, query)))
    return counted.reduce(both, NOBODY)
  }
  const remaining = had.filter((key) => has.includes(key))
  const [ended, begun, expired, renewed] = await Promise.all([
    count(
      had.filter((key) => !remaining.includes(key)),
      from,
    ),
    count(
      has.filter((key) => !remaining.includes(key)),
      to,
    ),
    count(remaining, from, to),
    count(remaining, to, from),
  ])
  return { loses: both(ended, expired), gains: both(begun, renewed) }
}

/** The mappings that, after their changes, give a role by other reports than before. */
const assumedOf = (
  earlier: readonly ChangedMapping[],
  roleKey: string,
  now: Date,
): NonNullable<AffectedByGroup['others']> =>
  earlier.flatMap(({ source, resource, since, before, after }) => {
    const [had, has] = [before, after].map((roles) =>
      roles?.roleKeys.includes(roleKey) ? firstReport(since, roles.validFor, now) : undefined,
    )
    return had === has ? [] : [{ ...source, resource, after: has }]
  })

const isMapping = (view: ObjectChange['before']): view is RoleMapping =>
  view !== undefined && 'idpId' in view && 'roleKeys' in view

/** Reports above this position count for a mapping. */
const firstReport = (since: Position, validFor: number | undefined, now: Date): Position => {
  if (validFor === undefined) return since
  const last = lastPositionIn(new Date(now.getTime() - validFor * HOUR_MS))
  return last > since ? last : since
}

const HOUR_MS = 3_600_000

const both = (one: Affected, other: Affected): Affected => ({
  ...affectedOf([...one.first, ...other.first]),
  count: one.count + other.count,
})

/** Counts the roles that users have by the groups of a provider, before and after a change of it or of a report. */
const impactOnMembers = async (
  runtime: Runtime,
  call: AdmittedCall,
  change: ObjectChange,
  ref: MembershipRef | IdentityProviderRef,
): Promise<Impact | undefined> => {
  const { before, after, at } = change
  const isReport = ref.type === 'membership'
  if (!isReport && (before === undefined || (before.state === after?.state && before !== after)))
    return undefined
  const { permissions } = aggregates.user_grant
  if ((await isPermitted(runtime, call, { permission: permissions.read })) !== true)
    return undefined
  if (isReport) return impactOfReport(runtime, call, change, ref)
  const { idpId } = ref
  if (before === after || (before?.state === 'inactive' && after === undefined)) return NO_IMPACT
  const isGain = after?.state === 'active'
  const counted = await countAffected(runtime, call, {
    provider: { orgId: call.orgId, idpId },
    ...(isGain && { asIfActive: true }),
    at,
    now: runtime.now(),
    limit: MAX_NAMED,
  })
  return isGain ? { loses: NOBODY, gains: counted } : { loses: counted, gains: NOBODY }
}

/** Compares the roles of one user before and after a report, or its removal. */
const impactOfReport = async (
  runtime: Runtime,
  call: AdmittedCall,
  { before, after, streams, at }: ObjectChange,
  { idpId, userId }: MembershipRef,
): Promise<Impact> => {
  if (before === after) return NO_IMPACT
  const { orgId } = call
  const now = runtime.now()
  const held = await rolesHeld(runtime, call, { orgId, userId, at, now })
  const isOther = ({ via }: HeldRole) => via === 'grant' || via.idpId !== idpId
  const others = new Set(held.filter(isOther).map(roleIdOf))
  const had = new Map(held.map((role) => [roleIdOf(role), role]))
  const has = new Map<string, RoleOnPlace>()
  const groups = after && 'groups' in after ? after.groups : []
  const provider = await streams.read(identityProviders, { idpId })
  for (const group of provider.state.status === 'active' ? groups : [])
    for await (const mapping of mappingsOf(runtime, call, idpId, group)) {
      if (!(await isProjectOpen(streams, mapping))) continue
      for (const roleKey of mapping.roleKeys)
        has.set(roleIdOf({ ...mapping, roleKey }), { ...mapping, roleKey })
    }
  type Roles = ReadonlyMap<string, RoleOnPlace>
  const affected = (roles: Roles, same: Roles) =>
    affectedOf(
      [...roles.values()].flatMap((role) => {
        const { roleKey, resource } = role
        // A role of the whole project counts on the resource, too.
        const ids = [roleIdOf(role), roleIdOf({ ...role, resource: undefined })]
        if (ids.some((id) => others.has(id) || same.has(id))) return []
        return { orgId, userId, roleKey, ...(resource !== undefined && { resource }) }
      }),
    )
  return { loses: affected(had, has), gains: affected(has, had) }
}

/** A role of a project, on the whole of it or on one resource. */
interface RoleOnPlace extends Pick<HeldRole, 'projectOrgId' | 'projectId' | 'roleKey'> {
  readonly resource?: string | undefined
}

const roleIdOf = ({ projectOrgId, projectId, roleKey, resource }: RoleOnPlace): string =>
  JSON.stringify([projectOrgId, projectId, roleKey, resource])

async function* mappingsOf(
  runtime: Runtime,
  { orgId, signal }: Pick<AdmittedCall, 'orgId' | 'signal'>,
  idpId: string,
  group: string,
): AsyncGenerator<RoleMapping> {
  const equals = { operator: 'equals', ignoreCase: false } as const
  let after: ListQuery<'role_mapping'>['after']
  do {
    const query: ListQuery<'role_mapping'> = {
      type: 'role_mapping',
      orgId,
      conditions: [
        { field: 'idpId', value: idpId, ...equals },
        { field: 'group', value: group, ...equals },
      ],
      sort: [{ field: 'key', direction: 'asc' }],
      ...(after && { after }),
      limit: 1000,
    }
    const page = await runtime.query<'list', 'role_mapping'>(
      { consistency: 'strong', signal },
      { method: 'list', args: [query] },
    )
    yield* page.items
    const last = page.hasMore ? page.items.at(-1) : undefined
    after = last && [roleMappings.key(last, orgId)]
  } while (after)
}

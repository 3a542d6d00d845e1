import type { AssignedRole, AssignmentRange } from '../../domain/aggregate.js'
import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import { OrgId, ProjectId } from '../../domain/values.js'
import type { Affected, AffectedQuery, AffectedRole } from '../../ports/access-reads.js'
import type { Position } from '../../ports/event-store.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { compareCodePoints } from '../../projections/row-order.js'
import type { AdmittedCall } from '../method/context.js'
import { type Impact, isPermitted, MAX_NAMED } from '../method/method.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { readProject } from './role-generations.js'

/** A change of one object, as the object is shown at the position that the change is decided on. */
export interface ObjectChange {
  readonly aggregate: AnyAggregate
  /** The ids of the object; other fields are ignored. */
  readonly ids: object
  /** Undefined for an object that is added. */
  readonly before: Views[ViewType] | undefined
  /** Undefined for an object that is removed; `before` itself when nothing changes. */
  readonly after: Views[ViewType] | undefined
  /** The streams at `at`. */
  readonly streams: Streams
  readonly at: Position
}

const NOBODY: Affected = { count: 0, first: [] }

/** The impact of a change that begins and ends nobody's role. */
export const NO_IMPACT: Impact = { loses: NOBODY, gains: NOBODY }

/**
 * The roles of users that a change ends and begins, counted at the position that it is decided on. Undefined if it can do
 * neither, or if the caller may not read who has a role. What a grant of a user changes follows from the streams that it
 * is decided on; all else is one query of the read model.
 */
export const impactOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  change: ObjectChange,
): Promise<Impact | undefined> => {
  const { aggregate, ids, before, after } = change
  const { assignments } = aggregate
  if (!assignments) return undefined
  const isSettings = before?.state === after?.state && before !== after
  if (!assignments.assigns && (before === undefined || isSettings)) return undefined
  const range = assignments.assignmentScope(ids, call.orgId)
  if (!(await mayReadHolders(runtime, call, range))) return undefined
  const { orgId, userId } = range
  if (orgId !== undefined && userId !== undefined)
    return impactOnUser(change, { ...range, orgId, userId }, runtime.now())
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
  range: AssignmentRange,
): Promise<boolean> => {
  const { permissions, target } = aggregates.user_grant
  const object = target(range, call.orgId)
  return (await isPermitted(runtime, call, { permission: permissions.read, object })) === true
}

/** Of which roles of one project, at which position. */
interface AffectedRange
  extends AssignmentRange,
    Pick<AffectedQuery, 'roleKeys' | 'at' | 'asIfActive'> {}

/** The roles of users in `range` that count, or would. */
export const readAffected = (
  runtime: Runtime,
  { signal }: Pick<AdmittedCall, 'signal'>,
  { projectOrgId, projectId, orgId, roleKeys, at, asIfActive }: AffectedRange,
): Promise<Affected> => {
  const query: AffectedQuery = {
    orgId: projectOrgId,
    projectId,
    ...(roleKeys && { roleKeys }),
    ...(orgId !== undefined && { userOrgId: orgId }),
    ...(asIfActive && { asIfActive }),
    at,
    now: runtime.now(),
    limit: MAX_NAMED,
  }
  return runtime.query({ consistency: 'strong', signal }, { method: 'affected', args: [query] })
}

/**
 * Keys of the roles of a grant that a change ends or suspends: all that it had if it is removed or its state changes.
 * Undefined for an object without roles.
 */
const rolesEnded = ({ aggregate, before, after }: ObjectChange): readonly string[] | undefined => {
  const assigns = aggregate.assignments?.assigns
  if (!assigns) return undefined
  const isKept = before?.state === after?.state
  const kept = new Set(after && isKept ? assigns.rolesOf(after).map(keyOf) : [])
  return before
    ? assigns
        .rolesOf(before)
        .map(keyOf)
        .filter((key) => !kept.has(key))
    : []
}

const keyOf = ({ roleKey }: AssignedRole): string => roleKey

/** Compares the roles of one user that count before a change of the user's grant and after it. */
const impactOnUser = async (
  { aggregate, before, after, streams }: ObjectChange,
  {
    projectOrgId,
    projectId,
    orgId,
    userId,
  }: AssignmentRange & Pick<AffectedRole, 'orgId' | 'userId'>,
  now: Date,
): Promise<Impact> => {
  const owned = { projectOrgId: OrgId.parse(projectOrgId), projectId: ProjectId.parse(projectId) }
  const { project, projectGrant } = await readProject(streams, owned, [])
  const isOpen = project.status === 'active' && (!projectGrant || projectGrant.status === 'active')
  const counting = (view: ObjectChange['before']): ReadonlySet<string> => {
    const isActive = isOpen && view?.state === 'active'
    const roles = (isActive && aggregate.assignments?.assigns?.rolesOf(view)) || []
    const isCurrent = ({ expiresAt }: AssignedRole) => expiresAt === undefined || expiresAt > now
    return new Set(roles.filter(isCurrent).map(keyOf))
  }
  const [had, has] = [counting(before), counting(after)]
  const affected = (keys: ReadonlySet<string>, others: ReadonlySet<string>): Affected => {
    const changed = [...keys].filter((key) => !others.has(key)).sort(compareCodePoints)
    const first = changed.slice(0, MAX_NAMED).map((roleKey) => ({ orgId, userId, roleKey }))
    return { count: changed.length, first }
  }
  return { loses: affected(had, has), gains: affected(has, had) }
}

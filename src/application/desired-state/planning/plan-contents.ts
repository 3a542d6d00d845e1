import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import type { NotFound } from '../../../domain/decider.js'
import { compiled } from '../../../domain/message.js'
import { sameRoles } from '../../../domain/project-grant/decider.js'
import { AddProjectRole, type ProjectRoleCommand } from '../../../domain/project-role/commands.js'
import { type ProjectRoleState, projectRole } from '../../../domain/project-role/decider.js'
import { type ObjectRef, OrgId, type ProjectId, RoleKey } from '../../../domain/values.js'
import type { ProjectRole, Views } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/read-events.js'
import { type InvalidArgument, invalid } from '../../errors/errors.js'
import { Fault } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { allObjects } from '../../reading/reads.js'
import type { Marks } from '../../recording/metadata.js'
import type { Runtime } from '../../runtime.js'
import type { ParsedGrant, ParsedProject } from '../declared/desired-project.js'
import type { PlannedEvent } from '../plan/plan.js'
import {
  type CurrentObject,
  changeBy,
  isSuperseded,
  marksOn,
  type PendingChange,
  plannedEvents,
  removalBy,
  schemaVersionOf,
  superseded,
} from './pending-change.js'

/** A declared project, its index in the list, and the options of its desired state. */
export interface DeclaredProject {
  readonly desired: ParsedProject
  readonly index: number
  /** The project has never existed, so there is nothing to read of what lies in it. */
  readonly isNew: boolean
  readonly prune: boolean
  readonly marks: Marks
}

/**
 * The changes of the roles and grants of a project: the declared roles, the roles to remove, the declared grants, the
 * grants to remove. Refused: a grant to the owner, and of a role that the project will not have. A role that a newer
 * version removed makes its grants superseded.
 */
export const planContents = async (
  runtime: Runtime,
  call: AdmittedCall,
  declared: DeclaredProject,
): Promise<Result<readonly PendingChange[], NotFound | InvalidArgument>> => {
  const rows = await roleRows(runtime, call, declared)
  const roles = await planRoles(runtime, call, { ...declared, rows })
  const grants = await planGrants(runtime, call, { ...declared, rows, roles })
  return grants.map((changes) => [...roles, ...changes])
}

/** The types of objects that lie in a project. */
type ContentType = 'project_role' | 'project_grant'

/** Objects of one type in a project, by their keys in it. */
type Rows<Type extends ContentType> = ReadonlyMap<string, Views[Type]>

/** The roles of a project that are declared, that a declared grant names, or that may be pruned. */
const roleRows = async (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  { desired: { id: projectId, roles, grants = [] }, isNew, prune }: DeclaredProject,
): Promise<Rows<'project_role'>> => {
  const keys = new Set<string>(roles?.map(({ roleKey }) => roleKey))
  for (const { roleKeys } of grants) for (const roleKey of roleKeys) keys.add(roleKey)
  if (isNew || (roles === undefined && keys.size === 0)) return new Map()
  const isWanted = (key: string) => (prune && roles !== undefined) || keys.has(key)
  return rowsIn(runtime, { type: 'project_role', orgId, projectId }, isWanted)
}

const planRoles = async (
  runtime: Runtime,
  call: AdmittedCall,
  { desired, ...options }: DeclaredProject & { readonly rows: Rows<'project_role'> },
): Promise<readonly PendingChange[]> => {
  const { id: projectId, roles } = desired
  if (roles === undefined) return []
  return planEach(runtime, call, {
    ...options,
    type: 'project_role',
    projectId,
    declared: new Map(roles.map((role) => [role.roleKey, role])),
    change: (role, row) => {
      const data = { projectId, ...role }
      return decideRole(
        row
          ? { type: 'PatchProjectRole', data }
          : { type: 'AddProjectRole', data: compiled(AddProjectRole.shape.data).parse(data) },
        row,
      )
    },
    remove: (row) => {
      const data = { projectId, roleKey: RoleKey.parse(row.roleKey) }
      return decideRole({ type: 'RemoveProjectRole', data }, row)
    },
  })
}

const decideRole = (
  command: ProjectRoleCommand,
  row: ProjectRole | undefined,
): readonly PlannedEvent[] => {
  // No rule depends on the generation of the role.
  const state: ProjectRoleState = row
    ? { ...row, status: row.state, since: 1 }
    : projectRole.initialState
  const decision = projectRole.decide(command, state)
  if (decision.isErr()) throw new Fault(decision.error)
  return plannedEvents(decision.value)
}

/** The roles that declared grants may name: those that are there, and what is planned of them. */
interface PlannedRoles {
  readonly rows: Rows<'project_role'>
  readonly roles: readonly PendingChange[]
}

const planGrants = async (
  runtime: Runtime,
  call: AdmittedCall,
  { desired, index, rows: roleRows, roles, ...options }: DeclaredProject & PlannedRoles,
): Promise<Result<readonly PendingChange[], NotFound | InvalidArgument>> => {
  const { orgId } = call
  const { id: projectId, grants } = desired
  if (grants === undefined) return ok([])
  const own = grants.findIndex(({ grantedOrgId }) => grantedOrgId === orgId)
  if (own >= 0)
    return err(
      invalid(
        `projects[${index}].grants[${own}].grantedOrgId`,
        'must not be the organization that owns the project',
      ),
    )
  const type = 'project_grant'
  const { isNew, prune } = options
  const declared = new Map<string, ParsedGrant>(grants.map((grant) => [grant.grantedOrgId, grant]))
  const isWanted = (key: string) => prune || declared.has(key)
  const { isThere, isRemoved, isLeftToNewer } = afterwards({ rows: roleRows, roles })
  const planned = await planEach(runtime, call, {
    ...options,
    type,
    projectId,
    declared,
    rows: isNew ? new Map() : await rowsIn(runtime, { type, orgId, projectId }, isWanted),
    change: (grant, row) => {
      // A role that is removed before the grant is recorded needs no event of the grant.
      const held = row?.roleKeys.filter((roleKey) => !isRemoved(roleKey))
      if (held && sameRoles(held, grant.roleKeys)) return []
      const given = row ? 'project_grant.updated' : 'project_grant.added'
      return [{ type: given, schemaVersion: schemaVersionOf(given), data: { projectId, ...grant } }]
    },
    remove: (row) => {
      const data = { projectId, grantedOrgId: OrgId.parse(row.grantedOrgId) }
      return plannedEvents([{ type: 'project_grant.removed', data }])
    },
  })

  const changes: PendingChange[] = []
  for (const [place, pending] of planned.entries()) {
    const { action, object } = pending.change
    const named = action === 'superseded' ? [] : (grants[place]?.roleKeys ?? [])
    const missing = named.filter((roleKey) => !isThere(roleKey))
    const absent = missing.find((roleKey) => !isLeftToNewer(roleKey))
    if (absent !== undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey: absent } })
    changes.push(missing.length > 0 ? superseded({ ...pending, object }) : pending)
  }
  return ok(changes)
}

/** Whether a role is there after the changes of roles, is removed by them, or is left to a newer version. */
const afterwards = ({ rows, roles }: PlannedRoles) => {
  const actions = new Map(
    roles.map(({ change: { action, object } }) => [
      aggregates.project_role.key(object, ''),
      action,
    ]),
  )
  const isLeftToNewer = (roleKey: string) => actions.get(roleKey) === 'superseded'
  const isRemoved = (roleKey: string) => actions.get(roleKey) === 'remove'
  const isThere = (roleKey: string) =>
    !actions.has(roleKey) || isLeftToNewer(roleKey) ? rows.has(roleKey) : !isRemoved(roleKey)
  return { isThere, isRemoved, isLeftToNewer }
}

/** Reads those objects of a project whose keys are wanted. */
const rowsIn = async <Type extends ContentType>(
  runtime: Runtime,
  wanted: { readonly type: Type; readonly orgId: string; readonly projectId: string },
  isWanted: (key: string) => boolean,
): Promise<Rows<Type>> => {
  const { type, orgId } = wanted
  const rows = new Map<string, Views[Type]>()
  for await (const row of allObjects(runtime, wanted)) {
    const key = aggregates[type].key(row, orgId)
    if (isWanted(key)) rows.set(key, row)
  }
  return rows
}

/** Objects of one type that a desired state declares for a project, and how each is planned. */
interface DeclaredContents<Type extends ContentType, Declared>
  extends Pick<DeclaredProject, 'isNew' | 'prune' | 'marks'> {
  readonly type: Type
  readonly projectId: ProjectId
  /** By their keys in the project, in the declared order. */
  readonly declared: ReadonlyMap<string, Declared>
  /** Those of `declared` that exist, and with `prune` all others. */
  readonly rows: Rows<Type>
  /** The events that a declared object needs; `row` is absent when it does not exist. */
  readonly change: (declared: Declared, row: Views[Type] | undefined) => readonly PlannedEvent[]
  readonly remove: (row: Views[Type]) => readonly PlannedEvent[]
}

/** The changes of objects of one type in a project: first of what is declared, then the removals. */
const planEach = async <Type extends ContentType, Declared>(
  runtime: Runtime,
  { orgId }: AdmittedCall,
  contents: DeclaredContents<Type, Declared>,
): Promise<readonly PendingChange[]> => {
  const { type, projectId, declared, rows, isNew, prune, marks: own } = contents
  const undeclared = prune ? [...rows].filter(([key]) => !declared.has(key)) : []
  const refOf = (key: string): ObjectRef => aggregates[type].refOfKey(key, projectId)
  const streamOfKey = (key: string) => streamOf(orgId, refOf(key))
  const keys = [...declared.keys(), ...undeclared.map(([key]) => key)]
  const marks = await marksOn(runtime, own, isNew ? [] : keys.map(streamOfKey))

  const changes = [...declared].map(([key, each]) => {
    const found = marks.get(streamOfKey(key))
    const row = rows.get(key)
    const current = currentObject(refOf(key), row)
    if (isSuperseded(own, found)) return superseded(current)
    const planned = changeBy(contents.change(each, row), current)
    return row ? planned : { ...planned, lastEvent: found?.lastEvent }
  })
  const removals = undeclared.flatMap(([key, row]) => {
    const found = marks.get(streamOfKey(key))
    if (found?.managedBy !== own.managedBy) return []
    const current = currentObject(refOf(key), row)
    return isSuperseded(own, found) ? superseded(current) : removalBy(contents.remove(row), current)
  })
  return [...changes, ...removals]
}

const currentObject = (object: ObjectRef, row: Views[ContentType] | undefined): CurrentObject => {
  if (!row) return { object }
  const { details, ...values } = row
  return { object, details, values }
}

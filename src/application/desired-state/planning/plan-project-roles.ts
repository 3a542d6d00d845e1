import { compiled } from '../../../domain/compiled.js'
import { AddProjectRole, type ProjectRoleCommand } from '../../../domain/project-role/commands.js'
import { type ProjectRoleState, projectRole } from '../../../domain/project-role/decider.js'
import { projectRoleStream } from '../../../domain/project-role/events.js'
import { type ProjectId, RoleKey } from '../../../domain/values.js'
import type { ProjectRole } from '../../../ports/read-model.js'
import { Fault } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { allObjects } from '../../reading/all-objects.js'
import type { Marks } from '../../recording/metadata.js'
import { newEvent } from '../../recording/snapshot.js'
import type { Runtime } from '../../runtime.js'
import type { ParsedProject, ParsedRole } from '../declared/desired-project.js'
import { isSuperseded, marksOn } from './object-marks.js'
import { type CurrentObject, changeBy, type PendingChange, superseded } from './pending-change.js'

/** A declared project, and the options of its desired state. */
export interface DeclaredProject {
  readonly desired: ParsedProject
  readonly prune: boolean
  readonly marks: Marks
}

/**
 * The changes of the roles of a project: first the declared roles, then the removals.
 *
 * @param declared.isNew - the project has never existed, so it has no roles to read
 */
export const planProjectRoles = async (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  declared: DeclaredProject & { readonly isNew: boolean },
): Promise<readonly PendingChange[]> => {
  const { desired, prune, marks: own, isNew } = declared
  const { id: projectId, roles } = desired
  if (roles === undefined) return []
  if (isNew) return roles.map((role) => planRole(projectId, role, undefined))
  const roleKeys = new Set<string>(roles.map(({ roleKey }) => roleKey))
  const rows = new Map<string, ProjectRole>()
  for await (const row of allObjects(runtime, { type: 'project_role', orgId, projectId }))
    if (prune || roleKeys.has(row.roleKey)) rows.set(row.roleKey, row)
  const streamOf = (roleKey: string) => projectRoleStream(orgId, projectId, roleKey)
  const streams = [...new Set([...roleKeys, ...rows.keys()])].map(streamOf)
  const marks = await marksOn(runtime, own, streams)

  const changes = roles.map((role) => {
    const { roleKey } = role
    const row = rows.get(roleKey)
    const roleMarks = marks.get(streamOf(roleKey))
    if (isSuperseded(own, roleMarks)) return superseded(currentRole(projectId, roleKey, row))
    const planned = planRole(projectId, role, row)
    return row ? planned : { ...planned, lastEvent: roleMarks?.lastEvent }
  })
  const removals = [...rows.values()].flatMap((row) => {
    const roleMarks = marks.get(streamOf(row.roleKey))
    if (roleKeys.has(row.roleKey) || roleMarks?.managedBy !== own.managedBy) return []
    return isSuperseded(own, roleMarks)
      ? superseded(currentRole(projectId, row.roleKey, row))
      : removeRole(projectId, row)
  })
  return [...changes, ...removals]
}

const planRole = (projectId: ProjectId, role: ParsedRole, row: ProjectRole | undefined) => {
  const data = { projectId, ...role }
  return decide(
    row
      ? { type: 'PatchProjectRole', data }
      : { type: 'AddProjectRole', data: compiled(AddProjectRole.shape.data).parse(data) },
    row,
  )
}

const removeRole = (projectId: ProjectId, row: ProjectRole) =>
  decide(
    { type: 'RemoveProjectRole', data: { projectId, roleKey: RoleKey.parse(row.roleKey) } },
    row,
  )

const decide = (command: ProjectRoleCommand, row: ProjectRole | undefined): PendingChange => {
  const { projectId, roleKey } = command.data
  const state: ProjectRoleState = row ? { ...row, status: row.state } : projectRole.initialState
  const decision = projectRole.decide(command, state)
  if (decision.isErr()) throw new Fault(decision.error)
  const events = decision.value.map((event) => newEvent(projectRole, event))
  return changeBy(events, currentRole(projectId, roleKey, row))
}

const currentRole = (
  projectId: ProjectId,
  roleKey: string,
  row: ProjectRole | undefined,
): CurrentObject => {
  const object = { type: 'project_role', projectId, roleKey } as const
  if (!row) return { object }
  const { details, ...values } = row
  return { object, details, values }
}

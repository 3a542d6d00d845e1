import type { ProjectRoleCommand } from '../../../domain/project-role/commands.js'
import { type ProjectRoleState, projectRole } from '../../../domain/project-role/decider.js'
import { projectRoleStream } from '../../../domain/project-role/events.js'
import { type ProjectId, RoleKey } from '../../../domain/values.js'
import type { NewEvent } from '../../../ports/event-store.js'
import type { ProjectRole } from '../../../ports/read-model.js'
import { Fault } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { allObjects } from '../../reading/all-objects.js'
import { newEvent } from '../../recording/new-event.js'
import type { Runtime } from '../../runtime.js'
import type { Manager } from '../declared/access-version.js'
import type { ParsedProject, ParsedRole } from '../declared/desired-project.js'
import { fieldChanges } from '../plan/planned-field.js'
import { type Draft, draft, superseded } from './draft.js'
import { isSuperseded, type Marks, marksOn } from './marks.js'

/** A declared project, and what goes for its whole desired state. */
export interface ProjectToPlan {
  readonly desired: ParsedProject
  readonly prune: boolean
  readonly manager: Manager
}

/**
 * What makes the roles of a project as desired: the declared ones as declared, then removals.
 *
 * @param toPlan.isNew - that there never was such a project, so that no role of it is looked for
 */
export const planProjectRoles = async (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  toPlan: ProjectToPlan & { readonly isNew: boolean },
): Promise<readonly Draft[]> => {
  const { desired, prune, manager, isNew } = toPlan
  const { id, roles } = desired
  if (roles === undefined) return []
  if (isNew) return roles.map((role) => change(id, role, {}))
  const declared = new Set<string>(roles.map(({ roleKey }) => roleKey))
  const rows = new Map<string, ProjectRole>()
  for await (const row of allObjects(runtime, { type: 'project_role', orgId, projectId: id }))
    if (prune || declared.has(row.roleKey)) rows.set(row.roleKey, row)
  const streamOf = (roleKey: string) => projectRoleStream(orgId, id, roleKey)
  const streams = [...new Set([...declared, ...rows.keys()])].map(streamOf)
  const marks = await marksOn(runtime, manager, streams)

  const toChange = roles.map((role) => {
    const found = { row: rows.get(role.roleKey), marks: marks.get(streamOf(role.roleKey)) }
    return isSuperseded(manager, found.marks)
      ? left(id, role.roleKey, found.row)
      : change(id, role, found)
  })
  const toRemove = [...rows.values()].flatMap((row) => {
    const { roleKey } = row
    const own = marks.get(streamOf(roleKey))
    if (declared.has(roleKey) || own?.managedBy !== manager.managedBy) return []
    return isSuperseded(manager, own) ? left(id, roleKey, row) : removal(id, row)
  })
  return [...toChange, ...toRemove]
}

/** A role as it is in the read model, and what desired states left on it; absent when there is none. */
interface FoundRole {
  readonly row?: ProjectRole | undefined
  readonly marks?: Marks | undefined
}

const change = (projectId: ProjectId, role: ParsedRole, { row, marks }: FoundRole): Draft => {
  const { roleKey, displayName } = role
  const shown = { displayName, group: role.group ?? row?.group ?? '' }
  const data = { projectId, roleKey, ...shown }
  const drafted = draft({
    object: { type: 'project_role', projectId, roleKey },
    fields: fieldChanges(row, shown),
    events: decide({ type: row ? 'UpdateProjectRole' : 'AddProjectRole', data }, row),
    details: row?.details,
  })
  return row ? drafted : { ...drafted, ended: marks?.last }
}

const left = (projectId: ProjectId, roleKey: string, row: ProjectRole | undefined): Draft =>
  superseded({ object: { type: 'project_role', projectId, roleKey }, details: row?.details })

const removal = (projectId: ProjectId, row: ProjectRole): Draft => {
  const roleKey = RoleKey.parse(row.roleKey)
  return draft({
    object: { type: 'project_role', projectId, roleKey },
    fields: [
      { field: 'displayName', from: row.displayName },
      { field: 'group', from: row.group },
    ],
    events: decide({ type: 'RemoveProjectRole', data: { projectId, roleKey } }, row),
    details: row.details,
  })
}

const decide = (command: ProjectRoleCommand, row: ProjectRole | undefined): readonly NewEvent[] => {
  const state: ProjectRoleState = row
    ? { status: 'active', displayName: row.displayName, group: row.group }
    : projectRole.initialState
  const decision = projectRole.decide(command, state)
  if (decision.isErr()) throw new Fault(decision.error)
  return decision.value.map((event) => newEvent(projectRole.upcasters, event))
}

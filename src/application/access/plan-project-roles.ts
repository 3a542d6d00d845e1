import type { ProjectRoleCommand } from '../../domain/project-role/commands.js'
import { type ProjectRoleState, projectRole } from '../../domain/project-role/decider.js'
import { projectRoleStream } from '../../domain/project-role/events.js'
import { type ProjectId, RoleKey } from '../../domain/values.js'
import type { NewEvent } from '../../ports/event-store.js'
import type { ProjectRole } from '../../ports/read-model.js'
import { readBatch } from '../../projections/read-events.js'
import { allObjects } from '../all-objects.js'
import type { Session } from '../context.js'
import { Fault, fromPort } from '../fault.js'
import { newEvent } from '../new-event.js'
import type { Runtime } from '../runtime.js'
import type { ParsedProject, ParsedRole } from './desired-project.js'
import { type Draft, draft, fieldChanges } from './planned-change.js'

/** A declared project, and what goes for its whole desired state. */
export interface ProjectToPlan {
  readonly desired: ParsedProject
  readonly prune: boolean
  readonly managedBy: string | undefined
}

/** What makes the roles of a project as desired: the declared ones as declared, then removals. */
export const planProjectRoles = async (
  runtime: Runtime,
  { orgId }: Session,
  { desired: { id, roles }, prune, managedBy }: ProjectToPlan,
): Promise<readonly Draft[]> => {
  if (roles === undefined) return []
  const declared = new Set<string>(roles.map(({ roleKey }) => roleKey))
  const found = new Map<string, ProjectRole>()
  const removals: Draft[] = []
  for await (const row of allObjects(runtime, { type: 'project_role', orgId, projectId: id })) {
    const { roleKey } = row
    if (declared.has(roleKey)) found.set(roleKey, row)
    else if (
      prune &&
      managedBy === (await managerOf(runtime, projectRoleStream(orgId, id, roleKey)))
    )
      removals.push(removal(id, row))
  }
  return [...roles.map((role) => change(id, role, found.get(role.roleKey))), ...removals]
}

const change = (projectId: ProjectId, role: ParsedRole, row: ProjectRole | undefined): Draft => {
  const { roleKey, displayName } = role
  const shown = { displayName, group: role.group ?? row?.group ?? '' }
  const data = { projectId, roleKey, ...shown }
  return draft({
    object: { type: 'project_role', projectId, roleKey },
    fields: fieldChanges(row, shown),
    events: decide({ type: row ? 'UpdateProjectRole' : 'AddProjectRole', data }, row),
    details: row?.details,
  })
}

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

/**
 * The marker that a role carries: the last one that was recorded with it since it was added. So a
 * change by hand does not take a role away from the desired state that manages it.
 */
const managerOf = async (
  { store }: Runtime,
  stream: ReturnType<typeof projectRoleStream>,
): Promise<string | undefined> => {
  const { known: events, unreadable } = readBatch(await fromPort(() => store.readStream(stream)))
  if (unreadable) throw new Fault(unreadable)
  const added = events.findLastIndex(({ type }) => type === 'project_role.added')
  const marked = events.slice(added).findLast(({ metadata }) => metadata.managedBy !== undefined)
  return marked?.metadata.managedBy
}

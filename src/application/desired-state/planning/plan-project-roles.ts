import { compiled } from '../../../domain/message.js'
import { AddProjectRole, type ProjectRoleCommand } from '../../../domain/project-role/commands.js'
import { type ProjectRoleState, projectRole } from '../../../domain/project-role/decider.js'
import { RoleKey } from '../../../domain/values.js'
import type { NewEvent } from '../../../ports/event-store.js'
import type { ProjectRole } from '../../../ports/read-model.js'
import { Fault } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { newEvent } from '../../recording/stream-state.js'
import type { Runtime } from '../../runtime.js'
import type { PendingChange } from './pending-change.js'
import { type DeclaredProject, planContents, type Rows } from './plan-contents.js'

/** The changes of the roles of a project: first the declared roles, then the removals. */
export const planProjectRoles = async (
  runtime: Runtime,
  call: AdmittedCall,
  { desired, ...options }: DeclaredProject & { readonly rows: Rows<'project_role'> },
): Promise<readonly PendingChange[]> => {
  const { id: projectId, roles } = desired
  if (roles === undefined) return []
  return planContents(runtime, call, {
    ...options,
    type: 'project_role',
    projectId,
    declared: new Map(roles.map((role) => [role.roleKey, role])),
    change: (role, row) => {
      const data = { projectId, ...role }
      return decide(
        row
          ? { type: 'PatchProjectRole', data }
          : { type: 'AddProjectRole', data: compiled(AddProjectRole.shape.data).parse(data) },
        row,
      )
    },
    remove: (row) => {
      const data = { projectId, roleKey: RoleKey.parse(row.roleKey) }
      return decide({ type: 'RemoveProjectRole', data }, row)
    },
  })
}

const decide = (command: ProjectRoleCommand, row: ProjectRole | undefined): readonly NewEvent[] => {
  // No rule depends on the generation of the role.
  const state: ProjectRoleState = row
    ? { ...row, status: row.state, since: 1 }
    : projectRole.initialState
  const decision = projectRole.decide(command, state)
  if (decision.isErr()) throw new Fault(decision.error)
  return decision.value.map((event) => newEvent(projectRole, event))
}

import type { Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { AddProject } from '../../domain/project/commands.js'
import { type ProjectAdded, projectStream } from '../../domain/project/events.js'
import type { Session } from '../context.js'
import type { IamError } from '../errors.js'
import type { Runtime } from '../runtime.js'
import { detailsOf } from '../tracked.js'
import type { ParsedProject } from './desired-project.js'
import { type ProjectToPlan, planProjectRoles } from './plan-project-roles.js'
import { type Draft, draft, fieldChanges } from './planned-change.js'

/** What makes a project and its roles as desired: the project first. Refused: a removed one's id. */
export const planProject = async (
  runtime: Runtime,
  session: Session,
  toPlan: ProjectToPlan,
): Promise<Result<readonly Draft[], IamError>> => {
  const { desired } = toPlan
  const { id } = desired
  const project = runtime.projects.track(projectStream(session.orgId, id))
  await project.refresh()
  const { state, snapshot } = project
  const found = exists(state) ? state : undefined
  const settings = settingsOf(desired, found)
  const type = found ? 'UpdateProject' : 'AddProject'
  const decision = project.decide({ type, data: { id, ...settings } })
  const roles = await planProjectRoles(runtime, session, toPlan)
  return decision.map((events) => [
    draft({
      object: { type: 'project', id },
      fields: fieldChanges(found, settings),
      events,
      details: found && detailsOf(snapshot, session.orgId),
    }),
    ...roles,
  ])
}

/** Name and settings as they are to be: what is not declared stays what it is, or has its default. */
const settingsOf = (
  { id, name, settings = {} }: ParsedProject,
  found: ProjectAdded['data'] | undefined,
) => {
  const base = found ?? AddProject.shape.data.parse({ id, name })
  return {
    name,
    projectRoleAssertion: settings.projectRoleAssertion ?? base.projectRoleAssertion,
    projectRoleCheck: settings.projectRoleCheck ?? base.projectRoleCheck,
    hasProjectCheck: settings.hasProjectCheck ?? base.hasProjectCheck,
    privateLabelingSetting: settings.privateLabelingSetting ?? base.privateLabelingSetting,
  }
}

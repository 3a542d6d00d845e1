import { ok, type Result } from 'neverthrow'
import { exists } from '../../../domain/decider.js'
import { AddProject } from '../../../domain/project/commands.js'
import { type ProjectAdded, projectStream } from '../../../domain/project/events.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { detailsOf } from '../../recording/tracked.js'
import type { Runtime } from '../../runtime.js'
import type { ParsedProject } from '../declared/desired-project.js'
import { fieldChanges } from '../plan/planned-field.js'
import { blocked, type Draft, draft, superseded } from './draft.js'
import { isSuperseded, marksOn } from './marks.js'
import { type ProjectToPlan, planProjectRoles } from './plan-project-roles.js'

/** What makes a project and its roles as desired: the project first. */
export const planProject = async (
  runtime: Runtime,
  call: AdmittedCall,
  toPlan: ProjectToPlan,
): Promise<Result<readonly Draft[], IamError>> => {
  const { desired, manager } = toPlan
  const { id } = desired
  const object = { type: 'project', id } as const
  const stream = projectStream(call.orgId, id)
  const project = runtime.projects.track(stream)
  await project.refresh()
  const { state, snapshot } = project
  if (state.status === 'removed') return ok([blocked(object), ...blockedRoles(desired)])
  const found = exists(state) ? state : undefined
  const details = found && detailsOf(snapshot, call.orgId)
  const roles = await planProjectRoles(runtime, call, { ...toPlan, isNew: !found })
  const marks = await marksOn(runtime, manager, [stream])
  if (isSuperseded(manager, marks.get(stream)))
    return ok([superseded({ object, details }), ...roles])
  const settings = settingsOf(desired, found)
  const type = found ? 'UpdateProject' : 'AddProject'
  return project
    .decide({ type, data: { id, ...settings } })
    .map((events) => [
      draft({ object, fields: fieldChanges(found, settings), events, details }),
      ...roles,
    ])
}

const blockedRoles = ({ id, roles = [] }: ParsedProject): readonly Draft[] =>
  roles.map(({ roleKey }) => blocked({ type: 'project_role', projectId: id, roleKey }))

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

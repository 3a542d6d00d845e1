import { ok, type Result } from 'neverthrow'
import { exists } from '../../../domain/decider.js'
import { AddProject } from '../../../domain/project/commands.js'
import { project } from '../../../domain/project/decider.js'
import { projects } from '../../../domain/project/kind.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { detailsOf, record } from '../../recording/snapshot.js'
import type { Runtime } from '../../runtime.js'
import { isSuperseded, marksOn } from './object-marks.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  type PendingChange,
  superseded,
} from './pending-change.js'
import { type DeclaredProject, planProjectRoles } from './plan-project-roles.js'

/** The changes of a project and its roles, the project first. */
export const planProject = async (
  runtime: Runtime,
  call: AdmittedCall,
  declared: DeclaredProject,
): Promise<Result<readonly PendingChange[], IamError>> => {
  const { desired, marks } = declared
  const { id, name, settings, roles = [] } = desired
  const object = { type: 'project', id } as const
  const before = await runtime.ledger.read(projects, call.orgId, { id })
  const { name: stream, state } = before
  if (state.status === 'removed') {
    const refs = roles.map(
      ({ roleKey }) => ({ type: 'project_role', projectId: id, roleKey }) as const,
    )
    return ok([object, ...refs].map(blocked))
  }
  const current: CurrentObject = exists(state)
    ? { object, details: detailsOf(before, call.orgId), values: state }
    : { object }
  const isNew = !exists(state)
  const roleChanges = await planProjectRoles(runtime, call, { ...declared, isNew })
  if (isSuperseded(marks, (await marksOn(runtime, marks, [stream])).get(stream)))
    return ok([superseded(current), ...roleChanges])
  const data = { id, name, ...settings }
  return project
    .decide(
      isNew
        ? { type: 'AddProject', data: AddProject.shape.data.parse(data) }
        : { type: 'PatchProject', data },
      state,
    )
    .map((events) => [changeBy(record(before, events).events, current), ...roleChanges])
}

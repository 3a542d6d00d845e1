import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import { projects } from '../../../domain/project/aggregate.js'
import { AddProject } from '../../../domain/project/commands.js'
import { project } from '../../../domain/project/decider.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { detailsOf } from '../../recording/stream-state.js'
import type { Runtime } from '../../runtime.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  isSuperseded,
  marksOn,
  type PendingChange,
  plannedEvents,
  superseded,
} from './pending-change.js'
import { type DeclaredProject, planContents } from './plan-contents.js'

/** The changes of a project, then of its roles, then of its grants. */
export const planProject = async (
  runtime: Runtime,
  call: AdmittedCall,
  declared: Omit<DeclaredProject, 'isNew'>,
): Promise<Result<readonly PendingChange[], IamError>> => {
  const { desired, marks } = declared
  const { id, name, settings, roles = [], grants = [] } = desired
  const object = { type: 'project', id } as const
  const before = await runtime.states.readLatest(projects, call.orgId, { id })
  const { name: stream, state } = before
  if (state.status === 'removed') {
    const refs = [
      ...roles.map(({ roleKey }) => aggregates.project_role.refOfKey(roleKey, id)),
      ...grants.map(({ grantedOrgId }) => aggregates.project_grant.refOfKey(grantedOrgId, id)),
    ]
    return ok([object, ...refs].map(blocked))
  }
  const isNew = !exists(state)
  const current: CurrentObject = isNew
    ? { object }
    : { object, details: detailsOf(before, call.orgId), values: state }
  const contents = await planContents(runtime, call, { ...declared, isNew })
  if (contents.isErr()) return err(contents.error)
  if (isSuperseded(marks, (await marksOn(runtime, marks, [stream])).get(stream)))
    return ok([superseded(current), ...contents.value])
  const data = { id, name, ...settings }
  return project
    .decide(
      isNew
        ? { type: 'AddProject', data: AddProject.shape.data.parse(data) }
        : { type: 'PatchProject', data },
      state,
    )
    .map((events) => [changeBy(plannedEvents(events), current), ...contents.value])
}

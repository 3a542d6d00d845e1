import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import { projects } from '../../../domain/project/aggregate.js'
import { AddProject } from '../../../domain/project/commands.js'
import { project } from '../../../domain/project/decider.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { change, detailsOf } from '../../recording/stream-state.js'
import type { Runtime } from '../../runtime.js'
import { isSuperseded, marksOn } from './object-marks.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  type PendingChange,
  superseded,
} from './pending-change.js'
import { type DeclaredProject, type Rows, rowsIn } from './plan-contents.js'
import { planProjectGrants } from './plan-project-grants.js'
import { planProjectRoles } from './plan-project-roles.js'

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
  const current: CurrentObject = exists(state)
    ? { object, details: detailsOf(before, call.orgId), values: state }
    : { object }
  const isNew = !exists(state)
  const rows = isNew ? new Map() : await roleRows(runtime, call, declared)
  const changes = await planProjectRoles(runtime, call, { ...declared, isNew, rows })
  const grantChanges = await planProjectGrants(runtime, call, {
    ...declared,
    isNew,
    roles: { rows, changes },
  })
  if (grantChanges.isErr()) return err(grantChanges.error)
  const contents = [...changes, ...grantChanges.value]
  if (isSuperseded(marks, (await marksOn(runtime, marks, [stream])).get(stream)))
    return ok([superseded(current), ...contents])
  const data = { id, name, ...settings }
  return project
    .decide(
      isNew
        ? { type: 'AddProject', data: AddProject.shape.data.parse(data) }
        : { type: 'PatchProject', data },
      state,
    )
    .map((events) => [changeBy(change(before, events).events, current), ...contents])
}

/** The roles of a project that are declared, that a declared grant names, or that may be pruned. */
const roleRows = async (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  { desired: { id: projectId, roles, grants = [] }, prune }: Omit<DeclaredProject, 'isNew'>,
): Promise<Rows<'project_role'>> => {
  const keys = new Set<string>(roles?.map(({ roleKey }) => roleKey))
  for (const { roleKeys } of grants) for (const roleKey of roleKeys) keys.add(roleKey)
  if (roles === undefined && keys.size === 0) return new Map()
  const isWanted = (key: string) => (prune && roles !== undefined) || keys.has(key)
  return rowsIn(runtime, { type: 'project_role', orgId, projectId }, isWanted)
}

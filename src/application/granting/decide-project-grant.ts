import { err, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { livingProjectGrant, projectGrant } from '../../domain/project-grant/decider.js'
import type { ProjectGrantRole } from '../../domain/project-grant/events.js'
import { OrgId, type ProjectId, type RoleKey } from '../../domain/values.js'
import { invalid, type WriteError } from '../errors/errors.js'
import { record, type StreamRecord } from '../recording/snapshot.js'
import type { View } from '../recording/view.js'
import { roleIsInLife, roleLives } from './lives.js'

/** A grant of a project that is to be added, or to have its roles replaced. */
export interface GivenGrant {
  readonly type: 'AddProjectGrant' | 'UpdateProjectGrant'
  readonly projectId: ProjectId
  readonly grantedOrgId: OrgId
  readonly roleKeys: readonly RoleKey[]
}

/** Reads a grant of a project that the organization of `view` owns, and the lives of its roles. */
export const livingProjectGrantIn = (
  view: View,
  ids: Pick<GivenGrant, 'projectId' | 'grantedOrgId'>,
) => {
  const before = view.read(projectGrants, ids)
  const projectOrgId = OrgId.parse(view.orgId)
  const roleSince = roleLives(view, { projectOrgId, projectId: ids.projectId })
  const isLiving = roleIsInLife(view, { projectOrgId, projectId: ids.projectId })
  return { before, roleSince, state: livingProjectGrant(before.state, isLiving) }
}

/** Decides on a grant of a project with the present lives of its roles, which must exist. */
export const decideProjectGrant = (
  view: View,
  { type, projectId, grantedOrgId, roleKeys }: GivenGrant,
): Result<StreamRecord, WriteError> => {
  const ids = { projectId, grantedOrgId }
  if (grantedOrgId === view.orgId)
    return err(invalid('grantedOrgId', 'must not be the organization that owns the project'))
  const project = { type: 'project', id: projectId } as const
  const isMissing = !exists(view.read(projects, project).state)
  const { before, roleSince, state } = livingProjectGrantIn(view, ids)
  const found = roleKeys.map((roleKey) => ({ roleKey, since: roleSince(roleKey) }))
  if (isMissing) return err({ kind: 'NotFound', object: project })
  const roles: ProjectGrantRole[] = []
  for (const { roleKey, since } of found) {
    if (since === undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey } })
    roles.push({ roleKey, roleSince: since })
  }
  return projectGrant
    .decide({ type, data: { ...ids, roles } }, state)
    .map((events) => record(before, events))
}

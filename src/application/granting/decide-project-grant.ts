import { err, type Result } from 'neverthrow'
import { rolesToGive } from '../../domain/generations.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { currentProjectGrant, projectGrant } from '../../domain/project-grant/decider.js'
import { OrgId, type ProjectId, type RoleKey } from '../../domain/values.js'
import { type IamError, invalid } from '../errors/errors.js'
import { record, type StreamRecord } from '../recording/snapshot.js'
import type { View } from '../recording/view.js'
import { readIsCurrent, readProject } from './lives.js'

/** A grant of a project that is to be added, or to have its roles replaced. */
export interface GivenGrant {
  readonly type: 'AddProjectGrant' | 'UpdateProjectGrant'
  readonly projectId: ProjectId
  readonly grantedOrgId: OrgId
  readonly roleKeys: readonly RoleKey[]
}

/** Reads a grant of a project that the organization of `view` owns, without the roles that have ended. */
export const currentProjectGrantIn = (
  view: View,
  ids: Pick<GivenGrant, 'projectId' | 'grantedOrgId'>,
) => {
  const before = view.read(projectGrants, ids)
  const projectOrgId = OrgId.parse(view.orgId)
  const isCurrent = readIsCurrent(view, { projectOrgId, projectId: ids.projectId })
  return { before, state: currentProjectGrant(before.state, isCurrent) }
}

/** Decides on a grant of a project with the current generations of its roles, which must exist. */
export const decideProjectGrant = (
  view: View,
  { type, projectId, grantedOrgId, roleKeys }: GivenGrant,
): Result<StreamRecord, IamError> => {
  const ids = { projectId, grantedOrgId }
  if (grantedOrgId === view.orgId)
    return err(invalid('grantedOrgId', 'must not be the organization that owns the project'))
  const project = readProject(view, { projectOrgId: OrgId.parse(view.orgId), projectId })
  const { before, state } = currentProjectGrantIn(view, ids)
  return rolesToGive(
    project,
    roleKeys.map((roleKey) => ({ roleKey })),
  )
    .andThen((roles) => projectGrant.decide({ type, data: { ...ids, roles } }, state))
    .map((events) => record(before, events))
}

import { err, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { rolesToGive } from '../../domain/generations.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { type ProjectGrantState, projectGrant } from '../../domain/project-grant/decider.js'
import { OrgId, type ProjectId, type RoleKey } from '../../domain/values.js'
import { invalid, type WriteError } from '../errors/errors.js'
import { change, type StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { currentRoles, readProject } from './role-generations.js'

/** A grant of a project to add, or with roles to replace. */
export interface ProjectGrantChange {
  readonly type: 'AddProjectGrant' | 'UpdateProjectGrant'
  readonly projectId: ProjectId
  readonly grantedOrgId: OrgId
  readonly roleKeys: readonly RoleKey[]
}

/** Decides on a grant of a project with the current generations of its roles, which must exist. */
export const decideProjectGrant = async (
  streams: Streams,
  { type, projectId, grantedOrgId, roleKeys }: ProjectGrantChange,
): Promise<Result<StreamChange, WriteError>> => {
  if (grantedOrgId === streams.orgId)
    return err(invalid('grantedOrgId', 'must not be the organization that owns the project'))
  const ids = { projectId, grantedOrgId }
  const owned = { projectOrgId: OrgId.parse(streams.orgId), projectId }
  const [before, project] = await Promise.all([
    streams.read(projectGrants, ids),
    readProject(streams, owned, roleKeys),
  ])
  const state = await withCurrentRoles(streams, projectId, before.state)
  return rolesToGive(
    project,
    roleKeys.map((roleKey) => ({ roleKey })),
  )
    .andThen((roles) => projectGrant.decide({ type, data: { ...ids, roles } }, state))
    .map((events) => change(before, events))
}

/** Reads a grant of a project that the organization of the call owns, without the roles that have ended. */
export const readCurrentProjectGrant = async (
  streams: Streams,
  ids: Pick<ProjectGrantChange, 'projectId' | 'grantedOrgId'>,
): Promise<ProjectGrantState> =>
  withCurrentRoles(streams, ids.projectId, (await streams.read(projectGrants, ids)).state)

const withCurrentRoles = async (
  streams: Streams,
  projectId: ProjectId,
  state: ProjectGrantState,
): Promise<ProjectGrantState> => {
  if (!exists(state)) return state
  const owned = { projectOrgId: OrgId.parse(streams.orgId), projectId }
  return { ...state, roles: await currentRoles(streams, owned, state.roles) }
}

import { err, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { type ProjectGrantState, projectGrant } from '../../domain/project-grant/decider.js'
import type { ProjectGrantRole } from '../../domain/project-grant/events.js'
import { OrgId, type ProjectId, type RoleKey } from '../../domain/values.js'
import { type IamError, invalid } from '../errors/errors.js'
import { change, type StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { currentRoles, readGenerations } from './role-generations.js'

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
): Promise<Result<StreamChange, IamError>> => {
  if (grantedOrgId === streams.orgId)
    return err(invalid('grantedOrgId', 'must not be the organization that owns the project'))
  const object = { type: 'project', id: projectId } as const
  const ids = { projectId, grantedOrgId }
  const owned = { projectOrgId: OrgId.parse(streams.orgId), projectId }
  const [project, before, since] = await Promise.all([
    streams.read(projects, object),
    streams.read(projectGrants, ids),
    readGenerations(streams, owned, roleKeys),
  ])
  const state = await currentGrant(streams, ids, before.state)
  if (!exists(project.state)) return err({ kind: 'NotFound', object })
  const roles: ProjectGrantRole[] = []
  for (const roleKey of roleKeys) {
    const roleSince = since.get(roleKey)
    if (roleSince === undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey } })
    roles.push({ roleKey, roleSince })
  }
  return projectGrant
    .decide({ type, data: { ...ids, roles } }, state)
    .map((events) => change(before, events))
}

type GrantIds = Pick<ProjectGrantChange, 'projectId' | 'grantedOrgId'>

/** Reads a grant of a project that the organization of the call owns, without the roles that have ended. */
export const readCurrentProjectGrant = async (
  streams: Streams,
  ids: GrantIds,
): Promise<ProjectGrantState> =>
  currentGrant(streams, ids, (await streams.read(projectGrants, ids)).state)

const currentGrant = async (
  streams: Streams,
  { projectId }: GrantIds,
  state: ProjectGrantState,
): Promise<ProjectGrantState> => {
  if (!exists(state)) return state
  const owned = { projectOrgId: OrgId.parse(streams.orgId), projectId }
  return { ...state, roles: await currentRoles(streams, owned, state.roles) }
}

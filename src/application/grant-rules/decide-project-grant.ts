import { err, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { projectGrant, projectGrants } from '../../domain/project-grant/aggregate.js'
import type { ProjectGrantCommand } from '../../domain/project-grant/command-schemas.js'
import type { ProjectGrantRole } from '../../domain/project-grant/events.js'
import { changedRoleKeys, type RoleGeneration, rolesToGive } from '../../domain/role-generations.js'
import type { OrgId, ProjectGrantRef, ProjectId, RoleKey } from '../../domain/values.js'
import { invalid, type WriteError } from '../errors/errors.js'
import { change } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { currentRoles, type GrantChange, readProject } from './current-roles.js'

/** Names a grant of a project. */
interface GrantIds {
  readonly projectId: ProjectId
  readonly grantedOrgId: OrgId
}

export type ProjectGrantChange = GrantIds &
  (
    | {
        readonly type: 'AddProjectGrant' | 'UpdateProjectGrant'
        /** All its new roles. */
        readonly roleKeys: readonly RoleKey[]
        /** Whether an update is recorded even if the roles stay as they are. */
        readonly isForced?: boolean
      }
    | { readonly type: 'DeactivateProjectGrant' | 'ReactivateProjectGrant' | 'RemoveProjectGrant' }
  )

/** Decides on a grant of a project with the current generations of its roles, which must exist. */
export const decideProjectGrant = async (
  streams: Streams,
  command: ProjectGrantChange,
): Promise<Result<GrantChange, WriteError>> => {
  const { projectId, grantedOrgId } = command
  const roleKeys = givesRoles(command) ? command.roleKeys : undefined
  if (roleKeys && grantedOrgId === streams.orgId)
    return err(invalid('grantedOrgId', 'must not be the organization that owns the project'))
  const ids = { projectId, grantedOrgId }
  const owned = { projectOrgId: streams.orgId, projectId }
  const [before, project] = await Promise.all([
    streams.read(projectGrants, ids),
    readProject(streams, owned, roleKeys ?? []),
  ])
  let { state } = before
  if (roleKeys && exists(state))
    state = { ...state, roles: await currentRoles(streams, owned, state.roles) }
  return rolesToGive(project, roleKeys?.map((roleKey) => ({ roleKey })) ?? [])
    .andThen((roles) =>
      projectGrant.decide(commandOf(command, ids, roles), state).map((events) => {
        const isForced = givesRoles(command) && command.isForced && events.length === 0
        const touch = { type: 'project_grant.updated', data: { ...ids, roles } } as const
        return isForced ? [touch] : events
      }),
    )
    .map((events) => {
      const after = () =>
        events.reduce((last, event) => projectGrant.evolve(last, event, before.version + 1), state)
      return { ...change(before, events), changedRoleKeys: () => changedRoleKeys(state, after()) }
    })
}

type RolesCommand = Extract<ProjectGrantChange, { readonly roleKeys: unknown }>

const givesRoles = (command: ProjectGrantChange): command is RolesCommand =>
  command.type === 'AddProjectGrant' || command.type === 'UpdateProjectGrant'

const commandOf = (
  command: ProjectGrantChange,
  ids: GrantIds,
  roles: readonly RoleGeneration[],
): ProjectGrantCommand =>
  givesRoles(command)
    ? { type: command.type, data: { ...ids, roles } }
    : { type: command.type, data: ids }

/** The current roles of a grant of a project that the organization of the call owns. */
export const readCurrentProjectGrant = async (
  streams: Streams,
  ref: ProjectGrantRef,
): Promise<readonly ProjectGrantRole[]> => {
  const { state } = await streams.read(projectGrants, ref)
  const owned = { projectOrgId: streams.orgId, projectId: ref.projectId }
  return exists(state) ? currentRoles(streams, owned, state.roles) : []
}

import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { changedRoleKeys, rolesToGive } from '../../domain/role-generations.js'
import {
  type RoleMappingState,
  roleMapping,
  roleMappings,
} from '../../domain/role-mapping/aggregate.js'
import type { RoleMappingCommand } from '../../domain/role-mapping/command-schemas.js'
import type { MappedRole } from '../../domain/role-mapping/events.js'
import {
  type GroupName,
  type IdpId,
  MAX_GRANTED_ROLES,
  type OrgId,
  type ProjectId,
  type Resource,
  type RoleKey,
  type RoleMappingRef,
} from '../../domain/values.js'
import { invalid, type WriteError } from '../errors/errors.js'
import { change } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { currentRolesOfUser, type GrantChange, readProject } from './current-roles.js'

/** A group of a provider, and a project; its owner is the organization of the call when absent. */
export interface GroupOfProject {
  readonly idpId: IdpId
  readonly group: GroupName
  readonly projectId: ProjectId
  readonly projectOrgId?: OrgId | undefined
  /** Absent for the whole project. */
  readonly resource?: Resource | undefined
}

export type RoleMappingChange = GroupOfProject &
  (
    | {
        readonly type: 'AddRoleMapping' | 'UpdateRoleMapping'
        readonly roleKeys: readonly RoleKey[]
        readonly validFor?: number | undefined
        /** Whether an update is recorded even if nothing changes. */
        readonly isForced?: boolean
      }
    | {
        readonly type: 'AddRoleMappingRoles' | 'RemoveRoleMappingRoles'
        readonly roleKeys: readonly RoleKey[]
      }
    | { readonly type: 'RemoveRoleMapping' }
  )

/** Decides on a mapping with the current generations of its roles. Its provider and its project must exist. */
export const decideRoleMapping = async (
  streams: Streams,
  command: RoleMappingChange,
): Promise<Result<GrantChange, WriteError>> => {
  const ids = mappingIds(streams, command)
  const isNew = command.type === 'AddRoleMapping'
  const roleKeys =
    command.type === 'RemoveRoleMapping' || command.type === 'RemoveRoleMappingRoles'
      ? []
      : command.roleKeys
  const [before, provider, project] = await Promise.all([
    streams.read(roleMappings, ids, isNew ? { load: 'assume-empty' } : {}),
    streams.read(identityProviders, ids),
    readProject(streams, ids, roleKeys),
  ])
  let { state } = before
  if (exists(state))
    state = { ...state, roles: await currentRolesOfUser(streams, ids, project, state.roles) }
  if (!exists(provider.state))
    return err({
      kind: 'NotFound',
      object: isNew ? identityProviders.ref(ids) : roleMappings.ref(ids),
    })
  const roles = roleKeys.length > 0 ? rolesToGive(project, roleKeys.map(asInput)) : ok([])
  if (roles.isErr()) return err(roles.error)
  if (!exists(project.project)) return err({ kind: 'NotFound', object: roleMappings.ref(ids) })
  if (command.type === 'AddRoleMappingRoles' && exists(state)) {
    const held = new Set([...state.roles.map(({ roleKey }) => roleKey), ...roleKeys])
    if (held.size > MAX_GRANTED_ROLES)
      return err(
        invalid('roleKeys', `must leave the mapping with at most ${MAX_GRANTED_ROLES} roles`),
      )
  }
  const resolved = commandOf(command, ids, roles.value)
  return roleMapping.decide(resolved, state).map((decided) => {
    const isForced =
      resolved.type === 'UpdateRoleMapping' && 'isForced' in command && command.isForced
    const events =
      isForced && decided.length === 0
        ? [{ type: 'role_mapping.updated', data: resolved.data } as const]
        : decided
    const after = () =>
      events.reduce<RoleMappingState>((last, event) => roleMapping.evolve(last, event, 0), state)
    return { ...change(before, events), changedRoleKeys: () => changedRoleKeys(state, after()) }
  })
}

/** The current roles of a mapping; undefined if its provider or project does not exist. */
export const readCurrentMapping = async (
  streams: Streams,
  ref: RoleMappingRef,
): Promise<readonly MappedRole[] | undefined> => {
  const owned = { ...ref, projectOrgId: ref.projectOrgId ?? streams.orgId }
  const [{ state }, provider, project] = await Promise.all([
    streams.read(roleMappings, ref),
    streams.read(identityProviders, ref),
    readProject(streams, owned, []),
  ])
  if (!exists(provider.state) || !exists(project.project)) return undefined
  return exists(state) ? currentRolesOfUser(streams, owned, project, state.roles) : []
}

type MappingIds = GroupOfProject & { readonly projectOrgId: OrgId; readonly resource?: Resource }

const mappingIds = (
  streams: Streams,
  { idpId, group, projectId, projectOrgId = streams.orgId, resource }: GroupOfProject,
): MappingIds => ({
  idpId,
  group,
  projectId,
  projectOrgId,
  ...(resource !== undefined && { resource }),
})

const asInput = (roleKey: RoleKey) => ({ roleKey })

const commandOf = (
  command: RoleMappingChange,
  ids: MappingIds,
  roles: readonly MappedRole[],
): RoleMappingCommand => {
  switch (command.type) {
    case 'AddRoleMapping':
    case 'UpdateRoleMapping': {
      const { type, validFor } = command
      return { type, data: { ...ids, roles, ...(validFor !== undefined && { validFor }) } }
    }
    case 'AddRoleMappingRoles':
      return { type: command.type, data: { ...ids, roles } }
    case 'RemoveRoleMappingRoles':
      return { type: command.type, data: { ...ids, roleKeys: command.roleKeys } }
    case 'RemoveRoleMapping':
      return { type: command.type, data: ids }
  }
}

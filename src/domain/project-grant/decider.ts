import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import { command } from '../message.js'
import {
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  type ProjectGrantRef,
  ProjectId,
  RoleKey,
  sameRoles,
} from '../values.js'
import { type ProjectGrantAdded, ProjectGrantEvent, type ProjectGrantRole } from './events.js'

const ids = { projectId: ProjectId, grantedOrgId: OrgId }

const role = z.strictObject({ roleKey: RoleKey, roleSince: z.int() })

const grant = { ...ids, roles: listOf(role, 1, MAX_GRANTED_ROLES) }

/** Lets another organization give roles of a project to its users. */
export const AddProjectGrant = command('AddProjectGrant', grant)
export interface AddProjectGrant extends z.infer<typeof AddProjectGrant> {
  /** The new grant. */
  readonly data: ProjectGrantAdded['data']
}

/** Replaces the roles of a grant. */
export const UpdateProjectGrant = command('UpdateProjectGrant', grant)
export interface UpdateProjectGrant extends z.infer<typeof UpdateProjectGrant> {
  /** The grant, and its new roles. */
  readonly data: ProjectGrantAdded['data']
}

/** Suspends a grant: none of the roles that the organization gave counts. */
export const DeactivateProjectGrant = command('DeactivateProjectGrant', ids)
export interface DeactivateProjectGrant extends z.infer<typeof DeactivateProjectGrant> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Resumes a grant: the roles that the organization gave count again. */
export const ReactivateProjectGrant = command('ReactivateProjectGrant', ids)
export interface ReactivateProjectGrant extends z.infer<typeof ReactivateProjectGrant> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Removes a grant. It can be added again, which restores none of the roles. */
export const RemoveProjectGrant = command('RemoveProjectGrant', ids)
export interface RemoveProjectGrant extends z.infer<typeof RemoveProjectGrant> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Any command of a project grant. */
export const ProjectGrantCommand = z.discriminatedUnion('type', [
  AddProjectGrant,
  UpdateProjectGrant,
  DeactivateProjectGrant,
  ReactivateProjectGrant,
  RemoveProjectGrant,
])
export type ProjectGrantCommand =
  | AddProjectGrant
  | UpdateProjectGrant
  | DeactivateProjectGrant
  | ReactivateProjectGrant
  | RemoveProjectGrant

/** A role that an organization may give, and since when. */
export interface ProjectGrantRoleState extends ProjectGrantRole {
  /** Version of the event that put this generation of the role into the grant. */
  readonly since: number
}

/** The state of a project grant, on which its commands are decided. */
export type ProjectGrantState =
  | { readonly status: 'absent' }
  | {
      /** Whether the roles that the organization gave count. */
      readonly status: 'active' | 'inactive'
      /** As recorded, including roles that ended since, see {@link currentProjectGrant}. */
      readonly roles: readonly ProjectGrantRoleState[]
    }

/** Errors of a project grant's commands. */
export type ProjectGrantRefusal = NotFound<ProjectGrantRef> | AlreadyExists<ProjectGrantRef>

type Decision = Result<readonly ProjectGrantEvent[], ProjectGrantRefusal>

/** `state` without the roles that ended since they were granted. */
export const currentProjectGrant = (
  state: ProjectGrantState,
  isCurrent: (role: ProjectGrantRole) => boolean,
): ProjectGrantState => (exists(state) ? { ...state, roles: state.roles.filter(isCurrent) } : state)

const refuse = (
  kind: ProjectGrantRefusal['kind'],
  { projectId, grantedOrgId }: ProjectGrantCommand['data'],
): Decision => err({ kind, object: { type: 'project_grant', projectId, grantedOrgId } })

/** A grant whose roles have all ended still exists, and may be added again. */
const add = ({ data }: AddProjectGrant, state: ProjectGrantState): Decision => {
  if (exists(state) && state.roles.length > 0) return refuse('AlreadyExists', data)
  return ok([{ type: 'project_grant.added', data }])
}

const keysOf = (roles: readonly ProjectGrantRole[]): readonly string[] =>
  roles.map(({ roleKey }) => roleKey)

const update = ({ data }: UpdateProjectGrant, state: ProjectGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(
    sameRoles(keysOf(state.roles), keysOf(data.roles))
      ? []
      : [{ type: 'project_grant.updated', data }],
  )
}

const deactivate = ({ data }: DeactivateProjectGrant, state: ProjectGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'inactive' ? [] : [{ type: 'project_grant.deactivated', data }])
}

const reactivate = ({ data }: ReactivateProjectGrant, state: ProjectGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'active' ? [] : [{ type: 'project_grant.reactivated', data }])
}

const remove = ({ data }: RemoveProjectGrant, state: ProjectGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok([{ type: 'project_grant.removed', data }])
}

const decide = (command: ProjectGrantCommand, state: ProjectGrantState): Decision => {
  switch (command.type) {
    case 'AddProjectGrant':
      return add(command, state)
    case 'UpdateProjectGrant':
      return update(command, state)
    case 'DeactivateProjectGrant':
      return deactivate(command, state)
    case 'ReactivateProjectGrant':
      return reactivate(command, state)
    case 'RemoveProjectGrant':
      return remove(command, state)
  }
}

const evolve = (
  state: ProjectGrantState,
  event: ProjectGrantEvent,
  version: number,
): ProjectGrantState => {
  switch (event.type) {
    case 'project_grant.added':
      return { status: 'active', roles: rolesAfter(state, event.data.roles, version) }
    case 'project_grant.updated':
      return exists(state)
        ? { ...state, roles: rolesAfter(state, event.data.roles, version) }
        : state
    case 'project_grant.deactivated':
      return exists(state) ? { ...state, status: 'inactive' } : state
    case 'project_grant.reactivated':
      return exists(state) ? { ...state, status: 'active' } : state
    case 'project_grant.removed':
      return { status: 'absent' }
  }
}

/** The roles after an event with that version. A role that was there in the same generation keeps its `since`. */
const rolesAfter = (
  state: ProjectGrantState,
  roles: readonly ProjectGrantRole[],
  version: number,
): readonly ProjectGrantRoleState[] => {
  const before = new Map(exists(state) ? state.roles.map((role) => [role.roleKey, role]) : [])
  return roles.map((role) => {
    const held = before.get(role.roleKey)
    return held?.roleSince === role.roleSince ? held : { ...role, since: version }
  })
}

/** A grant of a project to another organization. */
export const projectGrant: Decider<
  ProjectGrantCommand,
  ProjectGrantState,
  ProjectGrantEvent,
  ProjectGrantRefusal
> = {
  eventSchema: ProjectGrantEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

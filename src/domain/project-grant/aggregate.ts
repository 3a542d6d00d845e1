import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  exists,
  filterableText,
  inProject,
  type Protectable,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { OrgId, type ProjectGrantRef, ProjectId, type StreamId, sameRoles } from '../values.js'
import type {
  AddProjectGrant,
  DeactivateProjectGrant,
  ProjectGrantCommand,
  ReactivateProjectGrant,
  RemoveProjectGrant,
  UpdateProjectGrant,
} from './command-schemas.js'
import { ProjectGrantEvent, type ProjectGrantRole } from './events.js'

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

/** A project's grant to another organization as reads return it. */
export interface ProjectGrant extends Protectable {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The organization that may give roles of the project to its users. */
  readonly grantedOrgId: string
  /** The roles that it may give, without those that were removed since, even if they were added again. */
  readonly roleKeys: readonly string[]
  /** While a grant is inactive, roles that the organization has given do not count. */
  readonly state: 'active' | 'inactive'
}

/** The fields of {@link ProjectGrant} that its own events set. */
export type ProjectGrantView = ViewOf<ProjectGrant>

/** Grants of projects to other organizations. */
export const projectGrants = defineAggregate({
  type: 'project_grant',
  label: 'project grant',
  ids: z.strictObject({ projectId: ProjectId, grantedOrgId: OrgId }),
  container: inProject,
  decider: projectGrant,
  events: ProjectGrantEvent.def.options,
  adds: 'project_grant.added',
  removes: 'project_grant.removed',
  show: (state, { projectId, grantedOrgId }, orgId): ProjectGrantView => ({
    projectId,
    projectOrgId: orgId,
    grantedOrgId,
    roleKeys: keysOf(state.roles),
    state: state.status,
  }),
  fact: ({ status, roles }, { projectId, grantedOrgId }, orgId) => ({
    in: 'project_grant',
    projectOrgId: orgId,
    projectId,
    orgId: grantedOrgId,
    state: status,
    roles,
  }),
  within: ['project'],
  states: ['active', 'inactive'],
  fields: {
    projectId: filterableText,
    projectOrgId: filterableText,
    grantedOrgId: filterableText,
    roleKeys: { holds: 'roles' },
    roleKey: { holds: 'roleKeys', filterable: true },
  },
  permissions: { read: 'project.grant.read', write: 'project.grant.write' },
} satisfies AggregateDefinition<
  ProjectGrantRef,
  ProjectGrantView,
  ProjectGrantEvent,
  ProjectGrantState
>)

/** One stream for each project and organization, so that two appends cannot both add a grant. */
export const projectGrantStream = (
  orgId: string,
  projectId: string,
  grantedOrgId: string,
): StreamId => projectGrants.stream(orgId, { projectId, grantedOrgId })

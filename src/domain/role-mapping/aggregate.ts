import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  exists,
  filterableText,
  optionalText,
  type Protectable,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { GroupName, IdpId, OrgId, ProjectId, Resource, type RoleMappingRef } from '../values.js'
import type {
  AddRoleMapping,
  AddRoleMappingRoles,
  RemoveRoleMapping,
  RemoveRoleMappingRoles,
  RoleMappingCommand,
  UpdateRoleMapping,
} from './command-schemas.js'
import { type MappedRole, type RoleMappingAdded, RoleMappingEvent } from './events.js'

/** The state of a mapping, on which its commands are decided. */
export type RoleMappingState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active'
      /** As recorded, including roles that ended since. */
      readonly roles: readonly MappedRole[]
      /** How many hours a report counts; undefined: until the next report. */
      readonly validFor: number | undefined
    }

/** Errors of a mapping's commands. */
export type RoleMappingRefusal = NotFound<RoleMappingRef> | AlreadyExists<RoleMappingRef>

type Decision = Result<readonly RoleMappingEvent[], RoleMappingRefusal>

const refuse = (kind: RoleMappingRefusal['kind'], data: RoleMappingCommand['data']): Decision =>
  err({ kind, object: roleMappings.ref(data) })

/** A mapping whose roles have all ended may be added again. It then counts for nobody until the next report. */
const add = ({ data }: AddRoleMapping, state: RoleMappingState): Decision => {
  const added: RoleMappingEvent = { type: 'role_mapping.added', data }
  if (!exists(state)) return ok([added])
  if (state.roles.length > 0) return refuse('AlreadyExists', data)
  const { roles: _, validFor: __, ...ids } = data
  return ok([{ type: 'role_mapping.removed', data: ids }, added])
}

const update = ({ data }: UpdateRoleMapping, state: RoleMappingState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return replace(data, state)
}

const addRoles = ({ data }: AddRoleMappingRoles, state: RoleMappingState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const roles = new Map([...state.roles, ...data.roles].map((role) => [role.roleKey, role]))
  return replace({ ...data, ...validity(state), roles: [...roles.values()] }, state)
}

const removeRoles = ({ data }: RemoveRoleMappingRoles, state: RoleMappingState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { roleKeys, ...ids } = data
  const taken = new Set(roleKeys)
  const roles = state.roles.filter(({ roleKey }) => !taken.has(roleKey))
  if (roles.length === 0 && state.roles.length > 0)
    return ok([{ type: 'role_mapping.removed', data: ids }])
  return replace({ ...ids, ...validity(state), roles }, state)
}

const validity = ({ validFor }: { readonly validFor: number | undefined }) =>
  validFor === undefined ? {} : { validFor }

/** Records `data` unless it is as `before`, with the roles in any order. */
const replace = (
  data: RoleMappingAdded['data'],
  before: Extract<RoleMappingState, { readonly status: 'active' }>,
): Decision => {
  const held = new Set(before.roles.map(({ roleKey }) => roleKey))
  const isSame =
    data.validFor === before.validFor &&
    data.roles.length === held.size &&
    data.roles.every(({ roleKey }) => held.has(roleKey))
  return ok(isSame ? [] : [{ type: 'role_mapping.updated', data }])
}

const remove = ({ data }: RemoveRoleMapping, state: RoleMappingState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok([{ type: 'role_mapping.removed', data }])
}

const decide = (command: RoleMappingCommand, state: RoleMappingState): Decision => {
  switch (command.type) {
    case 'AddRoleMapping':
      return add(command, state)
    case 'UpdateRoleMapping':
      return update(command, state)
    case 'AddRoleMappingRoles':
      return addRoles(command, state)
    case 'RemoveRoleMappingRoles':
      return removeRoles(command, state)
    case 'RemoveRoleMapping':
      return remove(command, state)
  }
}

const evolve = (state: RoleMappingState, event: RoleMappingEvent): RoleMappingState => {
  switch (event.type) {
    case 'role_mapping.added':
      return { status: 'active', roles: event.data.roles, validFor: event.data.validFor }
    case 'role_mapping.updated':
      return exists(state)
        ? { ...state, roles: event.data.roles, validFor: event.data.validFor }
        : state
    case 'role_mapping.removed':
      return { status: 'absent' }
  }
}

/** A mapping of a group of an identity provider to roles of a project. */
export const roleMapping: Decider<
  RoleMappingCommand,
  RoleMappingState,
  RoleMappingEvent,
  RoleMappingRefusal
> = {
  eventSchema: RoleMappingEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

/** The ids of a mapping. */
export interface RoleMappingIds {
  /** The provider of the group. */
  readonly idpId: string
  /** The group, as the provider names it. */
  readonly group: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The resource that the roles are given on; absent for the whole project. */
  readonly resource?: string
}

/** A mapping of a group to roles of a project as reads return it. */
export interface RoleMapping extends RoleMappingIds, Protectable {
  /** The roles that members have, without those that ended since, as in `UserGrant.roles`. */
  readonly roleKeys: readonly string[]
  /** How many hours a report counts; absent: until the next report. */
  readonly validFor?: number
  /** Always active: reads do not return removed mappings, nor mappings of a removed provider or project. */
  readonly state: 'active'
}

/** The fields of {@link RoleMapping} that its own events set. */
export type RoleMappingView = ViewOf<RoleMapping>

/** Mappings of groups of identity providers to roles. */
export const roleMappings = defineAggregate({
  type: 'role_mapping',
  label: 'role mapping',
  ids: z.strictObject({
    idpId: IdpId,
    group: GroupName,
    projectId: ProjectId,
    projectOrgId: z.optional(OrgId),
    resource: z.optional(Resource),
  }),
  // The group comes last, since it may hold a `+`.
  keyIds: ['idpId', 'projectOrgId', 'projectId', 'group'],
  decider: roleMapping,
  events: RoleMappingEvent.def.options,
  adds: 'role_mapping.added',
  removes: 'role_mapping.removed',
  show: ({ status, roles, validFor }, ids, orgId): RoleMappingView => ({
    idpId: ids.idpId,
    group: ids.group,
    projectId: ids.projectId,
    projectOrgId: ids.projectOrgId ?? orgId,
    ...(ids.resource !== undefined && { resource: ids.resource }),
    roleKeys: roles.map(({ roleKey }) => roleKey),
    ...(validFor !== undefined && { validFor }),
    state: status,
  }),
  fact: (
    { status, roles, validFor },
    { idpId, group, projectId, projectOrgId, resource },
    orgId,
  ) => ({
    in: 'held',
    projectOrgId: projectOrgId ?? orgId,
    projectId,
    orgId,
    resource,
    holder: { idpId, group },
    state: status,
    roles,
    validFor,
  }),
  within: ['identity_provider', 'project'],
  states: ['active'],
  fields: {
    idpId: filterableText,
    group: filterableText,
    projectId: filterableText,
    projectOrgId: filterableText,
    resource: optionalText,
    roleKeys: { holds: 'roles' },
    roleKey: { holds: 'roleKeys', filterable: true },
    validFor: { holds: 'number', isOptional: true },
  },
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  writeTarget: ({ idpId, group, projectId, projectOrgId, resource }, orgId) => ({
    type: 'role_mapping',
    idpId,
    projectId,
    projectOrgId: projectOrgId ?? orgId,
    group,
    ...(resource !== undefined && { resource }),
  }),
  permissions: { read: 'role_mapping.read', write: 'role_mapping.write' },
} satisfies AggregateDefinition<
  RoleMappingRef,
  RoleMappingView,
  RoleMappingEvent,
  RoleMappingState
>)

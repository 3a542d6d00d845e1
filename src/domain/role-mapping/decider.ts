import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import { command } from '../message.js'
import {
  GroupName,
  IdpId,
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  ProjectId,
  RoleKey,
  type RoleMappingRef,
  ValidFor,
} from '../values.js'
import {
  type MappedRole,
  type RoleMappingAdded,
  RoleMappingEvent,
  type RoleMappingRemoved,
} from './events.js'

const idSchemas = { idpId: IdpId, projectOrgId: OrgId, projectId: ProjectId, group: GroupName }

const roleSchema = z.strictObject({
  roleKey: RoleKey,
  roleSince: z.int(),
  grantSince: z.optional(z.int()),
})

const roles = listOf(roleSchema, 1, MAX_GRANTED_ROLES)

const mapping = { ...idSchemas, roles, validFor: z.exactOptional(ValidFor) }

/** Gives a group of a provider roles of a project. */
export const AddRoleMapping = command('AddRoleMapping', mapping)
export interface AddRoleMapping extends z.infer<typeof AddRoleMapping> {
  /** The new mapping. */
  readonly data: RoleMappingAdded['data']
}

/** Replaces the roles of a mapping and how long a report counts. */
export const UpdateRoleMapping = command('UpdateRoleMapping', mapping)
export interface UpdateRoleMapping extends z.infer<typeof UpdateRoleMapping> {
  /** The mapping, with its new roles and `validFor`. */
  readonly data: RoleMappingAdded['data']
}

/** Adds roles to a mapping. */
export const AddRoleMappingRoles = command('AddRoleMappingRoles', { ...idSchemas, roles })
export interface AddRoleMappingRoles extends z.infer<typeof AddRoleMappingRoles> {
  /** The mapping, and the roles to add. */
  readonly data: Omit<RoleMappingAdded['data'], 'validFor'>
}

/** Removes roles from a mapping. Removing the last role removes the mapping. */
export const RemoveRoleMappingRoles = command('RemoveRoleMappingRoles', {
  ...idSchemas,
  roleKeys: listOf(RoleKey, 1, MAX_GRANTED_ROLES),
})
export interface RemoveRoleMappingRoles extends z.infer<typeof RemoveRoleMappingRoles> {
  /** The mapping, and the roles to remove. */
  readonly data: RoleMappingRemoved['data'] & {
    /** 1 to 400 keys. */
    readonly roleKeys: readonly RoleKey[]
  }
}

/** Removes a mapping. */
export const RemoveRoleMapping = command('RemoveRoleMapping', idSchemas)
export interface RemoveRoleMapping extends z.infer<typeof RemoveRoleMapping> {
  /** The mapping. */
  readonly data: RoleMappingRemoved['data']
}

/** Any command of a mapping. */
export const RoleMappingCommand = z.discriminatedUnion('type', [
  AddRoleMapping,
  UpdateRoleMapping,
  AddRoleMappingRoles,
  RemoveRoleMappingRoles,
  RemoveRoleMapping,
])
export type RoleMappingCommand =
  | AddRoleMapping
  | UpdateRoleMapping
  | AddRoleMappingRoles
  | RemoveRoleMappingRoles
  | RemoveRoleMapping

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

const refuse = (
  kind: RoleMappingRefusal['kind'],
  { idpId, projectId, projectOrgId, group }: RoleMappingCommand['data'],
): Decision =>
  err({ kind, object: { type: 'role_mapping', idpId, projectId, projectOrgId, group } })

/** A mapping whose roles have all ended may be added again. It then counts for nobody until the next report. */
const add = ({ data }: AddRoleMapping, state: RoleMappingState): Decision => {
  const added: RoleMappingEvent = { type: 'role_mapping.added', data }
  if (!exists(state)) return ok([added])
  if (state.roles.length > 0) return refuse('AlreadyExists', data)
  const { idpId, projectOrgId, projectId, group } = data
  const ids = { idpId, projectOrgId, projectId, group }
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

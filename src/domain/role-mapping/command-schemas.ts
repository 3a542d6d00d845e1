import * as z from 'zod/mini'
import { command } from '../message.js'
import {
  GroupName,
  IdpId,
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  ProjectId,
  Resource,
  RoleKey,
  ValidFor,
} from '../values.js'
import type { RoleMappingAdded, RoleMappingRemoved } from './events.js'

const idSchemas = {
  idpId: IdpId,
  projectOrgId: OrgId,
  projectId: ProjectId,
  group: GroupName,
  resource: z.exactOptional(Resource),
}

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

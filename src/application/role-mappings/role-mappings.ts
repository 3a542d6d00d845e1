import * as z from 'zod/mini'
import {
  type RoleMapping,
  type RoleMappingIds,
  roleMappings,
} from '../../domain/role-mapping/aggregate.js'
import { ValidFor } from '../../domain/values.js'
import { decideRoleMapping, type GroupOfProject } from '../grant-rules/decide-role-mapping.js'
import { roleKeys } from '../method/input.js'
import type { Read, Write } from '../method/method.js'
import {
  type GrantFilter,
  get,
  type ListOptions,
  list,
  listFields,
  type Page,
  type TextFilter,
} from '../reading/list.js'
import type { Runtime } from '../runtime.js'
import { grantWritesOf } from '../writing/write-grant.js'

/**
 * Mappings of groups of identity providers to roles. Users that a provider last reported in a group have the roles of
 * the group's mappings, see `memberships`: one event gives or revokes a role for all of them. A mapping belongs to the
 * organization of the provider. The project belongs to the same organization, or to one that granted it to this one.
 * Removing the provider or the project removes the mapping.
 */
export interface RoleMappings {
  /**
   * Gives the members of a group roles of a project. It counts for a user from the next report of their groups on.
   * `AlreadyExists` when the group has a current mapping to the project; `NotFound` for a role that the project lacks
   * or that the organization was not granted.
   *
   * @example
   * await iam.roleMappings.add({ idpId, group: 'finance', projectId, roleKeys: ['accountant'] }, context)
   */
  readonly add: Write<RoleMappingInput, RoleMappingIds>
  /** Replaces the roles and `validFor`. Added roles count at once. */
  readonly update: Write<RoleMappingInput, RoleMappingIds>
  /** Adds roles and keeps the others. They count at once. */
  readonly addRoles: Write<RoleMappingRolesInput, RoleMappingIds>
  /** Removes roles and keeps the others. Removing the last role removes the mapping. */
  readonly removeRoles: Write<RoleMappingRolesInput, RoleMappingIds>
  /** Removes the mapping. If you add it again, it counts for nobody until the next report. */
  readonly remove: Write<RoleMappingKey, RoleMappingIds>
  /** Returns one mapping. */
  readonly get: Read<RoleMappingKey, RoleMapping>
  /** Lists the organization's mappings, page by page. */
  readonly list: Read<ListRoleMappingsInput, Page<RoleMapping>>
}

/** Names a mapping. */
export interface RoleMappingKey {
  /** A provider of the organization. */
  readonly idpId: string
  /** The group, as the provider names it: 1 to 200 characters (code points), compared code point by code point. */
  readonly group: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the organization of the context. */
  readonly projectOrgId?: string | undefined
  /**
   * The resource that members have the roles on, by your own id such as `workspace:42`: 1 to 200 characters (code
   * points). Default: the whole project.
   */
  readonly resource?: string | undefined
}

/** A mapping, and some of its roles. */
export interface RoleMappingRolesInput extends RoleMappingKey {
  /** 1 to 400 keys of roles, without duplicates. */
  readonly roleKeys: readonly string[]
}

/** A mapping with all its roles. */
export interface RoleMappingInput extends RoleMappingRolesInput {
  /** How long a report counts, in whole hours: 1 to 8,760. Absent: until the next report. */
  readonly validFor?: number | undefined
}

/** Schema of a {@link RoleMappingRolesInput}. */
export const RoleMappingRolesInput = z.extend(roleMappings.ids, { roleKeys })

/** Schema of a {@link RoleMappingInput}. */
export const RoleMappingInput = z.extend(RoleMappingRolesInput, {
  validFor: z.optional(ValidFor),
})

/** Which mappings to list, and in which order. */
export const ListRoleMappingsInput = z.strictObject(listFields(roleMappings))
export interface ListRoleMappingsInput extends ListOptions<RoleMapping> {
  /** Conditions, which must all hold. Default: every mapping of the organization. */
  readonly filter?:
    | (GrantFilter & {
        /** Condition on the provider. */
        readonly idpId?: TextFilter | undefined
        /** Condition on the group. */
        readonly group?: TextFilter | undefined
        /** Condition on the resource, which is empty for the whole project. */
        readonly resource?: TextFilter | undefined
        /** Every mapping is active. */
        readonly state?: 'active' | undefined
      })
    | undefined
}

/** The methods of {@link RoleMappings}, on the ports of a host. */
export default (runtime: Runtime): RoleMappings => {
  const change = grantWritesOf(runtime, {
    aggregate: roleMappings,
    decide: decideRoleMapping,
    ids: (
      { idpId, group, projectId, projectOrgId, resource }: GroupOfProject,
      orgId,
    ): RoleMappingIds => ({
      idpId,
      group,
      projectId,
      projectOrgId: projectOrgId ?? orgId,
      ...(resource !== undefined && { resource }),
    }),
  })

  return {
    add: change(
      'roleMappings.add',
      RoleMappingInput,
      (input) => ({ ...input, type: 'AddRoleMapping' }),
      { isNew: true, namesRoles: true },
    ),
    update: change('roleMappings.update', RoleMappingInput, (input) => ({
      ...input,
      type: 'UpdateRoleMapping',
    })),
    addRoles: change(
      'roleMappings.addRoles',
      RoleMappingRolesInput,
      (input) => ({ ...input, type: 'AddRoleMappingRoles' }),
      { namesRoles: true },
    ),
    removeRoles: change(
      'roleMappings.removeRoles',
      RoleMappingRolesInput,
      (input) => ({ ...input, type: 'RemoveRoleMappingRoles' }),
      { namesRoles: true },
    ),
    remove: change('roleMappings.remove', roleMappings.ids, (input) => ({
      ...input,
      type: 'RemoveRoleMapping',
    })),
    get: get(runtime, 'roleMappings.get', roleMappings),
    list: list(runtime, 'roleMappings.list', roleMappings, ListRoleMappingsInput),
  }
}

import * as z from 'zod/mini'
import {
  AddProject,
  PatchProject,
  type ProjectSettingsInput,
} from '../../../domain/project/command-schemas.js'
import {
  AddProjectRole,
  PatchProjectRole,
  type ProjectRoleFieldsInput,
} from '../../../domain/project-role/command-schemas.js'
import {
  GroupName,
  IdpId,
  listOf,
  MAX_GRANTED_ROLES,
  MAX_ROLE_PERMISSIONS,
  MAX_TEXT_LENGTH,
  OrgId,
  onlyOnce,
  Resource,
  RolePermissions,
  requiredText,
  text,
  ValidFor,
} from '../../../domain/values.js'
import { roleKeys } from '../../method/input.js'

/** Bounds for JSON Schema, which cannot express the functions that check them. */
export const bounds = z
  .registry<{ minLength?: number; maxLength?: number; minItems?: number; maxItems?: number }>()
  .add(text, { maxLength: MAX_TEXT_LENGTH })
  .add(requiredText, { minLength: 1, maxLength: MAX_TEXT_LENGTH })
  .add(RolePermissions, { maxItems: MAX_ROLE_PERMISSIONS })

/** Most roles, most grants, and most mappings of groups that a desired state declares for one project. */
const MAX_DECLARED = 10_000

/**
 * A desired role. An absent group and absent permissions are not changed; a new role gets an empty group and no
 * permissions.
 */
export interface DesiredRole extends ProjectRoleFieldsInput {
  /** Names the role within its project: 1 to 200 characters (code points). */
  readonly roleKey: string
  /** 1 to 200 characters (code points). */
  readonly displayName: string
}

const DesiredRole = z.extend(z.omit(PatchProjectRole.shape.data, { projectId: true }), {
  displayName: AddProjectRole.shape.data.shape.displayName,
})

/** A desired grant of the project to another organization. */
export interface DesiredGrant {
  /**
   * The organization that may give the roles to its users: 1 to 64 characters, as an `orgId`; not the project's owner.
   */
  readonly grantedOrgId: string
  /** Keys of roles that the project has or that are declared: 1 to 400, without duplicates. */
  readonly roleKeys: readonly string[]
}

const DesiredGrant = z.strictObject({
  grantedOrgId: OrgId,
  roleKeys: roleKeys.register(bounds, { minItems: 1, maxItems: MAX_GRANTED_ROLES }),
})

/** A desired mapping of a group of an identity provider to roles of the project. */
export interface DesiredMapping {
  /** A provider of the organization, which exists or is declared: 1 to 64 characters. */
  readonly idpId: string
  /** The group, as the provider names it: 1 to 200 characters (code points), compared code point by code point. */
  readonly group: string
  /**
   * Your id of the resource that the group has the roles on: 1 to 200 characters (code points). Absent: the whole
   * project.
   */
  readonly resource?: string | undefined
  /** Keys of roles that the project has or that are declared: 1 to 400, without duplicates. */
  readonly roleKeys: readonly string[]
  /** Whole hours that a report counts: 1 to 8,760. When absent, a report counts until the next one. */
  readonly validFor?: number | undefined
}

const DesiredMapping = z.strictObject({
  idpId: IdpId,
  group: GroupName,
  resource: z.optional(Resource),
  roleKeys: roleKeys.register(bounds, { minItems: 1, maxItems: MAX_GRANTED_ROLES }),
  validFor: z.optional(ValidFor),
})

/** Desired settings of a project. An absent setting is not changed, or gets its default when the project is added. */
export interface DesiredSettings extends ProjectSettingsInput {}

/** A desired project. */
export interface DesiredProject {
  /**
   * Permanent id of the project: 1 to 64 ASCII letters, digits or any of `. _ : @ ~ -`, starting with a letter or
   * digit.
   */
  readonly id: string
  /** 1 to 200 characters (code points). */
  readonly name: string
  /** Absent: settings are not changed, or get their defaults when the project is added. */
  readonly settings?: DesiredSettings | undefined
  /** At most 10,000, with unique keys. Absent: all roles of the project stay, even with `prune`. */
  readonly roles?: readonly DesiredRole[] | undefined
  /** At most 10,000, with unique organizations. Absent: all grants of the project stay, even with `prune`. */
  readonly grants?: readonly DesiredGrant[] | undefined
  /**
   * At most 10,000, no group of a provider twice on the same resource. When absent, all mappings of groups to roles of the project stay, even
   * with `prune`.
   */
  readonly mappings?: readonly DesiredMapping[] | undefined
}

const { id, name } = AddProject.shape.data.shape

/** Schema of a {@link DesiredProject}. */
export const DesiredProject = z.strictObject({
  id,
  name,
  settings: z.optional(z.omit(PatchProject.shape.data, { id: true, name: true })),
  roles: z.optional(
    listOf(DesiredRole, 0, MAX_DECLARED)
      .check(onlyOnce(({ roleKey }) => roleKey, ['roleKey']))
      .register(bounds, { maxItems: MAX_DECLARED }),
  ),
  grants: z.optional(
    listOf(DesiredGrant, 0, MAX_DECLARED)
      .check(onlyOnce(({ grantedOrgId }) => grantedOrgId, ['grantedOrgId']))
      .register(bounds, { maxItems: MAX_DECLARED }),
  ),
  mappings: z.optional(
    listOf(DesiredMapping, 0, MAX_DECLARED)
      .check(
        onlyOnce(
          ({ idpId, group, resource }) => JSON.stringify([idpId, group, resource]),
          ['group'],
        ),
      )
      .register(bounds, { maxItems: MAX_DECLARED }),
  ),
})
export type ParsedProject = z.output<typeof DesiredProject>

export type ParsedRole = z.output<typeof DesiredRole>
export type ParsedGrant = z.output<typeof DesiredGrant>
export type ParsedMapping = z.output<typeof DesiredMapping>

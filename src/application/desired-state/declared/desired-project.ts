import * as z from 'zod/mini'
import { AddProject, type PrivateLabelingSetting } from '../../../domain/project/commands.js'
import { AddProjectRole } from '../../../domain/project-role/commands.js'
import { listOf, ProjectId } from '../../../domain/values.js'
import { onlyOnce } from '../../method/refuse-items.js'
import { bounds } from './json-schema-bounds.js'

/** Most roles that a desired state declares for one project. */
const MAX_DECLARED_ROLES = 10_000

/** A role as it is to be. */
export interface DesiredRole {
  /** Names the role within its project: 1 to 200 characters (code points). Spec: Project role. */
  readonly roleKey: string
  /** 1 to 200 characters (code points). Spec: Project role. */
  readonly displayName: string
  /**
   * For display only: at most 200 characters (code points). Absent: as it is; empty when the role is
   * added. Spec: Project role.
   */
  readonly group?: string | undefined
}

const role = AddProjectRole.shape.data.shape

const DesiredRole = z.strictObject({
  roleKey: role.roleKey,
  displayName: role.displayName,
  group: z.optional(role.group.def.innerType),
})

/** Settings of a project as they are to be. Absent: as it is; its default when the project is added. */
export interface DesiredSettings {
  /** Role information is included in the user info endpoint, see `roleClaims`. Spec: Project. */
  readonly projectRoleAssertion?: boolean | undefined
  /** At login, the user must have a role of this project, see `checkLogin`. Spec: Project. */
  readonly projectRoleCheck?: boolean | undefined
  /**
   * At login, the user's organization must own the project or have a grant to it, see
   * `checkLogin`. Spec: Project.
   */
  readonly hasProjectCheck?: boolean | undefined
  /** Whose branding the login shows, see `brandingOrganization`. Spec: Project. */
  readonly privateLabelingSetting?: PrivateLabelingSetting | undefined
}

const project = AddProject.shape.data.shape

const DesiredSettings = z.strictObject({
  projectRoleAssertion: z.optional(project.projectRoleAssertion.def.innerType),
  projectRoleCheck: z.optional(project.projectRoleCheck.def.innerType),
  hasProjectCheck: z.optional(project.hasProjectCheck.def.innerType),
  privateLabelingSetting: z.optional(project.privateLabelingSetting.def.innerType),
})

/** A project as it is to be. */
export interface DesiredProject {
  /**
   * Names the project for ever: 1 to 64 letters of ASCII, digits or any of `. _ : @ ~ -`, starting with a
   * letter or digit.
   */
  readonly id: string
  /** 1 to 200 characters (code points). Spec: Project. */
  readonly name: string
  /** Absent: as they are; their defaults when the project is added. Spec: Project. */
  readonly settings?: DesiredSettings | undefined
  /**
   * At most 10,000, no key twice. Absent: the roles of the project are left alone, by `prune` too.
   */
  readonly roles?: readonly DesiredRole[] | undefined
}

/** Schema of a {@link DesiredProject}. */
export const DesiredProject = z.strictObject({
  id: ProjectId,
  name: project.name,
  settings: z.optional(DesiredSettings),
  roles: z.optional(
    listOf(DesiredRole, 0, MAX_DECLARED_ROLES)
      .check(onlyOnce(({ roleKey }) => roleKey, ['roleKey']))
      .register(bounds, { maxItems: MAX_DECLARED_ROLES }),
  ),
})
export type ParsedProject = z.output<typeof DesiredProject>
export type ParsedRole = z.output<typeof DesiredRole>

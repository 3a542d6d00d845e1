import * as z from 'zod/mini'
import { AddProject, type PrivateLabelingSetting } from '../../domain/project/commands.js'
import { AddProjectRole } from '../../domain/project-role/commands.js'
import { listOf, ProjectId } from '../../domain/values.js'
import { onlyOnce } from '../only-once.js'
import { bounds } from './json-schema-bounds.js'

/** Most roles that a desired state declares for one project. */
export const MAX_DECLARED_ROLES = 10_000

/** A role as it is to be. */
export interface DesiredRole {
  readonly roleKey: string
  readonly displayName: string
  /** Absent: as it is; empty when the role is added. */
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
  readonly projectRoleAssertion?: boolean | undefined
  readonly projectRoleCheck?: boolean | undefined
  readonly hasProjectCheck?: boolean | undefined
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
  readonly id: string
  readonly name: string
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

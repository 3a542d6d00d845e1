import type { DesiredAccess } from './desired-access.js'
import type { DesiredRole } from './desired-project.js'

type ProjectOf<Desired extends DesiredAccess> = NonNullable<Desired['projects']>[number]

/** Role keys declared for the project; any string when the ids are unknown to the compiler. */
type RoleKeyOf<Desired extends DesiredAccess, ProjectId> = string extends ProjectOf<Desired>['id']
  ? string
  : Extract<
      ProjectOf<Desired>,
      { readonly id: ProjectId; readonly roles: readonly DesiredRole[] }
    >['roles'][number]['roleKey']

/** A desired state with project ids and role keys as literal types. */
export type Access<Desired extends DesiredAccess> = Desired & {
  /**
   * Returns the key of a declared role. Other keys do not compile.
   *
   * @throws RangeError if the role is not declared and the types could not show it
   */
  roleKey<
    const ProjectId extends ProjectOf<Desired>['id'],
    const RoleKey extends RoleKeyOf<Desired, ProjectId>,
  >(projectId: ProjectId, roleKey: RoleKey): RoleKey
}

/**
 * Declares projects with their roles and grants, and identity providers, in code. `iam.plan` and `iam.apply` check what
 * the types cannot. Add `as const satisfies DesiredAccess` to the declaration to make misspelt fields a
 * compile error.
 */
export const defineAccess = <const Desired extends DesiredAccess>(
  desired: Desired,
): Access<Desired> => {
  const roleKey = <Key extends string>(projectId: string, roleKey: Key): Key => {
    const project = desired.projects?.find(({ id }) => id === projectId)
    if (project?.roles?.some((role) => role.roleKey === roleKey)) return roleKey
    const declared = project?.roles?.map((role) => role.roleKey) ?? []
    throw new RangeError(
      project
        ? `The project ${projectId} declares no role ${roleKey}. Its roles: ${declared.join(', ') || 'none'}`
        : `The desired state declares no project ${projectId}`,
    )
  }
  const access = { ...desired, roleKey }
  // Not enumerable, so that parsers and JSON.stringify do not see it.
  Object.defineProperty(access, 'roleKey', { enumerable: false })
  return Object.freeze(access)
}

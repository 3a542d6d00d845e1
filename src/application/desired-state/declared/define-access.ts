import type { DesiredAccess } from './desired-access.js'
import type { DesiredRole } from './desired-project.js'

type ProjectOf<Desired extends DesiredAccess> = NonNullable<Desired['projects']>[number]

/** Those declared for the project; any text for ids that the compiler does not know. */
type RoleKeyOf<Desired extends DesiredAccess, ProjectId> = string extends ProjectOf<Desired>['id']
  ? string
  : Extract<
      ProjectOf<Desired>,
      { readonly id: ProjectId; readonly roles: readonly DesiredRole[] }
    >['roles'][number]['roleKey']

/** A desired state whose project ids and role keys are known to the compiler. */
export type Access<Desired extends DesiredAccess> = Desired & {
  /**
   * The key of a declared role: what is not declared does not compile.
   *
   * @throws RangeError when there is no such role, for a state that the compiler does not know
   */
  roleKey<
    const ProjectId extends ProjectOf<Desired>['id'],
    const RoleKey extends RoleKeyOf<Desired, ProjectId>,
  >(projectId: ProjectId, roleKey: RoleKey): RoleKey
}

/**
 * Declares projects with their roles, and identity providers, in code. What the types cannot say is
 * checked by `iam.plan` and `iam.apply`. For the compiler to refuse a misspelt field, too, write
 * `as const satisfies DesiredAccess` behind the declaration.
 */
export const defineAccess = <const Desired extends DesiredAccess>(
  desired: Desired,
): Access<Desired> => {
  const roleKey = <Key extends string>(projectId: string, roleKey: Key): Key => {
    const project = desired.projects?.find(({ id }) => id === projectId)
    if (project?.roles?.some((role) => role.roleKey === roleKey)) return roleKey
    throw new RangeError('The desired state declares no such role')
  }
  const access = { ...desired, roleKey }
  // It is no part of the data: neither a parser nor JSON.stringify may come across it.
  Object.defineProperty(access, 'roleKey', { enumerable: false })
  return Object.freeze(access)
}

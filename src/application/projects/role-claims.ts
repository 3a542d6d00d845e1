import * as z from 'zod/mini'
import { projects } from '../../domain/project/kind.js'
import { type RoleInformation, roleClaims } from '../../domain/project/login.js'
import { OrgId, ProjectId, UserId } from '../../domain/values.js'
import { type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { loginOf } from './login-of.js'

/** Whose roles, of which project. */
export const RoleClaimsInput = z.strictObject({ id: ProjectId, userId: UserId, userOrgId: OrgId })
export interface RoleClaimsInput {
  /** Id of the project. Spec: Project. */
  readonly id: string
  /** The user, as their organization names them: 1 to 200 characters (code points). */
  readonly userId: string
  /** Organization of the user. Spec: Project, `hasProjectCheck`. */
  readonly userOrgId: string
}

/** {@link roleClaims} with the current state of the project and of the grants of the user. */
export const roleClaimsOf = (runtime: Runtime): Read<RoleClaimsInput, readonly RoleInformation[]> =>
  read(
    runtime,
    {
      method: 'projects.roleClaims',
      permissions: ['project.read', 'project.role.read', 'user.grant.read'],
      schema: RoleClaimsInput,
      target: targetOf(projects),
    },
    async (call, user) =>
      (await loginOf(runtime, call, user)).map(({ project, roles }) =>
        roleClaims(
          { project, roles },
          roles.map(({ roleKey }) => roleKey),
        ),
      ),
  )

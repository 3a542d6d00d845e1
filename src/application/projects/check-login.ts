import { err } from 'neverthrow'
import * as z from 'zod/mini'
import { checkLogin } from '../../domain/project/login.js'
import { listOf, OrgId, ProjectId, RoleKey } from '../../domain/values.js'
import { fromPort } from '../errors/fault.js'
import { type Read, read } from '../method/method.js'
import { targetProject } from '../method/target.js'
import { requireFed } from '../reading/require-fed.js'
import type { Runtime } from '../runtime.js'

/** Most role keys and most grants of one user that a login looks at. */
const MOST = 1000

/** How often roles are read anew while their project changes. */
const MAX_ATTEMPTS = 10

/** Who logs in to an application of which project. */
export const CheckLoginInput = z.strictObject({
  id: ProjectId,
  userOrgId: OrgId,
  userRoleKeys: z._default(listOf(RoleKey, 0, MOST), []),
  grantedOrgIds: z._default(listOf(OrgId, 0, MOST), []),
})
export interface CheckLoginInput {
  /** Id of the project. Spec: Project. */
  readonly id: string
  /** The organization of the user who logs in. Spec: Project, `hasProjectCheck`. */
  readonly userOrgId: string
  /**
   * Keys of the roles of this project that the user was assigned: at most 1,000; none when absent.
   * Spec: Project, `projectRoleCheck`.
   */
  readonly userRoleKeys?: readonly string[] | undefined
  /**
   * Organizations that have a grant to this project: at most 1,000; none when absent. Spec: Project,
   * `hasProjectCheck`.
   */
  readonly grantedOrgIds?: readonly string[] | undefined
}

/** {@link checkLogin} on the project, and those roles of the user that it has, as they are now. */
export const checkLoginOf = (runtime: Runtime): Read<CheckLoginInput, void> =>
  read(
    runtime,
    {
      method: 'projects.checkLogin',
      permissions: ['project.read', 'project.role.read'],
      schema: CheckLoginInput,
      target: targetProject,
    },
    async (call, { id, ...user }) => {
      const { orgId } = call
      const object = { type: 'project' as const, id }
      const read = () => fromPort(() => runtime.readModel.get<'project'>(orgId, object))
      const roles = { projectId: id, roleKeys: user.userRoleKeys }
      let project = await runtime.fresh.get<'project'>(call, object)
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        if (!project) {
          await requireFed(runtime, call)
          return err({ kind: 'NotFound', object })
        }
        if (!project.projectRoleCheck) return checkLogin({ project, roleKeys: [] }, user)
        const roleKeys = await rolesStillThere(runtime, orgId, roles)
        const since = await read()
        // Otherwise the project of one moment would be judged with a role that it has had at none such.
        if (since?.details.sequence === project.details.sequence)
          return checkLogin({ project, roleKeys }, user)
        project = since
      }
      return err({ kind: 'Aborted', attempts: MAX_ATTEMPTS })
    },
  )

/** The first of `roleKeys` that the project has: one is enough to pass. */
const rolesStillThere = async (
  { readModel }: Runtime,
  orgId: string,
  { projectId, roleKeys }: { readonly projectId: string; readonly roleKeys: readonly string[] },
): Promise<readonly string[]> => {
  for (const roleKey of roleKeys) {
    const ref = { type: 'project_role' as const, projectId, roleKey }
    if (await fromPort(() => readModel.get<'project_role'>(orgId, ref))) return [roleKey]
  }
  return []
}

import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import type { NotFound } from '../../domain/decider.js'
import { projects } from '../../domain/project/aggregate.js'
import {
  checkLogin,
  type LoginRefusal,
  type RoleInformation,
  roleClaims,
} from '../../domain/project/login.js'
import { fieldOf, listOf, OrgId, ProjectId, RoleKey, UserId } from '../../domain/values.js'
import type { FoundProject, FoundRole } from '../../ports/access-reads.js'
import type { Aborted } from '../errors/errors.js'
import { countingRoles, hasRoleOnAny, needsRoleOnResource } from '../grant-rules/judge-access.js'
import type { AdmittedCall } from '../method/context.js'
import { targetOf } from '../method/input.js'
import { type NeededPermission, type Read, read } from '../method/method.js'
import { requireCheckpoint } from '../reading/query.js'
import type { Runtime } from '../runtime.js'

/** Most role keys, and most organizations with a grant, of one login. */
const MAX_LISTED = 1000

/** How often roles are read again when their project changes at the same time. */
const MAX_ATTEMPTS = 10

/** The user who logs in, and the project. */
export const CheckLoginInput = z
  .strictObject({
    id: ProjectId,
    userOrgId: OrgId,
    userId: z.optional(UserId),
    userRoleKeys: z._default(listOf(RoleKey, 0, MAX_LISTED), []),
    grantedOrgIds: z._default(listOf(OrgId, 0, MAX_LISTED), []),
  })
  .check(
    z.superRefine((input, { addIssue }) => {
      if (input.userId === undefined) return
      for (const list of ['userRoleKeys', 'grantedOrgIds'] as const)
        if (input[list].length > 0)
          addIssue({ code: 'custom', path: [list], message: 'must not be given with userId' })
    }),
  )
export interface CheckLoginInput {
  /** Id of the project. */
  readonly id: string
  /** Organization of the user who logs in. */
  readonly userOrgId: string
  /** Your id of the user. With it, the user's grants decide; without it, `userRoleKeys` and `grantedOrgIds` do. */
  readonly userId?: string | undefined
  /** Keys of the roles of this project that the user has: at most 1,000. Default: none. */
  readonly userRoleKeys?: readonly string[] | undefined
  /** Organizations that have a grant to this project: at most 1,000. Default: none. */
  readonly grantedOrgIds?: readonly string[] | undefined
}

/** The permissions on a project that {@link checkLoginOf} needs to read the grants of a user. */
const permissionsFor = (input: unknown, orgId: string): readonly NeededPermission[] => {
  if (fieldOf(input, 'userId') === undefined) return []
  const object = targetOf(projects)(input, orgId)
  return [{ permission: 'user.grant.read', ...(object && { object }) }]
}

/** {@link checkLogin} with the current state of the project and of the user's roles. */
export const checkLoginOf = (
  runtime: Runtime,
): Read<CheckLoginInput, void, LoginRefusal | Aborted> =>
  read(
    runtime,
    {
      method: 'projects.checkLogin',
      permissions: ['project.read', 'project.role.read'],
      permissionsFor,
      schema: CheckLoginInput,
      target: targetOf(projects),
    },
    async (call, { id, userId, ...user }) => {
      const { orgId } = call
      const object = { type: 'project' as const, id }
      if (userId !== undefined)
        return (await loginOf(runtime, call, { id, userId, ...user })).andThen(
          ({ project, roles, hasRoleOnResource, isGranted }) => {
            const roleKeys = roles.map(({ roleKey }) => roleKey)
            const { userOrgId } = user
            const grantedOrgIds = isGranted ? [userOrgId] : []
            // A role on any resource is a role of the project.
            const projectRoleCheck = project.projectRoleCheck && !hasRoleOnResource
            return checkLogin(
              { project: { ...project, projectRoleCheck }, roleKeys },
              { userOrgId, userRoleKeys: roleKeys, grantedOrgIds },
            )
          },
        )
      const roles = { projectId: id, roleKeys: user.userRoleKeys }
      const read = () =>
        runtime.query<'get', 'project'>(call, { method: 'get', args: [orgId, object] })
      let project = await read()
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        if (!project) {
          await requireCheckpoint(runtime, call)
          return err({ kind: 'NotFound', object })
        }
        if (!project.projectRoleCheck) return checkLogin({ project, roleKeys: [] }, user)
        const roleKeys = await existingRole(runtime, call, roles)
        const latest = await read()
        // The roles belong to this state of the project only if it has not changed since.
        if (latest?.details.sequence === project.details.sequence)
          return checkLogin({ project, roleKeys }, user)
        project = latest
      }
      return err({ kind: 'Aborted', attempts: MAX_ATTEMPTS })
    },
  )

/** Most roles that are read at the same time. */
const ROLES_AT_ONCE = 50

/** The first of `roleKeys` that exists: one is enough to pass. */
const existingRole = async (
  { query }: Runtime,
  call: AdmittedCall,
  { projectId, roleKeys }: { readonly projectId: string; readonly roleKeys: readonly string[] },
): Promise<readonly string[]> => {
  const roleOf = (roleKey: string) => {
    const ref = { type: 'project_role' as const, projectId, roleKey }
    return query<'get', 'project_role'>(call, { method: 'get', args: [call.orgId, ref] })
  }
  for (let from = 0; from < roleKeys.length; from += ROLES_AT_ONCE) {
    const found = await Promise.all(roleKeys.slice(from, from + ROLES_AT_ONCE).map(roleOf))
    const role = found.find((each) => each !== undefined)
    if (role) return [role.roleKey]
  }
  return []
}

/** A project of the organization, and the roles that a user has in it. */
export interface Login {
  readonly project: FoundProject & { readonly details: { readonly resourceOwner: string } }
  readonly roles: readonly FoundRole[]
  /** Whether the login needs a role, the user has none for the whole project, and one on a resource. */
  readonly hasRoleOnResource: boolean
  /** Whether the organization of the user has an active grant of the project. */
  readonly isGranted: boolean
}

/** Reads the roles that a user of any organization has in a project of the organization. */
export const loginOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  user: { readonly id: ProjectId; readonly userId: UserId; readonly userOrgId: OrgId },
): Promise<Result<Login, NotFound>> => {
  const { id, userId, userOrgId } = user
  const { orgId } = call
  const query = { orgId: userOrgId, userId, projectOrgId: orgId, projectId: id }
  const found = await runtime.query(call, { method: 'access', args: [query] })
  const { project } = found
  if (!project) {
    await requireCheckpoint(runtime, call)
    return err({ kind: 'NotFound', object: { type: 'project', id } })
  }
  const question = { isOwn: userOrgId === orgId, now: runtime.now() }
  return ok({
    project: { ...project, details: { resourceOwner: orgId } },
    roles: countingRoles(found, question),
    hasRoleOnResource:
      needsRoleOnResource(found, question) &&
      (await hasRoleOnAny(runtime, call, { ...query, now: question.now })),
    isGranted: found.projectGrant === 'active',
  })
}

/** The user and the project. */
export const RoleClaimsInput = z.strictObject({ id: ProjectId, userId: UserId, userOrgId: OrgId })
export interface RoleClaimsInput {
  /** Id of the project. */
  readonly id: string
  /** The user, as their organization names them: 1 to 200 characters (code points). */
  readonly userId: string
  /** Organization of the user. */
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

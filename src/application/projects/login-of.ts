import { err, ok, type Result } from 'neverthrow'
import type { NotFound } from '../../domain/refusals.js'
import type { OrgId, ProjectId, UserId } from '../../domain/values.js'
import type { FoundProject, FoundRole } from '../../ports/access-reads.js'
import { countingRoles } from '../granting/judge-access.js'
import type { AdmittedCall } from '../method/context.js'
import { requireFed } from '../reading/require-fed.js'
import type { Runtime } from '../runtime.js'

/** A project of the organization at hand, and what a user has of it by the grants. */
export interface Login {
  readonly project: FoundProject & { readonly details: { readonly resourceOwner: string } }
  /** The roles that count. */
  readonly roles: readonly FoundRole[]
  /** Whether the organization of the user has an active grant of the project. */
  readonly isGranted: boolean
}

/** Reads what a user of any organization has of a project of the organization at hand. */
export const loginOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  user: { readonly id: ProjectId; readonly userId: UserId; readonly userOrgId: OrgId },
): Promise<Result<Login, NotFound>> => {
  const { id, userId, userOrgId } = user
  const { orgId } = call
  const query = { orgId: userOrgId, userId, projectOrgId: orgId, projectId: id }
  const found = await runtime.fresh.access(call, query)
  const { project } = found
  if (!project) {
    await requireFed(runtime, call)
    return err({ kind: 'NotFound', object: { type: 'project', id } })
  }
  return ok({
    project: { ...project, details: { resourceOwner: orgId } },
    roles: countingRoles(found, { isOwn: userOrgId === orgId, now: runtime.now() }),
    isGranted: found.projectGrant === 'active',
  })
}

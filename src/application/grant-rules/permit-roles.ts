import { err, ok, type Result } from 'neverthrow'
import type { AnyAggregate } from '../../domain/aggregates.js'
import type { PermissionDenied } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { type NeededPermission, refusePermission } from '../method/method.js'
import { writeTargetOf } from '../method/target.js'
import type { StreamChange } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'

/** A change of a grant of a project, or of roles to a user. */
export interface GrantChange extends StreamChange {
  /** Keys of the roles that it gives, revokes or gives another expiry. */
  readonly changedRoleKeys: () => readonly string[]
}

/** An aggregate whose objects grant roles. */
type GrantAggregate = Pick<AnyAggregate, 'permissions' | 'target' | 'writeTarget'>

/** The question about a grant that `input` names. */
export const grantQuestion = (
  aggregate: GrantAggregate,
  change: { readonly input: unknown; readonly orgId: string; readonly roleKeys: readonly string[] },
): NeededPermission => {
  const { input, orgId, roleKeys } = change
  const object = writeTargetOf(aggregate)(input, orgId)
  return { permission: aggregate.permissions.write, ...(object && { object }), roleKeys }
}

/** Calls `authorize` with the roles of a decision. */
export type PermitRoles = (question: NeededPermission) => Promise<Result<void, PermissionDenied>>

/**
 * Calls `authorize` with the roles of decisions, never twice with the same roles, because a decision may be made again.
 */
export const rolePermits = (runtime: Runtime, call: AdmittedCall): PermitRoles => {
  const answers = new Map<string, ReturnType<typeof refusePermission>>()
  return async (question) => {
    const { object, roleKeys = [] } = question
    if (roleKeys.length === 0) return ok()
    const text = JSON.stringify([object, roleKeys.toSorted()])
    if (!answers.has(text)) answers.set(text, refusePermission(runtime, call, question))
    const denied = await answers.get(text)
    return denied ? err(denied) : ok()
  }
}

import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyAggregate } from '../../domain/aggregates.js'
import { fieldOf } from '../../domain/values.js'
import type { PermissionDenied, WriteError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { type MethodSpec, type NeededPermission, refusePermission } from '../method/method.js'
import { writeTargetOf } from '../method/target.js'
import type { StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'

/** A change of a grant of a project, or of roles to a user. */
export interface GrantChange extends StreamChange {
  /** Keys of the roles that it gives, revokes or gives another expiry. */
  readonly changedRoleKeys: () => readonly string[]
}

/** An aggregate whose objects grant roles. */
type GrantAggregate = Pick<AnyAggregate, 'permissions' | 'target' | 'writeTarget'>

interface GrantSpec<Schema extends z.ZodMiniType> {
  /** Such as `userGrants.add`. */
  readonly method: string
  readonly schema: Schema
  /** Whether the command adds the grant. */
  readonly isNew?: boolean
  /**
   * Whether the input names every role that changes, so that `authorize` need not be called again after the decision.
   */
  readonly namesRoles: boolean
}

/** The checks of a method that changes a grant. */
export const grantSpecOf = <Schema extends z.ZodMiniType>(
  aggregate: GrantAggregate,
  { method, schema, isNew = false, namesRoles }: GrantSpec<Schema>,
): MethodSpec<Schema> => ({
  method,
  permissions: [],
  permissionsFor: (input, orgId) => [
    grantQuestion(aggregate, { input, orgId, roleKeys: namesRoles ? roleKeysIn(input) : [] }),
  ],
  schema,
  refuses: isNew ? ['expectedSequence'] : [],
})

/**
 * Calls `authorize` with the roles that a decision changes, before it is recorded. For a refused command, it is called
 * with the roles in the input, so that a caller who may not give them learns nothing about the grant.
 */
export const permitted = <Refusal extends WriteError>(
  runtime: Runtime,
  call: AdmittedCall,
  given: {
    readonly aggregate: GrantAggregate
    readonly input: object
    readonly decide: (streams: Streams) => Promise<Result<GrantChange, Refusal>>
  },
): ((streams: Streams) => Promise<Result<readonly StreamChange[], WriteError>>) => {
  const { aggregate, input, decide } = given
  const permit = rolePermits(runtime, call)
  return async (streams) => {
    const decided = await decide(streams)
    const roleKeys = decided.isOk() ? decided.value.changedRoleKeys() : roleKeysIn(input)
    const answer = await permit(grantQuestion(aggregate, { input, orgId: call.orgId, roleKeys }))
    return answer.isErr() ? err(answer.error) : decided.map((each) => [each])
  }
}

/** The question about a grant that `input` names. */
export const grantQuestion = (
  aggregate: GrantAggregate,
  given: { readonly input: unknown; readonly orgId: string; readonly roleKeys: readonly string[] },
): NeededPermission => {
  const { input, orgId, roleKeys } = given
  const object = writeTargetOf(aggregate)(input, orgId)
  return { permission: aggregate.permissions.write, ...(object && { object }), roleKeys }
}

/** The keys in an input, which may be malformed. */
const roleKeysIn = (input: unknown): readonly string[] => {
  const roles = fieldOf(input, 'roles')
  const keys = Array.isArray(roles)
    ? roles.map((role) => fieldOf(role, 'roleKey'))
    : fieldOf(input, 'roleKeys')
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []
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

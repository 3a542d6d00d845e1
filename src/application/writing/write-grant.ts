import { err, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyAggregate } from '../../domain/aggregates.js'
import { fieldOf } from '../../domain/values.js'
import type { WriteError } from '../errors/errors.js'
import { type GrantChange, grantQuestion, rolePermits } from '../grant-rules/permit-roles.js'
import type { AdmittedCall } from '../method/context.js'
import { type Write, write } from '../method/method.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { type ObjectWrite, writeObject } from './write-object.js'

/** An aggregate whose objects give roles: to an organization, to a user or to the members of a group. */
interface Grants<Key extends object, Change, Ids> {
  readonly aggregate: AnyAggregate
  readonly decide: (
    streams: Streams,
    change: Change,
    now: Date,
  ) => Promise<Result<GrantChange, WriteError>>
  /** The ids in the outcome. */
  readonly ids: (key: Key, orgId: string) => Ids
}

interface GrantOptions {
  /** Whether the command adds the grant. */
  readonly isNew?: boolean
  /**
   * Whether the input names every role that changes, so that `authorize` need not be called again after the decision.
   */
  readonly namesRoles?: boolean
}

/** Makes the methods that each record one change of a grant. */
export const grantWritesOf =
  <Key extends object, Change, Ids>(
    runtime: Runtime,
    { aggregate, decide, ids }: Grants<Key, Change, Ids>,
  ) =>
  <Schema extends z.ZodMiniType<Key>>(
    method: string,
    schema: Schema,
    changeOf: (input: z.output<Schema>) => Change,
    { isNew = false, namesRoles = false }: GrantOptions = {},
  ): Write<z.input<Schema>, Ids> =>
    write(
      runtime,
      {
        method,
        permissions: [],
        permissionsFor: (input, orgId) => [
          grantQuestion(aggregate, { input, orgId, roleKeys: namesRoles ? roleKeysIn(input) : [] }),
        ],
        schema,
        refuses: isNew ? ['expectedSequence'] : [],
      },
      (call, input) => {
        const decided = (streams: Streams) => decide(streams, changeOf(input), runtime.now())
        return writeObject(runtime, call, {
          input,
          aggregate,
          decide: namesRoles
            ? async (streams) => (await decided(streams)).map((each) => [each])
            : permitted(runtime, call, { aggregate, input, decide: decided }),
          ids: () => ids(input, call.orgId),
        })
      },
    )

/**
 * Calls `authorize` with the roles that a decision changes, before it is recorded. For a refused command, it is called
 * with the roles in the input, so that a caller who may not give them learns nothing about the grant.
 */
const permitted = (
  runtime: Runtime,
  call: AdmittedCall,
  given: {
    readonly aggregate: AnyAggregate
    readonly input: object
    readonly decide: (streams: Streams) => Promise<Result<GrantChange, WriteError>>
  },
): ObjectWrite<unknown>['decide'] => {
  const { aggregate, input, decide } = given
  const permit = rolePermits(runtime, call)
  return async (streams) => {
    const decided = await decide(streams)
    const roleKeys = decided.isOk() ? decided.value.changedRoleKeys() : roleKeysIn(input)
    const answer = await permit(grantQuestion(aggregate, { input, orgId: call.orgId, roleKeys }))
    return answer.isErr() ? err(answer.error) : decided.map((each) => [each])
  }
}

/** The keys in an input, which may be malformed. */
const roleKeysIn = (input: unknown): readonly string[] => {
  const roles = fieldOf(input, 'roles')
  const keys = Array.isArray(roles)
    ? roles.map((role) => fieldOf(role, 'roleKey'))
    : fieldOf(input, 'roleKeys')
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []
}

import { err, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyAggregate } from '../../domain/aggregates.js'
import { fieldOf } from '../../domain/values.js'
import type { WriteError } from '../errors/errors.js'
import { type GrantChange, grantQuestion, rolePermits } from '../grant-rules/current-roles.js'
import { type Write, write } from '../method/method.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { writeObject } from './write-object.js'

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
        const permit = rolePermits(runtime, call)
        return writeObject(runtime, call, {
          input,
          aggregate,
          decide: async (streams) => {
            const decided = await decide(streams, changeOf(input), runtime.now())
            if (!namesRoles) {
              // Before the change is recorded, `authorize` gets its roles. For a refused command it gets the roles of
              // the input, so that a caller who may not give them learns nothing about the grant.
              const roleKeys = decided.isOk() ? decided.value.changedRoleKeys() : roleKeysIn(input)
              const permitted = await permit(
                grantQuestion(aggregate, { input, orgId: call.orgId, roleKeys }),
              )
              if (permitted.isErr()) return err(permitted.error)
            }
            return decided.map((each) => [each])
          },
          ids: () => ids(input, call.orgId),
        })
      },
    )

/** The keys in an input, which may be malformed. */
const roleKeysIn = (input: unknown): readonly string[] => {
  const roles = fieldOf(input, 'roles')
  const keys = Array.isArray(roles)
    ? roles.map((role) => fieldOf(role, 'roleKey'))
    : fieldOf(input, 'roleKeys')
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []
}

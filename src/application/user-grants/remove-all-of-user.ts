import { err, ok, Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import { userGrant } from '../../domain/user-grant/decider.js'
import { OrgId, ProjectId, type UserId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Listing, UserGrant } from '../../ports/read-model.js'
import type { WriteError } from '../errors/errors.js'
import { grantQuestion, type PermitRoles, rolePermits } from '../granting/permit-roles.js'
import type { AdmittedCall } from '../method/context.js'
import { type BatchWrite, batchWrite } from '../method/method.js'
import { totalOrder } from '../reading/list.js'
import { change } from '../recording/stream-state.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { raceAbort, retryDeadline } from '../waiting.js'
import { type UserGrantIds, UserInput } from './user-grant-input.js'

/** Most grants that one append removes. */
const MAX_REMOVED = 400

/** What was taken from a user. */
export interface RemovedOfUser {
  /** The grants that were removed; none when the user had none. */
  readonly removed: readonly UserGrantIds[]
  /** No grant of the user that was recorded at or below this position remains in the organization. */
  readonly sequence: Position
}

/**
 * The method that removes all grants of a user. It looks again after each append until none is found, so that a
 * grant which is added meanwhile is removed, or recorded above the `sequence` of the answer.
 */
export const removeAllOfUser = (runtime: Runtime): BatchWrite<UserInput, RemovedOfUser> =>
  batchWrite(
    runtime,
    {
      method: 'userGrants.removeAllOfUser',
      permissions: ['user.grant.read'],
      permissionsFor: () => [{ permission: 'user.grant.write', roleKeys: [] }],
      schema: UserInput,
    },
    async (call, { userId }) => {
      const removed: UserGrantIds[] = []
      const permit = rolePermits(runtime, call)
      const isTooLate = retryDeadline(runtime.environment)
      let mayHaveMore = true
      for (let attempts = 0; ; attempts++) {
        const { items, sequence } = await raceAbort(grantsOf(runtime, call, userId), call.signal)
        if (items.length === 0) return ok({ removed, sequence })
        if (!mayHaveMore && isTooLate()) return err({ kind: 'Aborted', attempts })
        const batch = await removeAll(runtime, call, { userId, grants: items, permit })
        if (batch.isErr()) return err(batch.error)
        removed.push(...batch.value)
        mayHaveMore = batch.value.length === MAX_REMOVED
      }
    },
  )

/** The first grants of a user, which every process has recorded before. */
const grantsOf = (
  runtime: Runtime,
  call: AdmittedCall,
  userId: UserId,
): Promise<Listing<UserGrant>> =>
  runtime.query<'list', 'user_grant'>(
    { ...call, consistency: 'strong' },
    {
      method: 'list',
      args: [
        {
          type: 'user_grant',
          orgId: call.orgId,
          conditions: [{ field: 'userId', operator: 'equals', value: userId, ignoreCase: false }],
          sort: totalOrder(['key'], []),
          limit: MAX_REMOVED,
        },
      ],
    },
  )

/** Removes those of `grants` that still exist, in one append. */
const removeAll = (
  runtime: Runtime,
  call: AdmittedCall,
  {
    userId,
    grants,
    permit,
  }: {
    readonly userId: UserId
    readonly grants: readonly UserGrant[]
    readonly permit: PermitRoles
  },
): Promise<Result<readonly UserGrantIds[], WriteError>> =>
  transact(runtime, call, {
    decide: async (streams) => {
      const ids = grants.map(({ projectId, projectOrgId }) => ({
        userId,
        projectId: ProjectId.parse(projectId),
        projectOrgId: OrgId.parse(projectOrgId),
      }))
      const read = await Promise.all(ids.map((each) => streams.read(userGrants, each)))
      for (const [index, input] of ids.entries()) {
        const state = read[index]?.state
        if (!state || !exists(state)) continue
        const { orgId } = call
        const roleKeys = state.roles.map(({ roleKey }) => roleKey)
        const answer = await permit(grantQuestion(userGrants, { input, orgId, roleKeys }))
        if (answer.isErr()) return err(answer.error)
      }
      const removed = ids.flatMap((data, index) => {
        const before = read[index]
        if (!before || !exists(before.state)) return []
        return userGrant
          .decide({ type: 'RemoveUserGrant', data }, before.state)
          .map((events) => ({ data, change: change(before, events) }))
      })
      return Result.combine(removed).map((all) => ({
        changes: all.map((each) => each.change),
        ids: all.map(({ data }) => data),
      }))
    },
    answer: ({ decided: { ids } }) => ids,
  })

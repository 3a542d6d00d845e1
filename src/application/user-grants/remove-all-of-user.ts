import { err, ok, Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { type Membership, membership, memberships } from '../../domain/membership/aggregate.js'
import { projects } from '../../domain/project/aggregate.js'
import { type UserGrant, userGrant, userGrants } from '../../domain/user-grant/aggregate.js'
import { IdpId, OrgId, ProjectId, type UserId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Listing, Views } from '../../ports/read-model.js'
import type { WriteError } from '../errors/errors.js'
import { grantQuestion, type PermitRoles, rolePermits } from '../grant-rules/permit-roles.js'
import type { AdmittedCall } from '../method/context.js'
import { refusePermission } from '../method/method.js'
import { totalOrder } from '../reading/list.js'
import { change } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { raceAbort, retryDeadline } from '../waiting.js'
import type { UserGrantIds } from './user-grant-input.js'

/** Most grants, and most memberships, that one append removes. */
const MAX_REMOVED = 400

/** Names a membership: a provider, and the user. */
export interface MembershipIds {
  /** The provider. */
  readonly idpId: string
  /** The value from the input. */
  readonly userId: string
}

/** Outcome of removing all that a user has. */
export interface RemovedOfUser {
  /** The removed grants; empty when the user had none. */
  readonly removed: readonly UserGrantIds[]
  /** The removed memberships. */
  readonly memberships: readonly MembershipIds[]
  /** Every grant and membership of the user that was recorded up to this position has been removed. */
  readonly sequence: Position
}

/**
 * Removes all grants and memberships of a user. It looks again after each append until none is found, so that a grant
 * added meanwhile is either removed or recorded after the returned `sequence`.
 */
export const removeAllOfUser = async (
  runtime: Runtime,
  call: AdmittedCall,
  { userId }: { readonly userId: UserId },
): Promise<Result<RemovedOfUser, WriteError>> => {
  const removed: UserGrantIds[] = []
  const left: MembershipIds[] = []
  const permit = rolePermits(runtime, call)
  const isTooLate = retryDeadline(runtime.environment)
  let mayHaveMore = true
  for (let attempts = 0; ; attempts++) {
    const found = Promise.all([
      objectsOf(runtime, call, { type: 'user_grant', userId }),
      objectsOf(runtime, call, { type: 'membership', userId }),
    ])
    const [grants, members] = await raceAbort(found, call.signal)
    const sequence = grants.sequence < members.sequence ? grants.sequence : members.sequence
    if (grants.items.length + members.items.length === 0)
      return ok({ removed, memberships: left, sequence })
    if (!mayHaveMore && isTooLate()) return err({ kind: 'Aborted', attempts })
    const items = { userId, grants: grants.items, members: members.items, permit }
    const batch = await removeAll(runtime, call, items)
    if (batch.isErr()) return err(batch.error)
    removed.push(...batch.value.removed)
    left.push(...batch.value.memberships)
    mayHaveMore = [batch.value.removed, batch.value.memberships].some(
      ({ length }) => length === MAX_REMOVED,
    )
  }
}

/** The first objects of a user, which every process has recorded before. */
const objectsOf = <Type extends 'user_grant' | 'membership'>(
  runtime: Runtime,
  call: AdmittedCall,
  { type, userId }: { readonly type: Type; readonly userId: UserId },
): Promise<Listing<Views[Type]>> =>
  runtime.query<'list', Type>(
    { ...call, consistency: 'strong' },
    {
      method: 'list',
      args: [
        {
          type,
          orgId: call.orgId,
          conditions: [{ field: 'userId', operator: 'equals', value: userId, ignoreCase: false }],
          sort: totalOrder(['key'], []),
          limit: MAX_REMOVED,
        },
      ],
    },
  )

/** The stream of a grant; undefined when the grant has ended with its project. */
const standing = async (
  streams: Streams,
  ids: { readonly userId: UserId; readonly projectId: ProjectId; readonly projectOrgId: OrgId },
) => {
  const { projectId: id, projectOrgId: orgId } = ids
  const [grant, project] = await Promise.all([
    streams.read(userGrants, ids),
    streams.read(projects, { id }, { orgId }),
  ])
  return exists(project.state) ? grant : undefined
}

/** The stream of a membership; undefined when the membership has ended with its provider. */
const standingMember = async (
  streams: Streams,
  ids: { readonly userId: UserId; readonly idpId: IdpId },
) => {
  const [member, provider] = await Promise.all([
    streams.read(memberships, ids),
    streams.read(identityProviders, ids),
  ])
  return exists(provider.state) ? member : undefined
}

/** Removes the still existing `grants` and `members` in one append. */
const removeAll = async (
  runtime: Runtime,
  call: AdmittedCall,
  {
    userId,
    grants,
    members,
    permit,
  }: {
    readonly userId: UserId
    readonly grants: readonly UserGrant[]
    readonly members: readonly Membership[]
    readonly permit: PermitRoles
  },
): Promise<Result<Pick<RemovedOfUser, 'removed' | 'memberships'>, WriteError>> => {
  const { permissions, target } = memberships
  for (const member of members) {
    const ids = { idpId: IdpId.parse(member.idpId), userId }
    const question = { permission: permissions.write, object: target(ids, call.orgId) }
    const denied = await refusePermission(runtime, call, question)
    if (denied) return err(denied)
  }
  return transact(runtime, call, {
    decide: async (streams) => {
      const ids = grants.map(({ projectId, projectOrgId }) => ({
        userId,
        projectId: ProjectId.parse(projectId),
        projectOrgId: OrgId.parse(projectOrgId),
      }))
      const read = await Promise.all(ids.map((each) => standing(streams, each)))
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
      const left = await Promise.all(
        members.map(async ({ idpId }) => {
          const data = { idpId: IdpId.parse(idpId), userId }
          const before = await standingMember(streams, data)
          if (!before) return undefined
          return membership
            .decide({ type: 'RemoveMembership', data }, before.state)
            .map((events) => ({ data, change: change(before, events) }))
            .unwrapOr(undefined)
        }),
      )
      const gone = left.filter((each) => each !== undefined)
      return Result.combine(removed).map((all) => ({
        changes: [...all, ...gone].map((each) => each.change),
        removed: all.map(({ data }) => data),
        memberships: gone.map(({ data }) => data),
      }))
    },
    answer: ({ decided: { removed, memberships } }) => ({ removed, memberships }),
  })
}

import { err, ok, Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { membership, memberships } from '../../domain/membership/aggregate.js'
import type { Message } from '../../domain/message.js'
import { projects } from '../../domain/project/aggregate.js'
import {
  type RoleMappingIds,
  roleMapping,
  roleMappings,
} from '../../domain/role-mapping/aggregate.js'
import { type UserGrantIds, userGrant, userGrants } from '../../domain/user-grant/aggregate.js'
import { GroupName, IdpId, OrgId, ProjectId, Resource, UserId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Condition, Listing, Views } from '../../ports/read-model.js'
import type { PermissionDenied, WriteError } from '../errors/errors.js'
import { grantQuestion, rolePermits } from '../grant-rules/current-roles.js'
import type { AdmittedCall } from '../method/context.js'
import { refusePermission } from '../method/method.js'
import { conditionsOf, totalOrder } from '../reading/list.js'
import {
  change,
  type Status,
  type StreamChange,
  type StreamsOf,
} from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { raceAbort, retryDeadline } from '../waiting.js'

/** Most objects of each type that one append removes. */
const MAX_REMOVED = 400

/** Names a membership: a provider, and the user. */
export interface MembershipIds {
  /** The provider. */
  readonly idpId: string
  /** The value from the input. */
  readonly userId: string
}

/** Names a mapping of a group that was removed. */
export interface RemovedMapping extends RoleMappingIds {}

/** Outcome of removing all that a user has. */
export interface RemovedOfUser {
  /** The removed grants; empty when the user had none. */
  readonly removed: readonly UserGrantIds[]
  /** The removed memberships. */
  readonly memberships: readonly MembershipIds[]
  /** Every grant and membership of the user that was recorded up to this position has been removed. */
  readonly sequence: Position
}

/** Outcome of removing all roles on a resource. */
export interface RemovedOfResource {
  /** The removed grants; empty when nobody had any. */
  readonly removed: readonly UserGrantIds[]
  /** The removed mappings of groups. */
  readonly mappings: readonly RemovedMapping[]
  /** Every grant and mapping on the resource that was recorded up to this position has been removed. */
  readonly sequence: Position
}

/** Removes all grants and memberships of a user. */
export const removeAllOfUser = async (
  runtime: Runtime,
  call: AdmittedCall,
  { userId }: { readonly userId: UserId },
): Promise<Result<RemovedOfUser, WriteError>> => {
  const conditions = conditionsOf({ userId })
  const endings = [
    grantsThat(runtime, call, conditions),
    membershipsThat(runtime, call, conditions),
  ] as const
  const all = await removeAll(runtime, call, endings)
  return all.map(([removed, memberships, sequence]) => ({ removed, memberships, sequence }))
}

/** Removes all grants and mappings of the organization on a resource of a project. */
export const removeAllOfResource = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: {
    readonly projectId: ProjectId
    readonly projectOrgId?: OrgId | undefined
    readonly resource: Resource
  },
): Promise<Result<RemovedOfResource, WriteError>> => {
  const { projectId, projectOrgId = call.orgId, resource } = input
  const conditions = conditionsOf({ projectId, projectOrgId, resource })
  const endings = [
    grantsThat(runtime, call, conditions),
    mappingsThat(runtime, call, conditions),
  ] as const
  const all = await removeAll(runtime, call, endings)
  return all.map(([removed, mappings, sequence]) => ({ removed, mappings, sequence }))
}

/** An object to remove, and the change that removes it. */
interface Removal<Ids> {
  readonly data: Ids
  readonly change: StreamChange
}

/** Objects of one type that are to be removed. */
interface Ending<View, Ids> {
  /** The first of them, which every process has recorded before. */
  readonly find: () => Promise<Listing<View>>
  /** Why the caller may not remove them; undefined without an objection. */
  readonly refuse?: (found: readonly View[]) => Promise<PermissionDenied | undefined>
  /** Removes those that still exist. */
  readonly decide: (
    streams: Streams,
    found: readonly View[],
  ) => Promise<Result<readonly Removal<Ids>[], WriteError>>
}

/**
 * Removes all objects of two types. It looks again after each append until none is found, so that one that is added
 * meanwhile is either removed or recorded after the returned position.
 */
const removeAll = async <One, OneIds, Other, OtherIds>(
  runtime: Runtime,
  call: AdmittedCall,
  [one, other]: readonly [Ending<One, OneIds>, Ending<Other, OtherIds>],
): Promise<Result<readonly [readonly OneIds[], readonly OtherIds[], Position], WriteError>> => {
  const removed: OneIds[] = []
  const left: OtherIds[] = []
  const isTooLate = retryDeadline(runtime.environment)
  let mayHaveMore = true
  for (let attempts = 0; ; attempts++) {
    const finding = Promise.all([one.find(), other.find()])
    const [ones, others] = await raceAbort(finding, call.signal)
    const sequence = ones.sequence < others.sequence ? ones.sequence : others.sequence
    if (ones.items.length + others.items.length === 0) return ok([removed, left, sequence])
    if (!mayHaveMore && isTooLate()) return err({ kind: 'Aborted', attempts })
    const denied = (await one.refuse?.(ones.items)) ?? (await other.refuse?.(others.items))
    if (denied) return err(denied)
    const batch = await transact(runtime, call, {
      decide: async (streams) => {
        const first = await one.decide(streams, ones.items)
        if (first.isErr()) return err(first.error)
        const second = await other.decide(streams, others.items)
        return second.map((gone) => ({
          changes: [...first.value, ...gone].map((each) => each.change),
          removed: first.value.map(({ data }) => data),
          left: gone.map(({ data }) => data),
        }))
      },
      answer: ({ decided }) => decided,
    })
    if (batch.isErr()) return err(batch.error)
    removed.push(...batch.value.removed)
    left.push(...batch.value.left)
    mayHaveMore = [batch.value.removed, batch.value.left].some(
      ({ length }) => length === MAX_REMOVED,
    )
  }
}

/** The first objects that meet the conditions, which every process has recorded before. */
const objectsThat = <Type extends 'user_grant' | 'membership' | 'role_mapping'>(
  runtime: Runtime,
  call: AdmittedCall,
  type: Type,
  conditions: readonly Condition[],
): Promise<Listing<Views[Type]>> => {
  const { orgId } = call
  const sort = totalOrder(['key'], [])
  return runtime.query<'list', Type>(
    { ...call, consistency: 'strong' },
    { method: 'list', args: [{ type, orgId, conditions, sort, limit: MAX_REMOVED }] },
  )
}

const grantsThat = (
  runtime: Runtime,
  call: AdmittedCall,
  conditions: readonly Condition[],
): Ending<Views['user_grant'], UserGrantIds> => {
  const { orgId } = call
  const permit = rolePermits(runtime, call)
  return {
    find: () => objectsThat(runtime, call, 'user_grant', conditions),
    decide: async (streams, found) => {
      const ids = found.map(({ resource, ...grant }) => ({
        userId: UserId.parse(grant.userId),
        projectId: ProjectId.parse(grant.projectId),
        projectOrgId: OrgId.parse(grant.projectOrgId),
        ...(resource !== undefined && { resource: Resource.parse(resource) }),
      }))
      const read = await Promise.all(ids.map((each) => standing(streams, userGrants, each)))
      const removals: Result<Removal<UserGrantIds>, WriteError>[] = []
      for (const [index, data] of ids.entries()) {
        const before = read[index]
        if (!before || !exists(before.state)) continue
        const roleKeys = before.state.roles.map(({ roleKey }) => roleKey)
        const answer = await permit(grantQuestion(userGrants, { input: data, orgId, roleKeys }))
        if (answer.isErr()) return err(answer.error)
        const decided = userGrant.decide({ type: 'RemoveUserGrant', data }, before.state)
        removals.push(decided.map((events) => ({ data, change: change(before, events) })))
      }
      return Result.combine(removals)
    },
  }
}

const mappingsThat = (
  runtime: Runtime,
  call: AdmittedCall,
  conditions: readonly Condition[],
): Ending<Views['role_mapping'], RemovedMapping> => {
  const { orgId } = call
  const permit = rolePermits(runtime, call)
  return {
    find: () => objectsThat(runtime, call, 'role_mapping', conditions),
    decide: async (streams, found) => {
      const ids = found.map(({ resource, ...mapping }) => ({
        idpId: IdpId.parse(mapping.idpId),
        group: GroupName.parse(mapping.group),
        projectId: ProjectId.parse(mapping.projectId),
        projectOrgId: OrgId.parse(mapping.projectOrgId),
        ...(resource !== undefined && { resource: Resource.parse(resource) }),
      }))
      const read = await Promise.all(
        ids.map((each) =>
          Promise.all([
            standing(streams, roleMappings, each),
            streams.read(identityProviders, each),
          ]),
        ),
      )
      const removals: Result<Removal<RemovedMapping>, WriteError>[] = []
      for (const [index, data] of ids.entries()) {
        const [before, provider] = read[index] ?? []
        if (!before || !exists(before.state) || !provider || !exists(provider.state)) continue
        const roleKeys = before.state.roles.map(({ roleKey }) => roleKey)
        const answer = await permit(grantQuestion(roleMappings, { input: data, orgId, roleKeys }))
        if (answer.isErr()) return err(answer.error)
        const decided = roleMapping.decide({ type: 'RemoveRoleMapping', data }, before.state)
        removals.push(decided.map((events) => ({ data, change: change(before, events) })))
      }
      return Result.combine(removals)
    },
  }
}

const membershipsThat = (
  runtime: Runtime,
  call: AdmittedCall,
  conditions: readonly Condition[],
): Ending<Views['membership'], MembershipIds> => ({
  find: () => objectsThat(runtime, call, 'membership', conditions),
  refuse: async (found) => {
    const { permissions, target } = memberships
    for (const { idpId, userId } of found) {
      const ids = { idpId: IdpId.parse(idpId), userId: UserId.parse(userId) }
      const question = { permission: permissions.write, object: target(ids, call.orgId) }
      const denied = await refusePermission(runtime, call, question)
      if (denied) return denied
    }
    return undefined
  },
  decide: async (streams, found) => {
    const left = await Promise.all(
      found.map(async ({ idpId, userId }) => {
        const data = { idpId: IdpId.parse(idpId), userId: UserId.parse(userId) }
        const [before, provider] = await Promise.all([
          streams.read(memberships, data),
          streams.read(identityProviders, data),
        ])
        // A membership ends with its provider.
        if (!exists(provider.state)) return undefined
        return membership
          .decide({ type: 'RemoveMembership', data }, before.state)
          .map((events) => ({ data, change: change(before, events) }))
          .unwrapOr(undefined)
      }),
    )
    return ok(left.filter((each) => each !== undefined))
  },
})

/** The stream of a grant or a mapping; undefined when it has ended with its project. */
const standing = async <
  Ids extends { readonly projectId: ProjectId; readonly projectOrgId: OrgId },
  State extends Status,
  Event extends Message,
>(
  streams: Streams,
  aggregate: StreamsOf<Ids, State, Event>,
  ids: Ids,
) => {
  const { projectId: id, projectOrgId: orgId } = ids
  const [object, project] = await Promise.all([
    streams.read(aggregate, ids),
    streams.read(projects, { id }, { orgId }),
  ])
  return exists(project.state) ? object : undefined
}

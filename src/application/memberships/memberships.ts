import { err, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { type Membership, membership, memberships } from '../../domain/membership/aggregate.js'
import type { ReportMembership } from '../../domain/membership/command-schemas.js'
import {
  GroupName,
  type IdpId,
  listOf,
  MAX_REPORTED_GROUPS,
  type UserId,
} from '../../domain/values.js'
import { timeOf } from '../../ports/event-store.js'
import { compareCodePoints } from '../../projections/row-order.js'
import type { WriteError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import type { Read, Write } from '../method/method.js'
import { type ListOptions, list, listFields, type Page, type TextFilter } from '../reading/list.js'
import { get } from '../reading/reads.js'
import { type AnyStreamState, change, type StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { changesOf } from '../writing/write-object.js'

/**
 * The groups that an identity provider last reported for a user. Together with `roleMappings` they give roles. A
 * membership belongs to the organization of the provider and the user. Removing the provider removes it.
 */
export interface Memberships {
  /**
   * Replaces the provider's last report about the user. Only groups that have a mapping are stored, and nothing is
   * stored when nothing changes. A report of the same groups is stored again when a mapping of one of them was added
   * since, and at most once in a tenth of the shortest `validFor`.
   *
   * @example
   * await iam.memberships.report({ idpId, userId: 'bob', groups: ['finance', 'staff'] }, context)
   */
  readonly report: Write<ReportMembershipInput, MembershipInput>
  /** Removes the provider's report about the user, until it reports again. */
  readonly remove: Write<MembershipInput, MembershipInput>
  /** Returns one provider's last report about one user. */
  readonly get: Read<MembershipInput, Membership>
  /** Lists the organization's memberships, page by page. */
  readonly list: Read<ListMembershipsInput, Page<Membership>>
}

/** Names a provider and a user. */
export interface MembershipInput {
  /** A provider of the organization. */
  readonly idpId: string
  /** Your id of the user: 1 to 200 characters (code points). It stays in the log, so prefer an opaque id. */
  readonly userId: string
}

/** A provider's report about a user. */
export interface ReportMembershipInput extends MembershipInput {
  /** All groups of the user: at most 1,000, each of 1 to 200 characters (code points). Duplicates count once. */
  readonly groups: readonly string[]
}

/** Schema of a {@link ReportMembershipInput}. */
export const ReportMembershipInput = z.extend(memberships.ids, {
  groups: listOf(GroupName, 0, MAX_REPORTED_GROUPS),
})

/** Which memberships to list, and in which order. */
export const ListMembershipsInput = z.strictObject(listFields(memberships))
export interface ListMembershipsInput extends ListOptions<Membership> {
  /** Conditions, which must all hold. Default: every membership of the organization. */
  readonly filter?:
    | {
        /** Condition on the provider. */
        readonly idpId?: TextFilter | undefined
        /** Condition on the user. */
        readonly userId?: TextFilter | undefined
        /** Every membership is active. */
        readonly state?: 'active' | undefined
      }
    | undefined
}

/** The methods of {@link Memberships}, on the ports of a host. */
export default (runtime: Runtime): Memberships => {
  const changing = changesOf(
    runtime,
    memberships,
    ({ idpId, userId }: MembershipKey): MembershipInput => ({ idpId, userId }),
  )
  return {
    report: changing('memberships.report', ReportMembershipInput, (streams, input, call) =>
      decideReport(runtime, call, streams, input),
    ),
    remove: changing('memberships.remove', memberships.ids, async (streams, ids) => {
      const { before, provider } = await read(streams, ids)
      if (!exists(provider.state)) return err({ kind: 'NotFound', object: memberships.ref(ids) })
      return membership
        .decide({ type: 'RemoveMembership', data: ids }, before.state)
        .map((events) => [change(before, events)])
    }),
    get: get(runtime, 'memberships.get', memberships),
    list: list(runtime, 'memberships.list', memberships, ListMembershipsInput),
  }
}

/** A membership by its parsed ids. */
interface MembershipKey {
  readonly idpId: IdpId
  readonly userId: UserId
}

const read = async (streams: Streams, ids: MembershipKey) => {
  const [before, provider] = await Promise.all([
    streams.read(memberships, ids),
    // Guarded, so that nothing is reported for a provider that is being removed.
    streams.read(identityProviders, ids),
  ])
  return { before, provider }
}

const decideReport = async (
  runtime: Runtime,
  call: AdmittedCall,
  streams: Streams,
  { idpId, userId, groups }: z.output<typeof ReportMembershipInput>,
): Promise<Result<readonly StreamChange[], WriteError>> => {
  const ids = { idpId, userId }
  const { before, provider } = await read(streams, ids)
  if (!exists(provider.state)) return err({ kind: 'NotFound', object: identityProviders.ref(ids) })
  const report = await mappedReport(runtime, call, { ids, groups, before })
  return membership
    .decide({ type: 'ReportMembership', data: { ...ids, ...report } }, before.state)
    .map((events) => [change(before, events)])
}

const HOUR_MS = 3_600_000

/** At most this many reports that change nothing are recorded in the time that a report counts. */
const RENEWALS = 10

/** The `groups` that have mappings at the end of the log, and whether they have to be recorded again. */
const mappedReport = async (
  runtime: Runtime,
  { orgId, signal }: AdmittedCall,
  {
    ids: { idpId },
    groups,
    before,
  }: {
    readonly ids: MembershipKey
    readonly groups: readonly GroupName[]
    readonly before: AnyStreamState
  },
): Promise<Pick<ReportMembership['data'], 'groups' | 'isDue'>> => {
  const wanted = [...new Set(groups)]
  const query = { orgId, idpId, groups: wanted }
  const strong = { consistency: 'strong', signal } as const
  const mapped =
    wanted.length === 0
      ? []
      : await runtime.query(strong, { method: 'mappedGroups', args: [query] })
  const named = new Set(mapped.map(({ group }) => group))
  const age = runtime.now().getTime() - timeOf(before.changed).getTime()
  return {
    groups: wanted.filter((group) => named.has(group)).sort(compareCodePoints),
    isDue: mapped.some(
      ({ since, validFor }) =>
        since > before.changed || (validFor !== undefined && age * RENEWALS >= validFor * HOUR_MS),
    ),
  }
}

import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { type Membership, membership, memberships } from '../../domain/membership/aggregate.js'
import {
  GroupName,
  type IdpId,
  listOf,
  MAX_REPORTED_GROUPS,
  type UserId,
} from '../../domain/values.js'
import type { MappedGroup } from '../../ports/access-reads.js'
import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import { compareCodePoints } from '../../projections/row-order.js'
import type { WriteError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { firstPositionIn } from '../method/input.js'
import { type Outcome, type Read, type Write, write } from '../method/method.js'
import {
  get,
  type ListOptions,
  list,
  listFields,
  type Page,
  type TextFilter,
} from '../reading/list.js'
import {
  type AnyStreamState,
  change,
  type StreamChange,
  StreamState,
} from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { fromPort } from '../waiting.js'
import { changesOf, specOf, writeObject } from '../writing/write-object.js'

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
    report: write(runtime, specOf(memberships, REPORT), (call, input) =>
      recordReport(runtime, call, input),
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

const REPORT = { method: 'memberships.report', schema: ReportMembershipInput, isNew: false }

type Report = z.output<typeof ReportMembershipInput>

/**
 * Records a report. A mapping that was added while the report was decided may precede it in the log; the report is
 * then recorded again with its group, because a mapping counts from the next report on.
 */
const recordReport = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: Report,
): Promise<Result<Outcome<MembershipInput>, WriteError>> => {
  const { idpId, userId } = input
  const record = (each: AdmittedCall) =>
    writeObject(runtime, each, {
      input,
      aggregate: memberships,
      decide: (streams) => decideReport(runtime, each, streams, input),
      ids: (): MembershipInput => ({ idpId, userId }),
    })
  const first = await record(call)
  if (first.isErr() || !('idpId' in first.value)) return first
  // The key, the expected sequence and the host's rows belong to the first append.
  const again = {
    ...call,
    idempotencyKey: undefined,
    expectedSequence: undefined,
    inTransaction: undefined,
  }
  let written = first.value
  for (;;) {
    const { events } = written
    const next = await catchFaults(async () =>
      (await missesMapping(runtime, call, input, events.at(-1))) ? record(again) : ok(undefined),
    )
    // The report is recorded. If it cannot be recorded again, the mapping counts from the next report on, as one that is
    // added a moment later.
    if (next.isErr() || next.value === undefined || !('idpId' in next.value)) return ok(written)
    written = { ...next.value, changed: true, events: [...events, ...next.value.events] }
  }
}

/** Whether a group of the report that it was recorded without has a mapping before it in the log. */
const missesMapping = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: Report,
  recorded: RecordedEvent | undefined,
): Promise<boolean> => {
  if (recorded === undefined) return false
  const { state } = new StreamState(memberships, recorded.stream).replay([recorded])
  const groups = exists(state) ? state.groups : []
  const without = input.groups.filter((group) => !groups.includes(group))
  const mapped = await mappedGroups(runtime, call, { ...input, groups: without })
  return mapped.some(({ since }) => since < recorded.position)
}

const decideReport = async (
  runtime: Runtime,
  call: AdmittedCall,
  streams: Streams,
  input: Report,
): Promise<Result<readonly StreamChange[], WriteError>> => {
  const { idpId, userId } = input
  const ids = { idpId, userId }
  const [mapped] = await Promise.all([
    mappedGroups(runtime, call, input),
    cacheLastReport(runtime, call, ids),
  ])
  const { before, provider } = await read(streams, ids)
  if (!exists(provider.state)) return err({ kind: 'NotFound', object: identityProviders.ref(ids) })
  const named = new Set(mapped.map(({ group }) => group))
  const groups = [...new Set(input.groups)]
    .filter((group) => named.has(group))
    .sort(compareCodePoints)
  const isDue = mapped.some((mapping) => isToRenew(mapping, before, runtime.now()))
  return membership
    .decide({ type: 'ReportMembership', data: { ...ids, groups, isDue } }, before.state)
    .map((events) => [change(before, events)])
}

const strongOf = ({ signal }: AdmittedCall) => ({ consistency: 'strong', signal }) as const

/** The mappings of the groups of a report at the end of the log. */
const mappedGroups = async (
  runtime: Runtime,
  call: AdmittedCall,
  { idpId, groups }: Report,
): Promise<readonly MappedGroup[]> => {
  if (groups.length === 0) return []
  const query = { orgId: call.orgId, idpId, groups: [...new Set(groups)] }
  return runtime.query(strongOf(call), { method: 'mappedGroups', args: [query] })
}

/**
 * Caches a membership as its last event left it. Reports are recorded again and again; without this, the first call of a
 * process would read all of them.
 */
const cacheLastReport = async (
  { states, store, query }: Runtime,
  call: AdmittedCall,
  ids: MembershipKey,
): Promise<void> => {
  const { orgId } = call
  const name = memberships.stream(orgId, ids)
  if (states.get(memberships, name)) return
  const object = memberships.ref(ids)
  const types = [memberships.adds, memberships.removes]
  const newest = { orgId, object, types, after: 0n, order: 'desc', limit: 1 } as const
  const [row, [entry]] = await Promise.all([
    query<'get', 'membership'>(strongOf(call), { method: 'get', args: [orgId, object] }),
    query(strongOf(call), { method: 'history', args: [newest] }),
  ])
  if (!entry) return
  const recorded = await fromPort(() => store.readAll(entry.sequence - 1n, 1))
  const last = new StreamState(memberships, name).replay(recorded)
  const created = row ? firstPositionIn(row.details.creationDate) : last.created
  if (last.name === recorded[0]?.stream)
    states.set(new StreamState(memberships, name, { ...last, created }))
}

const HOUR_MS = 3_600_000

/** At most this many reports that change nothing are recorded in the time that a report counts. */
const RENEWALS = 10

/** Whether a report of the same groups is recorded again, for a mapping of one of them. */
const isToRenew = (
  { since, validFor }: MappedGroup,
  { changed }: AnyStreamState,
  now: Date,
): boolean => {
  const age = now.getTime() - timeOf(changed).getTime()
  return since > changed || (validFor !== undefined && age * RENEWALS >= validFor * HOUR_MS)
}

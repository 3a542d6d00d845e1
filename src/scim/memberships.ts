import type { RecordedEvent } from '../index.js'
import {
  type Directory,
  type GroupRecord,
  groupRecords,
  type UserRecord,
  untilDone,
  userRecords,
} from './records.js'
import { invalid, refusalFor } from './refusal.js'

/** The name that role mappings know a group by; undefined for a group that gives nothing. */
export const mappedName = ({ place }: Directory, group: GroupRecord): string | undefined =>
  group.deleted ? undefined : group[place.groupName ?? 'displayName']

/** Returns the name of a group for role mappings. */
export type GroupNames = (id: string) => Promise<string | undefined>

/** Reads the name of each group once. */
export const groupNames = (at: Directory): GroupNames => {
  const names = new Map<string, Promise<string | undefined>>()
  const read = async (id: string) => {
    const group = await groupRecords.read(at, id)
    return group && mappedName(at, group.value)
  }
  return (id) => {
    const name = names.get(id) ?? read(id)
    names.set(id, name)
    return name
  }
}

const namesOf = async (names: GroupNames, ids: readonly string[]): Promise<readonly string[]> => {
  const found = await Promise.all(ids.map(names))
  return [...new Set(found.filter((name) => name !== undefined))]
}

/** Most groups of a report. */
const MAX_GROUPS = 1_000

/**
 * Changes the record of a user, then the membership. The record `owes` in between, so the next request that concerns the
 * user completes an interrupted one. For groups in `named`, this push counts; for others, a later sign-in does.
 */
export const changeUser = async (
  at: Directory,
  userId: string,
  change: (before: UserRecord) => UserRecord,
  { names, named = [] }: { readonly names?: GroupNames; readonly named?: readonly string[] } = {},
): Promise<void> => {
  let known = names ?? groupNames(at)
  await untilDone(async () => {
    // Read before the record: if both change meanwhile, the report is refused.
    const member = await membershipOf(at, userId)
    const kept = await userRecords.read(at, userId)
    const before = kept?.value ?? { active: true, groups: [], said: [] }
    const wanted = change(before)
    const pushed = wanted.active ? await namesOf(known, wanted.groups) : []
    const spoken = await namesOf(known, named)
    known = groupNames(at)
    const isFresh = (name: string) =>
      before.owes || !before.said.includes(name) || spoken.includes(name)
    const ours = [...new Set([...before.said, ...pushed, ...spoken])]
    const version = kept?.version ?? 0
    const owing = { ...wanted, said: ours, owes: true }
    if (!(await userRecords.write(at, userId, { value: owing, version }))) return undefined
    // A group that a sign-in has left out since it was pushed stays out.
    const groups = pushed.filter((name) => isFresh(name) || member?.groups.includes(name))
    const others = (member?.groups ?? []).filter((name) => !ours.includes(name))
    const recorded = wanted.active
      ? await report(at, userId, member, [...groups, ...(await lasting(at, others))])
      : await remove(at, userId, member)
    if (!recorded) return undefined
    const said = pushed.filter((name) => !groups.includes(name) || recorded.includes(name))
    const settled = { ...wanted, said, owes: false }
    return (
      (await userRecords.write(at, userId, { value: settled, version: version + 1 })) || undefined
    )
  })
}

interface Member {
  readonly groups: readonly string[]
  readonly sequence: bigint
}

export const contextOf = ({ place: { caller, orgId } }: Directory) => ({ caller, orgId })

const membershipOf = async (at: Directory, userId: string): Promise<Member | undefined> => {
  const { idpId } = at.place
  const found = await at.iam.memberships.get({ idpId, userId }, contextOf(at))
  if (found.isOk()) return { groups: found.value.groups, sequence: found.value.details.sequence }
  if (found.error.kind === 'NotFound') return undefined
  throw refusalFor(found.error)
}

/** Reports groups. Returns those with a mapping, or undefined if the membership has changed since it was read. */
const report = async (
  at: Directory,
  userId: string,
  member: Member | undefined,
  groups: readonly string[],
): Promise<readonly string[] | undefined> => {
  if (groups.length > MAX_GROUPS) throw invalid(`A user may have at most ${MAX_GROUPS} groups`)
  const context = { ...contextOf(at), ...(member && { expectedSequence: member.sequence }) }
  const { idpId } = at.place
  const result = await at.iam.memberships.report({ idpId, userId, groups }, context)
  if (result.isOk()) return groupsIn(result.value.events.at(-1)) ?? member?.groups ?? []
  if (result.error.kind === 'SequenceMismatch') return undefined
  throw refusalFor(result.error)
}

const groupsIn = (event: RecordedEvent | undefined): readonly string[] | undefined => {
  const groups: unknown = event && Reflect.get(event.data, 'groups')
  return Array.isArray(groups) ? groups : undefined
}

/** Removes the membership; undefined if it has changed since it was read. */
const remove = async (
  at: Directory,
  userId: string,
  member: Member | undefined,
): Promise<readonly string[] | undefined> => {
  // Another request may have added one since: removing it could undo that request.
  if (!member) return []
  const context = { ...contextOf(at), expectedSequence: member.sequence }
  const removed = await at.iam.memberships.remove({ idpId: at.place.idpId, userId }, context)
  if (removed.isOk() || removed.error.kind === 'NotFound') return []
  if (removed.error.kind === 'SequenceMismatch') return undefined
  throw refusalFor(removed.error)
}

/**
 * Returns the groups that no mapping with `validFor` names. Only a sign-in reported them, and a push must not extend how
 * long a sign-in counts.
 */
const lasting = async (at: Directory, groups: readonly string[]): Promise<readonly string[]> => {
  const limited = await Promise.all(
    groups.map(async (group) => {
      const filter = { idpId: { equals: at.place.idpId }, group: { equals: group } }
      const found = await at.iam.roleMappings.list({ filter, pageSize: 1000 }, contextOf(at))
      if (found.isErr()) throw refusalFor(found.error)
      const { items, nextPageToken } = found.value
      return nextPageToken !== undefined || items.some(({ validFor }) => validFor !== undefined)
    }),
  )
  return groups.filter((_, index) => !limited[index])
}

import { isObject, type JsonObject } from '../handlers/body.js'
import { hashOf } from '../handlers/hash.js'
import { itemsOf, keyOf, matches } from './filter.js'
import { changeUser, groupNames, mappedName } from './memberships.js'
import {
  type Directory,
  forAll,
  type GroupRecord,
  groupRecords,
  untilDone,
  userRecords,
  type Versioned,
} from './records.js'
import { invalid, ScimRefusal } from './refusal.js'
import { type Resources, textIn, versionOf } from './resources.js'

/** `Groups`: their members become memberships. */
export const groups: Resources = {
  // Entra ID advises against a list of all members.
  patchesSilently: true,
  list: async (at, filter) => {
    const [all, members] = await Promise.all([groupRecords.list(at), membersOf(at)])
    return all
      .filter(([, { value }]) => !value.deleted)
      .map(([id, group]) => resourceOf(at, id, group, members.get(id)))
      .filter((resource) => !filter || matches(filter, resource))
      .map((resource) => async () => resource)
  },
  show: async (at, id) => {
    const group = await groupRecords.read(at, id)
    if (!group || group.value.deleted) return undefined
    return resourceOf(at, id, group, (await membersOf(at)).get(id))
  },
  create: async (at, body) => {
    const now = new Date().toISOString()
    const displayName = nameIn(body, 'displayName')
    if (displayName === undefined) throw invalid('displayName is missing')
    const externalId = nameIn(body, 'externalId')
    const named = { displayName, externalId, created: now, changed: now, idFrom: '' }
    const group = { ...named, idFrom: mappedName(at, named) ?? crypto.randomUUID() }
    const members = memberIdsIn(body) ?? []
    await refuseUnknown(at, members)
    const id = await untilDone(async () => {
      // The id comes from the name, so that two requests at once cannot add it twice.
      const others = await othersOf(at, group)
      const number = others.filter(({ idFrom }) => idFrom === group.idFrom).length
      const tried = await hashOf([at.place.orgId, at.place.idpId, group.idFrom, number])
      return (await groupRecords.write(at, tried, { value: group, version: 0 })) ? tried : undefined
    })
    await changeMembers(at, id, { value: group, version: 1 }, new Set(members))
    return id
  },
  write: async (at, before, after) => {
    const id = String(before['id'])
    const kept = await groupRecords.read(at, id)
    if (!kept || etagOf(kept) !== versionOf(before)) return false
    const { displayName, externalId } = kept.value
    const next = {
      ...kept.value,
      displayName: nameIn(after, 'displayName') ?? displayName,
      externalId: nameIn(after, 'externalId') ?? externalId,
      changed: new Date().toISOString(),
    }
    const isRenamed = mappedName(at, next) !== mappedName(at, kept.value)
    if (isRenamed) await othersOf(at, next, id)
    const known = memberIdsIn(before) ?? []
    const members = memberIdsIn(after) ?? known
    await refuseUnknown(
      at,
      members.filter((member) => !known.includes(member)),
    )
    const value = { ...next, owes: isRenamed || kept.value.owes === true }
    if (!(await groupRecords.write(at, id, { value, version: kept.version }))) return false
    await changeMembers(
      at,
      id,
      { value, version: kept.version + 1 },
      new Set(members),
      new Set(known),
    )
    return true
  },
  remove: (at, id) =>
    untilDone(async () => {
      const kept = await groupRecords.read(at, id)
      if (!kept || (kept.value.deleted && !kept.value.owes)) return false
      const value = { ...kept.value, deleted: true, owes: true }
      if (!(await groupRecords.write(at, id, { ...kept, value }))) return undefined
      const known = new Set((await membersOf(at)).get(id))
      await changeMembers(at, id, { value, version: kept.version + 1 }, new Set(), known)
      return true
    }),
}

/**
 * Adds and removes members. The group `owes` until all of them reflect its new name or deletion. Interrupted changes of
 * single members are completed too.
 */
const changeMembers = async (
  at: Directory,
  id: string,
  written: Versioned<GroupRecord>,
  after: ReadonlySet<string>,
  before: ReadonlySet<string> = new Set(),
): Promise<void> => {
  const { displayName, externalId, owes } = written.value
  const affected = new Set(
    [...after, ...before].filter((each) => after.has(each) !== before.has(each)),
  )
  for (const [userId, { value: user }] of await userRecords.list(at)) {
    const isOurs = user.groups.includes(id)
    const isConcerned =
      isOurs || user.said.some((name) => name === displayName || name === externalId)
    if ((isOurs && owes) || (isConcerned && user.owes)) affected.add(userId)
  }
  const names = groupNames(at)
  await forAll(affected, (userId) => {
    const isIn = after.has(userId)
    const isChanged = isIn !== before.has(userId)
    return changeUser(
      at,
      userId,
      (user) => {
        if (!isChanged || user.groups.includes(id) === isIn) return user
        return {
          ...user,
          groups: isIn ? [...user.groups, id] : user.groups.filter((each) => each !== id),
        }
      },
      { names, named: isChanged ? [id] : [] },
    )
  })
  const now = await groupRecords.read(at, id)
  // Another request has renamed or deleted the group, and may have missed members that were added meanwhile.
  if (now && mappedName(at, now.value) !== mappedName(at, written.value))
    return changeMembers(at, id, { ...now, value: { ...now.value, owes: true } }, after, before)
  if (now?.value.owes && now.version === written.version)
    await groupRecords.write(at, id, { ...now, value: { ...now.value, owes: false } })
}

/** Ids of members by group; reads all users that were pushed. */
const membersOf = async (at: Directory): Promise<ReadonlyMap<string, readonly string[]>> => {
  const members = new Map<string, string[]>()
  for (const [userId, { value }] of await userRecords.list(at))
    for (const id of value.groups) {
      const others = members.get(id)
      if (others) others.push(userId)
      else members.set(id, [userId])
    }
  return members
}

const memberIdsIn = (body: JsonObject): readonly string[] | undefined => {
  const members = body[keyOf(body, 'members')]
  if (members === undefined || members === null) return undefined
  return itemsOf(members).map((item, index) => {
    const id = isObject(item) ? item['value'] : undefined
    if (typeof id !== 'string' || id === '') throw invalid(`members[${index}].value must be text`)
    return id
  })
}

/** Members must be users of the host. @throws Refusal before anything is written */
const refuseUnknown = (at: Directory, ids: readonly string[]): Promise<void> =>
  forAll(new Set(ids), async (id) => {
    if (!(await at.users.get(id, at.place))) throw invalid(`No user has the id ${id.slice(0, 200)}`)
  })

/** A text that can name a group in a role mapping, as claviger bounds it. */
const nameIn = (body: JsonObject, key: string): string | undefined => {
  const text = textIn(body, key)
  if (text !== undefined && ([...text].length > 200 || !text.isWellFormed() || text.includes('\0')))
    throw invalid(`${key} must have at most 200 characters, and no NUL`)
  return text
}

/** The other groups, deleted ones too. @throws Refusal if role mappings could not tell one from this */
const othersOf = async (
  at: Directory,
  group: GroupRecord,
  id?: string,
): Promise<readonly GroupRecord[]> => {
  const all = await groupRecords.list(at)
  const others = all.filter(([other]) => other !== id).map(([, { value }]) => value)
  const name = mappedName(at, group)
  if (name !== undefined && others.some((other) => mappedName(at, other) === name))
    throw new ScimRefusal(409, 'uniqueness', 'There is such a group already')
  return others
}

const etagOf = ({ version }: Versioned<GroupRecord>): string => `W/"${version}"`

const resourceOf = (
  { basePath }: Directory,
  id: string,
  group: Versioned<GroupRecord>,
  members: readonly string[] = [],
): JsonObject => {
  const { displayName, externalId, created, changed: lastModified } = group.value
  const location = `${basePath}/Groups/${encodeURIComponent(id)}`
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    id,
    ...(externalId !== undefined && { externalId }),
    displayName,
    members: members.map((value) => ({ value, type: 'User' })),
    meta: { resourceType: 'Group', created, lastModified, version: etagOf(group), location },
  }
}

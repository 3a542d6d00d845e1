import type { JsonObject } from '../handlers/body.js'
import { hashOf } from '../handlers/hash.js'
import { Refusal } from '../handlers/refusal.js'
import { keyOf, matches } from './filter.js'
import { changeUser, contextOf } from './memberships.js'
import type { FoundScimUser, ScimUser } from './ports.js'
import { type Directory, forAll, type UserRecord, untilDone, userRecords } from './records.js'
import { invalid, refusalFor, ScimRefusal } from './refusal.js'
import { type Resources, textIn } from './resources.js'

/** `Users`: those of the host. */
export const users: Resources = {
  patchesSilently: false,
  list: async (at, filter) => {
    if (!filter) {
      const pushed = (await userRecords.list(at)).filter(([, { value }]) => !value.deleted)
      const found = new Map<string, FoundScimUser>()
      // The host may have deleted users: a total that counts them would never be reached.
      await forAll(pushed, async ([id]) => {
        const user = await at.users.get(id, at.place)
        if (user) found.set(id, user)
      })
      return pushed.flatMap(([id, { value }]) => {
        const user = found.get(id)
        return user ? [() => resourceOf(at, id, user, value)] : []
      })
    }
    const texts = filter.map(({ path, value }) => [path.join('.').toLowerCase(), value] as const)
    const [id, userName, externalId] = ['id', 'username', 'externalid'].map((name) => {
      const [, text] =
        texts.find(([each, value]) => each === name && typeof value === 'string') ?? []
      return text === undefined ? undefined : String(text)
    })
    if (id === undefined && userName === undefined && externalId === undefined)
      throw new ScimRefusal(
        400,
        'invalidFilter',
        'Users are found by userName eq, externalId eq or id eq',
      )
    const by = {
      ...(userName !== undefined && { userName }),
      ...(externalId !== undefined && { externalId }),
    }
    const found = id ?? (await at.users.find(by, at.place))?.id
    const user = found === undefined ? undefined : await users.show(at, found)
    return user && matches(filter, user) ? [async () => user] : []
  },
  show: async (at, id) => {
    const user = await at.users.get(id, at.place)
    const record = user && (await userRecords.read(at, id))
    return user && !record?.value.deleted ? resourceOf(at, id, user, record?.value) : undefined
  },
  create: async (at, body) => {
    const user = userIn(body)
    const found = await at.users.find({ userName: user.userName }, at.place)
    if (found && !(await userRecords.read(at, found.id))?.value.deleted)
      throw new ScimRefusal(409, 'uniqueness', 'There is a user with this userName already')
    if (!found && !at.users.create)
      throw new Refusal(501, 'Users are not created here: invite them, then push them again')
    // A user who was deleted here comes back.
    const id = found?.id ?? (await at.users.create?.(user, at.place))?.id
    if (id === undefined) throw new TypeError('users.create must return the user')
    await setActive(at, id, user.active ?? true)
    if (found) await at.users.update?.(id, user, at.place)
    return id
  },
  write: async (at, before, after) => {
    const id = String(before['id'])
    const user = userIn(after)
    await setActive(at, id, user.active)
    await at.users.update?.(id, user, at.place)
    return true
  },
  remove: async (at, id) => {
    const [user, record] = await Promise.all([at.users.get(id, at.place), userRecords.read(at, id)])
    if (!user || (record?.value.deleted && !record.value.leaving)) return false
    await setActive(at, id, false, true)
    await at.users.update?.(id, { ...user, active: false }, at.place)
    return untilDone(async () => {
      const kept = await userRecords.read(at, id)
      if (!kept?.value.deleted) return true
      const value = { ...kept.value, leaving: false }
      return (await userRecords.write(at, id, { ...kept, value })) || undefined
    })
  },
}

const resourceOf = async (
  { basePath }: Directory,
  id: string,
  user: FoundScimUser,
  record: Pick<UserRecord, 'active'> = { active: true },
): Promise<JsonObject> => {
  // Passwords are never returned (RFC 7643, section 4.1.1).
  const { password: _, groups: __, meta, ...attributes } = user
  const extensions = Object.keys(attributes).filter((name) => name.startsWith('urn:'))
  const shown = {
    ...attributes,
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ...extensions],
    active: record.active && user.active !== false,
  }
  const location = `${basePath}/Users/${encodeURIComponent(id)}`
  const version = `W/"${await hashOf(shown)}"`
  return { ...shown, meta: { ...Object(meta), resourceType: 'User', version, location } }
}

/** Activates a user, which gives the roles of the groups again, or deactivates one; undefined keeps the state. */
const setActive = async (
  at: Directory,
  userId: string,
  wanted: boolean | undefined,
  deleted = false,
): Promise<void> => {
  await changeUser(at, userId, (before) => ({
    ...before,
    active: wanted ?? before.active,
    deleted,
    leaving: deleted,
    groups: deleted ? [] : before.groups,
  }))
  if (wanted !== false || at.leavers === 'memberships') return
  const removed = await at.iam.userGrants.removeAllOfUser({ userId }, contextOf(at))
  if (removed.isErr()) throw refusalFor(removed.error)
}

/** Attributes that the host does not store. */
const OURS = ['schemas', 'id', 'meta', 'groups', 'username', 'externalid', 'active']

/** A user as the host gets it. @throws Refusal if `userName` is missing */
const userIn = (body: JsonObject): ScimUser => {
  const userName = textIn(body, 'userName')
  if (userName === undefined) throw invalid('userName is missing')
  const externalId = textIn(body, 'externalId')
  const active = activeIn(body)
  const others = Object.entries(body).filter(([name]) => !OURS.includes(name.toLowerCase()))
  return {
    ...Object.fromEntries(others),
    userName,
    ...(externalId !== undefined && { externalId }),
    ...(active !== undefined && { active }),
  }
}

/** Entra ID sends `"False"` as text. */
const activeIn = (body: JsonObject): boolean | undefined => {
  const text = String(body[keyOf(body, 'active')] ?? '').toLowerCase()
  if (text === '') return undefined
  if (text !== 'true' && text !== 'false') throw invalid('active must be true or false')
  return text === 'true'
}

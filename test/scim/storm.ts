import { type EventStore, memoryEventStore, orThrow } from 'claviger'
import { memoryScimRecords, type ScimRecords } from 'claviger/scim'
import { expect } from 'vitest'
import { admin, clientOf, members, openHost, patchOf, userTable } from './host.js'

/** Numbers from 0 to 1, the same for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A resource or a list of them. */
interface Pushed {
  readonly id: string
  readonly Resources: readonly Pushed[]
}

/** A process: it lives for a number of calls of its ports, and faults happen before or after a call. */
const processOf = (random: () => number) => {
  const life = { calls: Number.POSITIVE_INFINITY }
  const spoilt = async <Value>(call: () => Value | Promise<Value>): Promise<Value> => {
    if (life.calls-- <= 0) throw new Error('killed')
    if (random() < 0.02) throw new Error('fault before')
    const value = await call()
    if (life.calls <= 0) throw new Error('killed')
    if (random() < 0.02) throw new Error('fault after')
    return value
  }
  return { life, spoilt }
}

/**
 * Directories push to processes whose stores fail and which are killed, and repeat every push until it is answered. In
 * the end memberships are exactly what was pushed.
 */
export const storm = async (pushes: number, seed: number): Promise<void> => {
  const random = randomOf(seed)
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('nothing to pick')
    return item
  }
  const store = memoryEventStore()
  const records = memoryScimRecords()
  const host = await openHost(store)
  const userIds = Array.from({ length: 10 }, (_, index) => `u-${index}`)
  const { users } = userTable(userIds)
  const names = ['red', 'green', 'blue', 'white'].flatMap((name) => [name, `${name} 2`])
  for (const name of names) await host.map(name)
  // Another provider of the organization, and another organization, are not part of the storm.
  await host.map('other', 'auditor', 'okta')
  const { idpId } = host.place('okta')
  for (const userId of userIds)
    await orThrow(
      host.iam.memberships.report({ idpId, userId, groups: ['other'] }, { caller: admin() }),
    )

  const start = () => {
    const { life, spoilt } = processOf(random)
    const append: EventStore['append'] = (...given) => spoilt(() => store.append(...given))
    const faulty: ScimRecords = {
      read: (...given) => spoilt(() => records.read(...given)),
      write: (...given) => spoilt(() => records.write(...given)),
      list: (...given) => spoilt(() => records.list(...given)),
    }
    const iam = host.open({ ...store, append })
    const options = { users, records: faulty, leavers: 'memberships', onError: () => {} } as const
    return { life, client: clientOf(iam, host.place, options) }
  }
  let running = start()
  let kills = 0
  let left = pushes
  /** Sends until there is an answer of success; the process may be killed meanwhile. */
  const push = async (method: string, path: string, body?: object): Promise<Pushed> => {
    left--
    for (let attempt = 0; attempt < 200; attempt++) {
      const { life, client } = running
      if (random() < 0.05) life.calls = Math.min(life.calls, Math.floor(random() * 12))
      const answer = await client.send({ method, path, ...(body && { body }) })
      if (life.calls <= 0 && running.life === life) {
        kills++
        running = start()
      }
      if (answer.status < 300) return answer.body
      // A repeated deletion or addition may find that the first was completed.
      if (answer.status === 404 && method === 'DELETE' && attempt > 0) return answer.body
      if (answer.status === 409 && attempt > 0) {
        const filter = `filter=displayName eq "${Reflect.get(Object(body), 'displayName')}"`
        const [found] = (await push('GET', `/Groups?${filter}`)).Resources
        if (found) return found
      }
      expect([method, path, [500, 503].includes(answer.status), answer.body]).toEqual([
        method,
        path,
        true,
        answer.body,
      ])
    }
    throw new Error(`${method} ${path} never succeeds`)
  }

  /** What each lane has pushed. */
  const groups = new Map<string, { id: string; name: string; members: Set<string> }>()
  const inactive = new Set<string>()
  let changing: string | undefined
  const some = () => userIds.filter(() => random() < 0.3)
  /** What an answered push says holds at once, but for a user who is being changed. */
  const check = async (color: string, path: string) => {
    const before = changing
    const found = await membershipsOf(host.place('entra').idpId)
    const group = groups.get(color)
    for (const userId of userIds) {
      if ([before, changing].includes(userId)) continue
      const has = (found.get(userId) ?? []).some((name) => name.startsWith(color))
      const wanted = group?.members.has(userId) === true && !inactive.has(userId)
      expect([path, userId, has]).toEqual([path, userId, wanted])
    }
  }
  const groupLane = async (color: string): Promise<void> => {
    while (left > 0) {
      const group = groups.get(color)
      if (!group) {
        const { id } = await push('POST', '/Groups', { displayName: color })
        groups.set(color, { id, name: color, members: new Set() })
        continue
      }
      const path = `/Groups/${group.id}`
      const chosen = some()
      const action = pick(['add', 'remove', 'replace', 'put', 'rename', 'delete', 'add'] as const)
      if (action === 'delete') {
        if (random() < 0.7) continue
        await push('DELETE', path)
        groups.delete(color)
      } else if (action === 'rename') {
        const name = pick([color, `${color} 2`])
        await push('PATCH', path, patchOf({ op: 'Replace', path: 'displayName', value: name }))
        group.name = name
      } else if (action === 'put') {
        await push('PUT', path, { displayName: group.name, members: members(...chosen) })
        group.members = new Set(chosen)
      } else {
        await push(
          'PATCH',
          path,
          patchOf({ op: action, path: 'members', value: members(...chosen) }),
        )
        if (action === 'replace') group.members = new Set(chosen)
        for (const userId of chosen)
          if (action === 'remove') group.members.delete(userId)
          else group.members.add(userId)
      }
      await check(color, path)
    }
  }
  const userLane = async (): Promise<void> => {
    while (left > 0) {
      const userId = pick(userIds)
      const active = random() < 0.5
      changing = userId
      await push('PUT', `/Users/${userId}`, { userName: userId, active })
      if (active) inactive.delete(userId)
      else inactive.add(userId)
      if (!active) {
        const found = await membershipsOf(host.place('entra').idpId)
        // It may only be inactive: nothing gives it anything until it is active again.
        expect([userId, found.get(userId) ?? []]).toEqual([userId, []])
      }
      changing = undefined
    }
  }
  const membershipsOf = async (provider: string) => {
    const filter = { idpId: { equals: provider } }
    const all = await orThrow(host.iam.memberships.list({ filter }, { caller: admin() }))
    return new Map(all.items.map(({ userId, groups }) => [userId, groups]))
  }
  await Promise.all([...['red', 'green', 'blue', 'white'].map(groupLane), userLane()])

  const found = await membershipsOf(host.place('entra').idpId)
  const wanted = (userId: string) =>
    inactive.has(userId)
      ? []
      : [...groups.values()].filter(({ members }) => members.has(userId)).map(({ name }) => name)
  expect(userIds.map((userId) => [userId, [...(found.get(userId) ?? [])].sort()])).toEqual(
    userIds.map((userId) => [userId, wanted(userId).sort()]),
  )
  const others = await membershipsOf(idpId)
  expect([...others.values()]).toEqual(userIds.map(() => ['other']))
  expect(kills).toBeGreaterThan(pushes / 100)
}

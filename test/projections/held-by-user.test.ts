import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HeldByUser } from '../../src/projections/held-by-user.js'

/** A value that changes nothing when it is shared. */
interface Held {
  readonly name: string
}

const USERS = 40
const SCOPES = 6

/** Scopes 0 to 2 are of one group, 3 to 5 of another. */
const isOfFirst = (scope: number): boolean => scope < SCOPES / 2

const step = fc.record({
  does: fc.constantFrom('set', 'set', 'set', 'delete', 'end'),
  user: fc.nat(USERS - 1),
  scope: fc.nat(SCOPES - 1),
  name: fc.constantFrom('a', 'b', 'c'),
  isShared: fc.boolean(),
})

test('A value is found by user and scope until it is replaced or deleted, or its group ends', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const held = new HeldByUser<Held>()
      const expected = new Map<string, string>()
      const ended = new Set<boolean>()
      const groups = [held.newGroup(), held.newGroup()]
      const groupOf = (scope: number) => groups[isOfFirst(scope) ? 0 : 1] ?? -1
      for (let scope = 0; scope < SCOPES; scope++) expect(held.newScope(groupOf(scope))).toBe(scope)
      for (const { does, user, scope, name, isShared } of steps) {
        const of = `${user} ${scope}`
        if (does === 'end' && user === 0) {
          held.end(groupOf(scope))
          ended.add(isOfFirst(scope))
        }
        if (ended.has(isOfFirst(scope))) continue
        if (does === 'set') {
          held.set(`user${user}`, scope, isShared ? name : undefined, () => ({ name }))
          expected.set(of, name)
        }
        if (does === 'delete') {
          held.delete(`user${user}`, scope)
          expected.delete(of)
        }
      }
      for (let user = 0; user < USERS; user++)
        for (let scope = 0; scope < SCOPES; scope++)
          if (!ended.has(isOfFirst(scope)))
            expect(held.get(`user${user}`, scope)?.name).toBe(expected.get(`${user} ${scope}`))
    }),
    { numRuns: 200 },
  )
})

describe('What many users hold', () => {
  const world = () => {
    const held = new HeldByUser<Held>()
    const group = held.newGroup()
    const scope = held.newScope(group)
    let made = 0
    const give = (userId: string, key: string | undefined, to = scope) =>
      held.set(userId, to, key, () => ({ name: `${++made}` }))
    return { held, group, scope, give, made: () => made }
  }

  test('is kept once under its key, and alone without one', () => {
    const { held, scope, give, made } = world()
    for (let user = 0; user < 1_000; user++) give(`user${user}`, 'reader')
    expect(made()).toBe(1)
    give('user1', undefined)
    give('user2', undefined)
    expect(made()).toBe(3)
    expect(held.get('user0', scope)).toBe(held.get('user3', scope))
    expect(held.get('user1', scope)).not.toBe(held.get('user2', scope))
  })

  test('is forgotten with the last user', () => {
    const { held, scope, give, made } = world()
    give('bob', 'reader')
    give('eve', 'reader')
    held.delete('bob', scope)
    give('bob', 'reader')
    expect(made()).toBe(1)
    held.delete('bob', scope)
    give('eve', 'writer')
    give('bob', 'reader')
    expect(made()).toBe(3)
  })

  test('takes no memory after a group ended, once others follow', () => {
    const { held, group, give, made } = world()
    for (let user = 0; user < 1_000; user++) give(`user${user}`, 'reader')
    held.end(group)
    const other = held.newScope(held.newGroup())
    for (let user = 0; user < 2_000; user++) give(`user${user}`, 'writer', other)
    give('user1', 'reader', other)
    expect(made()).toBe(3)
    expect(() => give('user1', 'reader')).toThrow('has ended')
  })
})

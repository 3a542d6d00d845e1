import { describe, expect, test } from 'vitest'
import type { AnyState } from '../../src/domain/aggregates.js'
import type { Fact } from '../../src/domain/facts.js'
import { emptyWorld, replaceFact } from '../../src/projections/replace-fact.js'
import { SortedMap } from '../../src/projections/sorted-map.js'
import {
  type Assignment,
  countedOfMember,
  type Group,
  type GroupMember,
  onPlaces,
} from '../../src/projections/world.js'

const NOW = { now: new Date() }
const OF_PROJECT = { projectOrgId: 'own', projectId: 'p' }
const PROVIDER = { orgId: 'other', idpId: 'okta' }
const ACTIVE: AnyState = { status: 'active', groups: [] }
const EXPIRES = { expiresAt: '2999-01-01T00:00:00.000Z' }

const project: Fact = { in: 'project', ...OF_PROJECT, state: 'active' }
const role: Fact = { in: 'role', ...OF_PROJECT, roleKey: 'a', since: 1, permissions: [] }
const projectGrant: Fact = {
  ...{ in: 'project_grant', ...OF_PROJECT, orgId: 'other', state: 'active' },
  roles: [{ roleKey: 'a', roleSince: 1, since: 1 }],
}
const provider: Fact = { in: 'provider', ...PROVIDER, state: 'active' }
const member = (...groups: readonly string[]): Fact => ({
  ...{ in: 'member', ...PROVIDER, userId: 'u', groups },
})
const held = (
  holder: { readonly userId: string } | { readonly idpId: string; readonly group: string },
  more: { readonly resource?: string; readonly expiresAt?: string } = {},
): Fact => {
  const { resource, ...expires } = more
  const roles = [{ roleKey: 'a', roleSince: 1, grantSince: 1, ...expires }]
  return { in: 'held', ...OF_PROJECT, orgId: 'other', holder, resource, state: 'active', roles }
}
const user = { userId: 'u' }
const group = { idpId: 'okta', group: 'g' }

/** A world in which facts begin and end. */
const worldOf = (keepsPast: boolean) => {
  const world = emptyWorld(keepsPast)
  let position = 0n
  const begin = (...facts: readonly Fact[]): void => {
    for (const fact of facts) {
      position++
      const begun = { state: ACTIVE, since: position, begin: position, given: [] }
      replaceFact(world, fact, { begun, position })
    }
  }
  const end = (...facts: readonly Fact[]): void => {
    for (const fact of facts) {
      position++
      replaceFact(world, fact, { begun: undefined, position })
    }
  }
  const inWorld = () => world.projects.get('own')?.get('p')
  return {
    ...{ world, begin, end, project: inWorld },
    organization: () => inWorld()?.organizations.get('other'),
    role: () => inWorld()?.roles.get('a'),
    provider: () => world.providers.get('other')?.get('okta'),
  }
}

const beginAll = (keepsPast: boolean) => {
  const all = worldOf(keepsPast)
  all.begin(project, role, projectGrant, provider)
  return all
}

describe('A world without the past', () => {
  test('lists nobody by role, group or user', () => {
    for (const more of [{}, { resource: 'r' }]) {
      const all = beginAll(false)
      all.begin(held(user, more), held(group, more), member('g'))
      const shares = [...(all.role()?.shares.from() ?? [])].flatMap(({ value }) => value)
      expect(shares.map(({ users, groups }) => [users.size, groups.size])).toEqual([[0, 0]])
      expect(all.provider()?.groups.get('g')?.members.size).toBe(0)
      expect(all.world.users.size).toBe(0)
    }
  })

  test('keeps once what users hold who hold the same for ever', () => {
    const { world, begin, organization } = beginAll(false)
    for (const [userId, more] of [
      ['u', {}],
      ['v', {}],
      ['w', EXPIRES],
      ['x', EXPIRES],
    ] as const)
      begin(held({ userId }, more))
    const scope = organization()?.scope ?? -1
    const of = (userId: string) => world.held.get(userId, scope)
    expect(of('u')).toBeDefined()
    expect(of('u')).toBe(of('v'))
    expect(of('w')).not.toBe(of('x'))
  })

  test('forgets roles on resources with the last of them', () => {
    const { begin, end, organization, provider } = beginAll(false)
    const groups = () => provider()?.groups.get('g')
    const counts = () => [organization()?.usersOn.size, groups()?.heldOn.size]
    for (const resource of ['q', 'r']) begin(held(user, { resource }), held(group, { resource }))
    end(held(user, { resource: 'q' }), held(group, { resource: 'q' }))
    expect(counts()).toEqual([1, 1])
    end(held(user, { resource: 'r' }), held(group, { resource: 'r' }))
    expect(counts()).toEqual([0, 0])
  })

  test('forgets a project with all that users hold there', () => {
    const { world, begin, end, organization } = beginAll(false)
    begin(held(user))
    const scope = organization()?.scope ?? -1
    end(project)
    expect(world.projects.get('own')?.size).toBe(0)
    const holdAgain = () => world.held.set('v', scope, undefined, () => ({}) as Assignment)
    expect(holdAgain).toThrow('a scope that has ended')
  })

  test('forgets a provider with its members', () => {
    const { world, begin, end, provider: inWorld } = beginAll(false)
    begin(member('g'))
    const before = inWorld()
    end(provider)
    expect(world.providers.get('other')?.size).toBe(0)
    expect(before?.members.size).toBe(0)
  })

  test('forgets a member who is in no group or whose report is removed, and in which providers it was', () => {
    for (const change of ['no group', 'removed']) {
      const { world, begin, end, provider: inWorld } = beginAll(false)
      const listed = () => world.providersOf.get('other')?.get('u')
      begin(member('g'))
      expect(listed()).toEqual([inWorld()])
      if (change === 'removed') end(member('g'))
      else begin(member())
      expect(inWorld()?.members.size).toBe(0)
      expect(listed()).toBeUndefined()
      begin(member('g'), member('g'))
      expect(listed()).toEqual([inWorld()])
    }
  })
})

test('The end of what never began changes nothing', () => {
  for (const keepsPast of [false, true]) {
    const all = worldOf(keepsPast)
    const places = [{}, { resource: 'r' }]
    all.end(role, projectGrant, member('g'))
    for (const more of places) all.end(held(user, more), held(group, more))
    all.end(provider, project)
    expect(all.project()?.last).toBeUndefined()
    expect(all.provider()?.last).toBeUndefined()
  }
})

test('A role that is gone shows its key alone', () => {
  const all = beginAll(true)
  all.end(role)
  const nothing = { displayName: '', group: '', permissions: [] }
  expect(all.role()?.found).toEqual({ roleKey: 'a', ...nothing })
})

test('The whole project comes before its resources, which are in order', () => {
  const on = new SortedMap<number>()
  on.set('b', 3)
  on.set('A', 2)
  expect([...onPlaces(1, on)]).toEqual([
    { resource: undefined, value: 1 },
    { resource: 'A', value: 2 },
    { resource: 'b', value: 3 },
  ])
  expect([...onPlaces(1, undefined)]).toEqual([{ resource: undefined, value: 1 }])
  expect([...onPlaces(undefined, on, 'b')]).toEqual([{ resource: 'b', value: 3 }])
})

describe('A role of a group is held', () => {
  const of = (given: readonly bigint[], roleGiven: bigint, validFor?: number) => {
    const state: AnyState = { status: 'active', roles: [], validFor }
    const version = { end: undefined, before: undefined, given }
    const named = { name: 'g' } as Group
    const mapping: Assignment = { ...version, state, since: 1n, begin: 1n, roles: [] }
    const report = { ...version, state: ACTIVE, since: 2n, begin: 8n, groups: [named] }
    const of: GroupMember = { group: named, member: report }
    const role = {
      share: {},
      expiresAt: undefined,
      given: roleGiven,
    } as Assignment['roles'][number]
    return countedOfMember(mapping, role, of, NOW)
  }

  test('since the user is in the group and the group has the role', () => {
    expect(of([4n], 3n)?.given).toBe(4n)
    expect(of([4n], 6n)?.given).toBe(6n)
    expect(of([], 3n)?.given).toBe(8n)
  })

  test('until the next report, unless the mapping says for how long a report counts', () => {
    expect(of([4n], 3n)?.expiresAt).toBeUndefined()
    expect(of([4n], 3n, 1_000_000)?.expiresAt).toEqual(new Date(1_000_000 * 3_600_000))
  })
})

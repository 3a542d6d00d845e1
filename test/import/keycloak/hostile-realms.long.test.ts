import { readKeycloakRealm } from 'claviger/import'
import { expect, test } from 'vitest'

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

/** Reads within 20 seconds of the processor, which an honest realm of the size takes, too. */
const quickly = (realm: unknown) => {
  const begin = process.cpuUsage()
  const read = readKeycloakRealm(realm)
  const { user, system } = process.cpuUsage(begin)
  expect(user + system).toBeLessThan(20_000_000)
  return read
}

test('Users with more roles than a grant holds are counted, not listed one by one', () => {
  const names = numbered('r', 1_500)
  const realm = names.map((name) => ({ name }))
  const all = { name: 'all', composite: true, composites: { realm: names } }
  const users = numbered('u', 1_500).map((id) => ({ id, enabled: true, realmRoles: ['all'] }))
  const { organizations, warnings } = quickly(
    JSON.stringify({ realm: 'acme', enabled: true, roles: { realm: [all, ...realm] }, users }),
  )
  expect(organizations[0]?.userGrants).toHaveLength(1_500)
  const tooMany = warnings.filter(({ kind }) => kind === 'TooMany')
  expect(tooMany).toHaveLength(1_001)
  // Of 1,501 roles each, 400 are kept.
  expect(tooMany.at(-1)).toMatchObject({ more: 1_500 * 1_101 - 1_001 })
  expect(tooMany.slice(0, -1).every(({ more }) => more === undefined)).toBe(true)
})

const tooLarge = {
  organizations: [],
  warnings: [{ kind: 'TooLarge', action: 'left', path: '', message: expect.any(String) }],
}

test('A realm whose users and roles multiply is refused as too large', () => {
  const names = numbered('r', 4_000)
  const realm = [{ name: 'all', composites: { realm: names } }, ...names.map((name) => ({ name }))]
  const users = numbered('u', 40_000).map((id) => ({ id, enabled: true, realmRoles: ['all'] }))
  expect(quickly({ realm: 'acme', enabled: true, roles: { realm }, users })).toEqual(tooLarge)
})

test('Groups that are nested deep are refused as too large', () => {
  const depth = 20_000
  const begin = '{"name":"g","realmRoles":["r"],"subGroups":['.repeat(depth)
  const groups = `[${begin}${']}'.repeat(depth)}]`
  const realm = `{"realm":"acme","roles":{"realm":[{"name":"r"}]},"groups":${groups}}`
  expect(quickly(realm)).toEqual(tooLarge)
})

test('Groups that hold themselves are refused as too large', () => {
  const group: { name: string; realmRoles: string[]; subGroups: unknown[] } = {
    name: 'g',
    realmRoles: ['r'],
    subGroups: [],
  }
  group.subGroups.push(group, group)
  const realm = { realm: 'acme', enabled: true, roles: { realm: [{ name: 'r' }] }, groups: [group] }
  expect(quickly(realm)).toEqual(tooLarge)
})

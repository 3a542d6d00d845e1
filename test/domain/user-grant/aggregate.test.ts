import { describe, expect, test } from 'vitest'
import { userGrants } from '../../../src/domain/user-grant/aggregate.js'
import type { UserGrantEvent } from '../../../src/domain/user-grant/events.js'
import { factAfter, viewsOf } from '../shown.js'
import {
  added,
  deactivated,
  editorOnly,
  id,
  newYear,
  reactivated,
  removed,
  updatedToBoth,
} from './examples.js'

const userGrantView = viewsOf('user_grant', added, deactivated, 'globex')

const active = { ...id, roles: [{ roleKey: 'editor' }], state: 'active' } as const
const inactive = { ...active, state: 'inactive' } as const
const bothRoles = {
  roles: [{ roleKey: 'editor' }, { roleKey: 'viewer', expiresAt: new Date(newYear) }],
}

describe('The view of a grant of roles', () => {
  test('is active at first, with the added roles and without their generations.', () => {
    expect(userGrantView(undefined, added)).toStrictEqual(active)
  })

  test.each([
    ['has the roles that it was updated to', active, updatedToBoth, { ...active, ...bothRoles }],
    ['stays inactive when updated', inactive, updatedToBoth, { ...inactive, ...bothRoles }],
    ['is inactive once deactivated', active, deactivated, inactive],
    ['is active again once reactivated', inactive, reactivated, active],
    ['is active again once added over', inactive, added, active],
    ['ends with the removal', active, removed, undefined],
  ] as const)('%s.', (_, view, event, after) => {
    expect(userGrantView(view, event)).toStrictEqual(after)
  })

  test.each<[string, UserGrantEvent]>(
    [updatedToBoth, deactivated, reactivated, removed].map((event) => [event.type, event]),
  )('does not come to be by %s.', (_, event) => {
    expect(userGrantView(undefined, event)).toBeUndefined()
  })

  test('has its fields in one order, independent of the event.', () => {
    const data = Object.fromEntries(Object.entries(editorOnly).toReversed()) as typeof editorOnly
    const view = userGrantView(undefined, { type: 'user_grant.added', data })
    expect(Object.keys(view ?? {})).toEqual([
      'userId',
      'projectId',
      'projectOrgId',
      'roles',
      'state',
    ])
  })
})

describe('A grant of roles', () => {
  const { projectOrgId: _, ...own } = id

  test('is of the project of its own organization where no other is named.', () => {
    const named = { ...own, projectOrgId: 'globex' }
    expect(userGrants.key(own, 'globex')).toBe(userGrants.key(named, 'globex'))
    expect(userGrants.stream('globex', own)).toBe(userGrants.stream('globex', named))
    const target = { type: 'project', id: 'portal' }
    expect(userGrants.target(own, 'globex')).toEqual(target)
    expect(userGrants.target(named, 'globex')).toEqual(target)
    expect(userGrants.ref(own)).toStrictEqual({ type: 'user_grant', ...own })
  })

  test('is of the project of another organization where that is named.', () => {
    const target = { type: 'granted_project', id: 'portal', orgId: 'acme' }
    expect(userGrants.target(id, 'globex')).toEqual(target)
    expect(userGrants.key(id, 'globex')).not.toBe(userGrants.key(own, 'globex'))
  })

  test('says as a fact which roles the user holds, by their generations.', () => {
    const { userId, ...project } = id
    const fact = { in: 'held', ...project, orgId: 'globex', holder: { userId } }
    const roles = 'roles' in updatedToBoth.data ? updatedToBoth.data.roles : []
    expect(factAfter('user_grant', [added, deactivated, updatedToBoth], 'globex')).toEqual({
      ...fact,
      state: 'inactive',
      roles,
    })
    expect(factAfter('user_grant', [added, removed], 'globex')).toBeUndefined()
  })

  test.each(['anna', '+', 'a+b+c', ' ', '+a'])('is found again by its key: %j.', (userId) => {
    const ref = { type: 'user_grant', ...id, userId }
    expect(userGrants.refOfKey(userGrants.key({ ...id, userId }, 'globex'), '')).toEqual(ref)
  })
})

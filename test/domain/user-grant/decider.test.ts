import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/domain/decider.js'
import { currentUserGrant, userGrant } from '../../../src/domain/user-grant/aggregate.js'
import type { UserGrantEvent, UserGrantRole } from '../../../src/domain/user-grant/events.js'
import { RoleKey } from '../../../src/domain/values.js'
import { given } from '../../../src/testing/index.js'
import {
  added,
  addGrant,
  addViewer,
  deactivate,
  deactivated,
  editorAndViewer,
  editorOnly,
  id,
  newYear,
  reactivate,
  reactivated,
  remove,
  removed,
  role,
  takeEditor,
  updatedToBoth,
  updatedToViewer,
  updateToBoth,
} from './examples.js'

const object = { type: 'user_grant', ...id }
const notFound = err({ kind: 'NotFound', object })
const alreadyExists = err({ kind: 'AlreadyExists', object })

/** The state after `past` when `dead` roles have ended since. */
const withoutRoles = (past: readonly UserGrantEvent[], dead: readonly string[]) =>
  currentUserGrant(fold(userGrant, past), ({ roleKey }) => !dead.includes(roleKey))

const update = (roles: readonly UserGrantRole[]) =>
  ({ type: 'UpdateUserGrant', data: { ...id, roles } }) as const

const addRoles = (roles: readonly UserGrantRole[]) =>
  ({ type: 'AddUserGrantRoles', data: { ...id, roles } }) as const

const take = (...keys: readonly string[]) =>
  ({
    type: 'RemoveUserGrantRoles',
    data: { ...id, roleKeys: keys.map((key) => RoleKey.parse(key)) },
  }) as const

const updatedTo = (roles: readonly UserGrantRole[]): UserGrantEvent => ({
  type: 'user_grant.updated',
  data: { ...id, roles },
})

describe('AddUserGrant', () => {
  it('adds a grant that is not there', () => {
    expect(given(userGrant, []).when(addGrant)).toEqual(ok([added]))
  })

  it('adds a grant again that was removed', () => {
    expect(given(userGrant, [added, removed]).when(addGrant)).toEqual(ok([added]))
  })

  it('refuses a grant that exists, with any roles and state', () => {
    for (const past of [[added], [added, updatedToBoth], [added, deactivated]])
      expect(given(userGrant, past).when(addGrant)).toEqual(alreadyExists)
    const one = withoutRoles([added, updatedToBoth], ['viewer'])
    expect(userGrant.decide(addGrant, one)).toEqual(alreadyExists)
  })

  it('adds over a grant that has no role left', () => {
    const state = withoutRoles([added], ['editor'])
    expect(userGrant.decide(addGrant, state)).toEqual(ok([added]))
  })
})

describe('UpdateUserGrant', () => {
  const both = [added, updatedToBoth]

  it('replaces the roles, and records all of them', () => {
    expect(given(userGrant, [added]).when(updateToBoth)).toEqual(ok([updatedToBoth]))
    expect(given(userGrant, both).when(update(editorOnly.roles))).toEqual(
      ok([updatedTo(editorOnly.roles)]),
    )
  })

  it.each([
    ['another role', [role('author'), role('viewer', newYear)]],
    ['another end', [role('editor'), role('viewer', '2027-01-01T00:00:00.001Z')]],
    ['an end where there was none', [role('editor', newYear), role('viewer', newYear)]],
    ['no end where there was one', [role('editor'), role('viewer')]],
  ])('sees %s', (_, roles) => {
    expect(given(userGrant, both).when(update(roles))).toEqual(ok([updatedTo(roles)]))
  })

  it('records nothing for the same roles and ends, in any order', () => {
    expect(given(userGrant, both).when(updateToBoth)).toEqual(ok([]))
    const reversed = update(editorAndViewer.roles.toReversed())
    expect(given(userGrant, both).when(reversed)).toEqual(ok([]))
    const endless = update([{ ...role('editor'), expiresAt: undefined }])
    expect(given(userGrant, [added]).when(endless)).toEqual(ok([]))
  })

  it('gives a role anew that ended since it was given', () => {
    const roles = [role('editor'), { ...role('viewer', newYear), roleSince: 3 }]
    const state = withoutRoles(both, ['viewer'])
    expect(userGrant.decide(update(roles), state)).toEqual(ok([updatedTo(roles)]))
  })

  it('records nothing when only a role that ended is left out', () => {
    const state = withoutRoles(both, ['viewer'])
    expect(userGrant.decide(update(editorOnly.roles), state)).toEqual(ok([]))
  })
})

describe('AddUserGrantRoles', () => {
  it('adds roles to those of the grant, and records all of them', () => {
    expect(given(userGrant, [added]).when(addViewer)).toEqual(ok([updatedToBoth]))
  })

  it('gives a held role the end that is given, and keeps its place', () => {
    const past = [added, updatedToBoth]
    const until = addRoles([role('editor', newYear)])
    expect(given(userGrant, past).when(until)).toEqual(
      ok([updatedTo([role('editor', newYear), role('viewer', newYear)])]),
    )
    expect(given(userGrant, past).when(addRoles([role('viewer')]))).toEqual(
      ok([updatedTo([role('editor'), role('viewer')])]),
    )
  })

  it('records nothing for a role that is held until then', () => {
    expect(given(userGrant, [added, updatedToBoth]).when(addViewer)).toEqual(ok([]))
    expect(given(userGrant, [added]).when(addRoles([role('editor')]))).toEqual(ok([]))
  })

  it('forgets the roles that ended, and gives them anew when asked for', () => {
    const state = withoutRoles([added], ['editor'])
    expect(userGrant.decide(addViewer, state)).toEqual(ok([updatedToViewer]))
    const anew = [{ ...role('editor'), roleSince: 3 }]
    expect(userGrant.decide(addRoles(anew), state)).toEqual(ok([updatedTo(anew)]))
  })
})

describe('RemoveUserGrantRoles', () => {
  it('takes roles, and records those that are left', () => {
    const past = [added, updatedToBoth]
    expect(given(userGrant, past).when(takeEditor)).toEqual(ok([updatedToViewer]))
    expect(given(userGrant, past).when(take('author', 'viewer'))).toEqual(
      ok([updatedTo(editorOnly.roles)]),
    )
  })

  it('removes the grant with its last role', () => {
    expect(given(userGrant, [added]).when(takeEditor)).toEqual(ok([removed]))
    const past = [added, updatedToBoth, deactivated]
    expect(given(userGrant, past).when(take('viewer', 'editor'))).toEqual(ok([removed]))
    const one = withoutRoles([added, updatedToBoth], ['viewer'])
    expect(userGrant.decide(takeEditor, one)).toEqual(ok([removed]))
  })

  it('records nothing for roles that the grant does not have', () => {
    expect(given(userGrant, [added]).when(take('viewer', 'author'))).toEqual(ok([]))
    const ended = withoutRoles([added, updatedToBoth], ['viewer'])
    expect(userGrant.decide(take('viewer'), ended)).toEqual(ok([]))
  })

  it('leaves a grant that has no role left as it is', () => {
    expect(userGrant.decide(takeEditor, withoutRoles([added], ['editor']))).toEqual(ok([]))
  })
})

describe('DeactivateUserGrant', () => {
  it('deactivates a grant, also one that has no role left', () => {
    expect(given(userGrant, [added]).when(deactivate)).toEqual(ok([deactivated]))
    const state = withoutRoles([added], ['editor'])
    expect(userGrant.decide(deactivate, state)).toEqual(ok([deactivated]))
  })

  it('records nothing for an inactive grant', () => {
    expect(given(userGrant, [added, deactivated]).when(deactivate)).toEqual(ok([]))
  })
})

describe('ReactivateUserGrant', () => {
  it('reactivates an inactive grant', () => {
    expect(given(userGrant, [added, deactivated]).when(reactivate)).toEqual(ok([reactivated]))
  })

  it('records nothing for an active grant', () => {
    expect(given(userGrant, [added]).when(reactivate)).toEqual(ok([]))
  })
})

describe('RemoveUserGrant', () => {
  it('removes a grant in any state, also one that has no role left', () => {
    for (const past of [[added], [added, deactivated], [added, removed, added]])
      expect(given(userGrant, past).when(remove)).toEqual(ok([removed]))
    const state = withoutRoles([added], ['editor'])
    expect(userGrant.decide(remove, state)).toEqual(ok([removed]))
  })
})

describe.each([updateToBoth, addViewer, takeEditor, deactivate, reactivate, remove])(
  '$type',
  (command) => {
    it('finds no grant that never was or was removed', () => {
      expect(given(userGrant, []).when(command)).toEqual(notFound)
      expect(given(userGrant, [added, removed]).when(command)).toEqual(notFound)
    })
  },
)

describe('currentUserGrant', () => {
  const state = fold(userGrant, [added, updatedToBoth, deactivated])

  it('leaves out the roles that have ended, and nothing else', () => {
    expect(currentUserGrant(state, ({ roleKey }) => roleKey === 'viewer')).toEqual({
      status: 'inactive',
      roles: [role('viewer', newYear)],
    })
    expect(currentUserGrant(state, () => false)).toEqual({ status: 'inactive', roles: [] })
    expect(state).toEqual({ status: 'inactive', roles: editorAndViewer.roles })
  })

  it('judges each role with its generations', () => {
    const asked: UserGrantRole[] = []
    currentUserGrant(state, (each) => asked.push(each) > 0)
    expect(asked).toEqual(editorAndViewer.roles)
  })

  it('leaves a grant that is absent as it is', () => {
    expect(currentUserGrant(userGrant.initialState, () => true)).toEqual({ status: 'absent' })
  })
})

describe('evolve', () => {
  const absent = { status: 'absent' } as const
  const active = { status: 'active', roles: editorOnly.roles } as const
  const inactive = { status: 'inactive', roles: editorOnly.roles } as const
  const { roles } = editorAndViewer

  it('begins with a grant that is absent', () => {
    expect(userGrant.initialState).toEqual(absent)
  })

  it.each([
    { from: absent, event: added, to: active },
    { from: { ...active, roles }, event: added, to: active },
    { from: inactive, event: added, to: active },
    { from: absent, event: updatedToBoth, to: absent },
    { from: active, event: updatedToBoth, to: { status: 'active', roles } },
    { from: inactive, event: updatedToBoth, to: { status: 'inactive', roles } },
    { from: absent, event: deactivated, to: absent },
    { from: active, event: deactivated, to: inactive },
    { from: inactive, event: deactivated, to: inactive },
    { from: absent, event: reactivated, to: absent },
    { from: active, event: reactivated, to: active },
    { from: inactive, event: reactivated, to: active },
    { from: absent, event: removed, to: absent },
    { from: active, event: removed, to: absent },
    { from: inactive, event: removed, to: absent },
  ])('makes $from.status $to.status by $event.type', ({ from, event, to }) => {
    expect(userGrant.evolve(from, event, 7)).toEqual(to)
  })
})

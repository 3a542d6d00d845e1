import fc from 'fast-check'
import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/domain/decider.js'
import { currentProjectGrant, projectGrant } from '../../../src/domain/project-grant/aggregate.js'
import { given } from '../../../src/testing/index.js'
import {
  added,
  addGrant,
  deactivate,
  deactivated,
  editorAndViewer,
  editorOnly,
  id,
  narrowed,
  reactivate,
  reactivated,
  remove,
  removed,
  role,
  widen,
  widened,
} from './examples.js'

const object = { type: 'project_grant', ...id }
const notFound = err({ kind: 'NotFound', object })
const alreadyExists = err({ kind: 'AlreadyExists', object })

/** The state after `past` when `dead` roles have ended since. */
const withoutRoles = (past: readonly Parameters<typeof projectGrant.evolve>[1][], dead: string[]) =>
  currentProjectGrant(fold(projectGrant, past), ({ roleKey }) => !dead.includes(roleKey))

const rolesAfter = (...past: readonly Parameters<typeof projectGrant.evolve>[1][]) => {
  const state = fold(projectGrant, past)
  return 'roles' in state ? state.roles : undefined
}

describe('AddProjectGrant', () => {
  it('adds a grant that is not there', () => {
    expect(given(projectGrant, []).when(addGrant)).toEqual(ok([added]))
  })

  it('adds a grant again that was removed', () => {
    expect(given(projectGrant, [added, removed]).when(addGrant)).toEqual(ok([added]))
  })

  it('refuses a grant that exists, with any roles and state', () => {
    for (const past of [[added], [added, widened], [added, deactivated]])
      expect(given(projectGrant, past).when(addGrant)).toEqual(alreadyExists)
    const one = withoutRoles([added, widened], ['viewer'])
    expect(projectGrant.decide(addGrant, one)).toEqual(alreadyExists)
  })

  it('adds over a grant that has no role left', () => {
    const state = withoutRoles([added], ['editor'])
    expect(projectGrant.decide(addGrant, state)).toEqual(ok([added]))
  })
})

describe('UpdateProjectGrant', () => {
  it('replaces the roles, and records all of them', () => {
    expect(given(projectGrant, [added]).when(widen)).toEqual(ok([widened]))
    const narrow = { type: 'UpdateProjectGrant', data: editorOnly } as const
    expect(given(projectGrant, [added, widened]).when(narrow)).toEqual(ok([narrowed]))
  })

  it('sees another role instead of one', () => {
    const data = { ...id, roles: [role('viewer')] }
    expect(given(projectGrant, [added]).when({ type: 'UpdateProjectGrant', data })).toEqual(
      ok([{ type: 'project_grant.updated', data }]),
    )
  })

  it('records nothing for the same keys, in any order', () => {
    const past = [added, widened]
    expect(given(projectGrant, past).when(widen)).toEqual(ok([]))
    const data = { ...id, roles: editorAndViewer.roles.toReversed() }
    expect(given(projectGrant, past).when({ type: 'UpdateProjectGrant', data })).toEqual(ok([]))
  })

  it('grants a role anew that ended since it was granted', () => {
    const state = withoutRoles([added, widened], ['viewer'])
    const data = { ...id, roles: [role('editor'), role('viewer', 6)] }
    expect(projectGrant.decide({ type: 'UpdateProjectGrant', data }, state)).toEqual(
      ok([{ type: 'project_grant.updated', data }]),
    )
  })

  it('records nothing when only a role that ended is left out', () => {
    const narrow = { type: 'UpdateProjectGrant', data: editorOnly } as const
    const state = withoutRoles([added, widened], ['viewer'])
    expect(projectGrant.decide(narrow, state)).toEqual(ok([]))
  })

  it('gives roles to a grant that has none left', () => {
    const state = withoutRoles([added], ['editor'])
    expect(projectGrant.decide(widen, state)).toEqual(ok([widened]))
  })
})

describe('DeactivateProjectGrant', () => {
  it('deactivates a grant, also one that has no role left', () => {
    expect(given(projectGrant, [added]).when(deactivate)).toEqual(ok([deactivated]))
    const state = withoutRoles([added], ['editor'])
    expect(projectGrant.decide(deactivate, state)).toEqual(ok([deactivated]))
  })

  it('records nothing for an inactive grant', () => {
    expect(given(projectGrant, [added, deactivated]).when(deactivate)).toEqual(ok([]))
  })
})

describe('ReactivateProjectGrant', () => {
  it('reactivates an inactive grant', () => {
    expect(given(projectGrant, [added, deactivated]).when(reactivate)).toEqual(ok([reactivated]))
  })

  it('records nothing for an active grant', () => {
    expect(given(projectGrant, [added]).when(reactivate)).toEqual(ok([]))
  })
})

describe('RemoveProjectGrant', () => {
  it('removes a grant in any state, also one that has no role left', () => {
    for (const past of [[added], [added, deactivated], [added, removed, added]])
      expect(given(projectGrant, past).when(remove)).toEqual(ok([removed]))
    const state = withoutRoles([added], ['editor'])
    expect(projectGrant.decide(remove, state)).toEqual(ok([removed]))
  })
})

describe.each([widen, deactivate, reactivate, remove])('$type', (command) => {
  it('finds no grant that never was or was removed', () => {
    expect(given(projectGrant, []).when(command)).toEqual(notFound)
    expect(given(projectGrant, [added, removed]).when(command)).toEqual(notFound)
  })
})

describe('Since when a role is in a grant', () => {
  it('is the version of the event that put the role there', () => {
    expect(rolesAfter(added)).toEqual([{ ...role('editor'), since: 1 }])
  })

  it('stays when others are granted or the grant is switched', () => {
    expect(rolesAfter(added, deactivated, reactivated, widened)).toEqual([
      { ...role('editor'), since: 1 },
      { ...role('viewer', 4), since: 4 },
    ])
  })

  it('is a later version when the role was taken in between', () => {
    const takenEditor = { type: 'project_grant.updated', data: { ...id, roles: [role('viewer')] } }
    expect(rolesAfter(added, takenEditor as typeof widened, narrowed)).toEqual([
      { ...role('editor'), since: 3 },
    ])
  })

  it('is a later version when the grant was removed in between', () => {
    expect(rolesAfter(added, removed, added)).toEqual([{ ...role('editor'), since: 3 }])
  })

  it('is a later version with another generation of the role itself', () => {
    const data = { ...id, roles: [role('editor', 3)] }
    const again = [{ ...role('editor', 3), since: 2 }]
    expect(rolesAfter(added, { type: 'project_grant.updated', data })).toEqual(again)
    expect(rolesAfter(added, { type: 'project_grant.added', data })).toEqual(again)
  })
})

/** Any grant with one role or two, in any generations. */
const someRoles = fc
  .tuple(fc.shuffledSubarray(['editor', 'viewer'], { minLength: 1 }), fc.constantFrom(1, 3))
  .map(([keys, since]) => ({ ...id, roles: keys.map((key) => role(key, since)) }))

const anyEvent = fc.oneof(
  someRoles.map((data) => ({ type: 'project_grant.added', data }) as const),
  someRoles.map((data) => ({ type: 'project_grant.updated', data }) as const),
  fc.constantFrom(deactivated, reactivated, removed),
)

describe('Since when roles are in a grant', () => {
  it('is the version of the first of the events in a row that leave the role there', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), (past) => {
        for (const { since, ...held } of rolesAfter(...past) ?? []) {
          const isThere = (version: number) =>
            rolesAfter(...past.slice(0, version))?.some(
              ({ roleKey, roleSince }) => roleKey === held.roleKey && roleSince === held.roleSince,
            ) ?? false
          const versions = past.map((_, index) => index + 1)
          const absentUntil = versions.findLast((version) => !isThere(version)) ?? 0
          expect(since).toBe(absentUntil + 1)
        }
      }),
    )
  })
})

describe('currentProjectGrant', () => {
  const [editor, viewer] = [
    { ...role('editor'), since: 1 },
    { ...role('viewer', 4), since: 2 },
  ]
  const state = fold(projectGrant, [added, widened, deactivated])

  it('leaves out the roles that have ended, and nothing else', () => {
    expect(currentProjectGrant(state, ({ roleSince }) => roleSince === 4)).toEqual({
      status: 'inactive',
      roles: [viewer],
    })
    expect(currentProjectGrant(state, () => false)).toEqual({ ...state, roles: [] })
    expect(state).toEqual({ status: 'inactive', roles: [editor, viewer] })
  })

  it('leaves a grant that is absent as it is', () => {
    const absent = fold(projectGrant, [added, removed])
    expect(currentProjectGrant(absent, () => true)).toEqual({ status: 'absent' })
  })
})

describe('evolve', () => {
  const absent = { status: 'absent' } as const
  const roles = [{ ...role('editor'), since: 1 }]
  const active = { status: 'active', roles } as const
  const inactive = { status: 'inactive', roles } as const
  const both = [...roles, { ...role('viewer', 4), since: 6 }]

  it('begins with a grant that is absent', () => {
    expect(projectGrant.initialState).toEqual({ status: 'absent' })
  })

  it.each([
    { from: absent, event: added, to: { ...active, roles: [{ ...role('editor'), since: 6 }] } },
    { from: active, event: added, to: active },
    { from: inactive, event: added, to: active },
    { from: absent, event: widened, to: absent },
    { from: active, event: widened, to: { ...active, roles: both } },
    { from: inactive, event: widened, to: { ...inactive, roles: both } },
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
    expect(projectGrant.evolve(from, event, 6)).toEqual(to)
  })
})

import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { project } from '../../../src/domain/project/aggregate.js'
import { given } from '../../../src/testing/index.js'
import {
  addPortal,
  deactivated,
  deactivatePortal,
  gateway,
  gatewayAdded,
  id,
  portal,
  portalAdded,
  reactivated,
  reactivatePortal,
  removed,
  removePortal,
  updatedToGateway,
  updateToGateway,
} from './examples.js'

const object = { type: 'project', ...id }
const notFound = err({ kind: 'NotFound', object })
const alreadyExists = err({ kind: 'AlreadyExists', object })

describe('AddProject', () => {
  it('adds a project', () => {
    expect(given(project, []).when(addPortal)).toEqual(ok([portalAdded]))
  })

  it.each([
    ['is there with the same values', [portalAdded]],
    ['is there with other values', [gatewayAdded]],
    ['is inactive', [portalAdded, deactivated]],
    ['was removed', [portalAdded, removed]],
  ])('refuses an id whose project %s', (_, past) => {
    expect(given(project, past).when(addPortal)).toEqual(alreadyExists)
  })
})

describe('UpdateProject', () => {
  it.each([
    ['active', [portalAdded]],
    ['inactive', [portalAdded, deactivated]],
  ])('replaces the settings of an %s project, and records them in full', (_, past) => {
    expect(given(project, past).when(updateToGateway)).toEqual(ok([updatedToGateway]))
  })

  it.each([
    { name: 'portal' },
    { projectRoleAssertion: false },
    { projectRoleCheck: true },
    { hasProjectCheck: false },
    { privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED' } as const,
  ])('sees a change of one field: %o', (change) => {
    const data = { ...portal, ...change }
    expect(given(project, [portalAdded]).when({ type: 'UpdateProject', data })).toEqual(
      ok([{ type: 'project.updated', data }]),
    )
  })

  it.each([
    ['active', [portalAdded]],
    ['inactive', [portalAdded, deactivated]],
  ])('records nothing when nothing of an %s project changes', (_, past) => {
    expect(given(project, past).when({ type: 'UpdateProject', data: portal })).toEqual(ok([]))
  })

  it('compares with the last update, not with the first values', () => {
    const past = [portalAdded, updatedToGateway]
    expect(given(project, past).when(updateToGateway)).toEqual(ok([]))
    expect(given(project, past).when({ type: 'UpdateProject', data: portal })).toEqual(
      ok([{ type: 'project.updated', data: portal }]),
    )
  })
})

describe('DeactivateProject and ReactivateProject', () => {
  it('deactivates an active one and reactivates an inactive one', () => {
    const active = given(project, [portalAdded])
    const inactive = given(project, [portalAdded, deactivated])
    expect(active.when(deactivatePortal)).toEqual(ok([deactivated]))
    expect(inactive.when(reactivatePortal)).toEqual(ok([reactivated]))
  })

  it('records nothing when the project is already so', () => {
    const active = given(project, [portalAdded])
    const inactive = given(project, [portalAdded, deactivated])
    const again = given(project, [portalAdded, deactivated, reactivated])
    expect(active.when(reactivatePortal)).toEqual(ok([]))
    expect(inactive.when(deactivatePortal)).toEqual(ok([]))
    expect(again.when(reactivatePortal)).toEqual(ok([]))
  })
})

describe('RemoveProject', () => {
  it.each([
    ['active', [portalAdded]],
    ['inactive', [portalAdded, deactivated]],
  ])('removes an %s project', (_, past) => {
    expect(given(project, past).when(removePortal)).toEqual(ok([removed]))
  })
})

describe.each([updateToGateway, deactivatePortal, reactivatePortal, removePortal])(
  '$type',
  (command) => {
    it.each([
      ['never was', []],
      ['was removed', [portalAdded, removed]],
      ['was removed when inactive', [portalAdded, deactivated, removed]],
    ])('finds no project that %s', (_, past) => {
      expect(given(project, past).when(command)).toEqual(notFound)
    })
  },
)

describe('evolve', () => {
  const absent = { status: 'absent' } as const
  const gone = { status: 'removed' } as const
  const active = { status: 'active', ...portal } as const
  const inactive = { status: 'inactive', ...portal } as const
  const states = { absent, active, inactive, removed: gone }

  it('begins with a project that is absent', () => {
    expect(project.initialState).toEqual(absent)
  })

  it('accepts the addition as a fact in every state', () => {
    for (const state of Object.values(states))
      expect(project.evolve(state, gatewayAdded, 7)).toEqual({ status: 'active', ...gateway })
  })

  it('replaces the settings of an existing project and keeps its status', () => {
    expect(project.evolve(active, updatedToGateway, 7)).toEqual({ status: 'active', ...gateway })
    expect(project.evolve(inactive, updatedToGateway, 7)).toEqual({
      status: 'inactive',
      ...gateway,
    })
  })

  it('changes only the status of an existing project', () => {
    for (const state of [active, inactive]) {
      expect(project.evolve(state, deactivated, 7)).toEqual(inactive)
      expect(project.evolve(state, reactivated, 7)).toEqual(active)
    }
  })

  it('ignores an update, deactivation or reactivation of a project that does not exist', () => {
    for (const state of [absent, gone])
      for (const event of [updatedToGateway, deactivated, reactivated])
        expect(project.evolve(state, event, 7)).toEqual(state)
  })

  it('keeps nothing of a project that was removed', () => {
    for (const state of Object.values(states))
      expect(project.evolve(state, removed, 7)).toEqual(gone)
  })
})

describe('PatchProject', () => {
  const nothing = { type: 'PatchProject', data: id } as const

  it('replaces the given fields and records the whole project', () => {
    const patch = {
      type: 'PatchProject',
      data: { ...id, name: 'Gateway', hasProjectCheck: false },
    } as const
    const data = { ...portal, name: 'Gateway', hasProjectCheck: false }
    expect(given(project, [portalAdded]).when(patch)).toEqual(
      ok([{ type: 'project.updated', data }]),
    )
  })

  it('changes nothing when nothing is given', () => {
    expect(given(project, [portalAdded]).when(nothing)).toEqual(ok([]))
  })

  it('is refused for a project that is not there', () => {
    expect(given(project, []).when(nothing)).toEqual(notFound)
    expect(given(project, [portalAdded, removed]).when(nothing)).toEqual(notFound)
  })
})

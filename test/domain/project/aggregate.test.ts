import { describe, expect, test } from 'vitest'
import type { ProjectEvent } from '../../../src/domain/project/events.js'
import { factAfter, viewsOf } from '../shown.js'
import {
  deactivated,
  gateway,
  portal,
  portalAdded,
  reactivated,
  removed,
  updatedToGateway,
} from './examples.js'

const projectView = viewsOf('project', portalAdded, deactivated)

const active = { ...portal, state: 'active' } as const
const inactive = { ...portal, state: 'inactive' } as const

describe('The view of a project', () => {
  test('is active at first, with the fields that were added.', () => {
    expect(projectView(undefined, portalAdded)).toEqual(active)
  })

  test.each([
    ['has what it was updated to', active, updatedToGateway, { ...gateway, state: 'active' }],
    ['stays inactive when updated', inactive, updatedToGateway, { ...gateway, state: 'inactive' }],
    ['is inactive once deactivated', active, deactivated, inactive],
    ['is active again once reactivated', inactive, reactivated, active],
    ['ends with the removal', active, removed, undefined],
  ] as const)('%s.', (_, view, event, after) => {
    expect(projectView(view, event)).toEqual(after)
  })

  test.each<[string, ProjectEvent]>(
    [updatedToGateway, deactivated, reactivated, removed].map((event) => [event.type, event]),
  )('does not come to be by %s.', (_, event) => {
    expect(projectView(undefined, event)).toBeUndefined()
  })

  test('has its fields in one order, independent of the event.', () => {
    const data = Object.fromEntries(Object.entries(portal).toReversed()) as typeof portal
    const view = projectView(undefined, { type: 'project.added', data })
    expect(Object.keys(view ?? {})).toEqual([...Object.keys(portal), 'state'])
  })

  test('says as a fact whether its roles count.', () => {
    const fact = { in: 'project', projectOrgId: 'acme', projectId: 'portal' }
    expect(factAfter('project', [portalAdded])).toEqual({ ...fact, state: 'active' })
    const events = [portalAdded, deactivated]
    expect(factAfter('project', events)).toEqual({ ...fact, state: 'inactive' })
    expect(factAfter('project', [...events, removed])).toBeUndefined()
  })
})

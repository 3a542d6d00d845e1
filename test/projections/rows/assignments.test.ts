import { describe, expect, it } from 'vitest'
import { aggregates } from '../../../src/domain/aggregates.js'
import type { UserGrant } from '../../../src/domain/user-grant/aggregate.js'
import type { KnownEvent } from '../../../src/ports/known-event.js'
import { type AssignmentStore, changeAssignments } from '../../../src/projections/assignments.js'
import { type added, id, updatedToBoth } from '../../domain/user-grant/examples.js'

/** A store that has `held`, and the changes that were made to it. */
const recorder = (held: readonly string[]) => {
  const changes: string[] = []
  const store: AssignmentStore = {
    assigned: () =>
      new Map(held.map((roleKey) => [roleKey, { given: 1n, expiresAt: undefined }] as const)),
    mapped: () => undefined,
    groupsOf: () => new Map(),
    join: ({ group }) => changes.push(`join ${group}`),
    leave: () => changes.push('leave'),
    endMappings: () => changes.push('end mappings'),
    pauseProvider: () => changes.push('pause provider'),
    resumeProvider: () => changes.push('resume provider'),
    begin: ({ roleKey }) => changes.push(`begin ${roleKey}`),
    end: ({ roleKeys = ['all'] }) => changes.push(`end ${roleKeys}`),
    pause: () => changes.push('pause'),
    resume: () => changes.push('resume'),
    allow: (_, permissions) => changes.push(`allow ${permissions}`),
    disallow: (_, permissions = ['all']) => changes.push(`disallow ${permissions}`),
  }
  return { changes, store }
}

const recorded = (event: typeof added): KnownEvent => ({
  ...event,
  schemaVersion: 1,
  appendId: 'append',
  stream: 'user_grant-globex+acme+portal+u1',
  version: 2,
  position: 2n,
  metadata: { actor: { userId: 'u1', orgId: 'globex' }, resourceOwner: 'globex' },
})

const row = (...roleKeys: readonly string[]): UserGrant => ({
  ...id,
  roles: roleKeys.map((roleKey) => ({ roleKey })),
  state: 'active',
  details: {
    sequence: 1n,
    creationDate: new Date(0),
    changeDate: new Date(0),
    resourceOwner: 'globex',
  },
})

describe('An update of a grant', () => {
  it('begins the roles that it gives, and leaves those on the same terms', () => {
    const { changes, store } = recorder(['editor'])
    const change = { before: row('editor'), after: row('editor', 'viewer') }
    changeAssignments(store, aggregates.user_grant, recorded(updatedToBoth), change)
    expect(changes).toEqual(['begin viewer'])
  })

  it('begins roles anew that have ended since they were given, and does not show them before', () => {
    const { changes, store } = recorder([])
    const change = { before: row('editor'), after: row('editor', 'viewer') }
    const shown = changeAssignments(store, aggregates.user_grant, recorded(updatedToBoth), change)
    expect(changes).toEqual(['begin editor', 'begin viewer'])
    expect(shown).toEqual({ before: row(), after: change.after })
  })

  it('assigns nothing if the grant does not exist', () => {
    const { changes, store } = recorder([])
    const change = { before: undefined, after: undefined }
    const shown = changeAssignments(store, aggregates.user_grant, recorded(updatedToBoth), change)
    expect([changes, shown]).toEqual([[], change])
  })
})

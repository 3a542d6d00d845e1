import { err, ok } from 'neverthrow'
import { expect, it } from 'vitest'
import { change, StreamState } from '../../../src/application/recording/stream-state.js'
import { unprotected } from '../../../src/application/recording/transact.js'
import { projects } from '../../../src/domain/project/aggregate.js'
import { ProjectId } from '../../../src/domain/values.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'

const data = { ...PROJECT_DEFAULTS, id: ProjectId.parse('portal'), name: 'n' }
const updated = { type: 'project.updated', data } as const

/** An update of a project that the desired states named so protect and manage, or what leaves it as it is. */
const on = (
  { protectedBy, managedBy }: { protectedBy?: string; managedBy?: string },
  events: readonly (typeof updated)[] = [updated],
) => {
  const before = new StreamState(projects, projects.stream('acme', { id: 'portal' }), {
    state: { status: 'active', ...data },
    version: 1,
    created: 1n,
    changed: 1n,
    protectedBy,
    versions: new Map(managedBy === undefined ? [] : [[managedBy, 0]]),
  })
  return ok({ changes: [change(before, events)] })
}

const code = { protectedBy: 'code', managedBy: 'code' }

it.each([
  ['an object that nobody manages', undefined, on({})],
  ['an object that nobody manages, under a name', { managedBy: 'ci' }, on({})],
  ['an object that another name manages, by hand', undefined, on({ managedBy: 'code' })],
  ['an object under the name that protects it', { managedBy: 'code' }, on(code)],
  ['nothing of a protected object', undefined, on(code, [])],
  ['nothing of an object under another name', { managedBy: 'ci' }, on({ managedBy: 'code' }, [])],
])('allows a change of %s', (_, marks, decision) => {
  expect(unprotected(marks, decision)).toBe(decision)
})

it.each([
  ['a protected object by hand', undefined, on(code)],
  ['a protected object under another name', { managedBy: 'ci' }, on(code)],
  ['an object that another name manages', { managedBy: 'ci' }, on({ managedBy: 'code' })],
])('refuses a change of %s', (_, marks, decision) => {
  expect(unprotected(marks, decision)).toEqual(err({ kind: 'Protected', managedBy: 'code' }))
})

it('leaves a refusal as it is', () => {
  const refused = err({ kind: 'Cancelled' } as const)
  expect(unprotected(undefined, refused)).toBe(refused)
})

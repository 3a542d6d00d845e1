import { err, ok } from 'neverthrow'
import { describe, expect, test } from 'vitest'
import { membership, memberships } from '../../../src/domain/membership/aggregate.js'
import type { MembershipEvent } from '../../../src/domain/membership/events.js'
import type { GroupName } from '../../../src/domain/values.js'
import { given } from '../../../src/testing/index.js'
import { factAfter, viewsOf } from '../shown.js'
import { admins, id, removed, reported, staff } from './examples.js'

const membershipView = viewsOf('membership', reported)

const report = (past: readonly MembershipEvent[], groups: readonly GroupName[], isDue = false) =>
  given(membership, past).when({ type: 'ReportMembership', data: { ...id, groups, isDue } })

describe('A report', () => {
  test('is recorded when the groups are others.', () => {
    expect(report([], [admins, staff])).toEqual(ok([reported]))
    expect(report([reported], [staff])).toEqual(
      ok([{ type: 'membership.reported', data: { ...id, groups: [staff] } }]),
    )
    expect(report([reported], [])).toEqual(
      ok([{ type: 'membership.reported', data: { ...id, groups: [] } }]),
    )
    expect(report([reported, removed], [admins, staff])).toEqual(ok([reported]))
  })

  test('of the same groups is recorded only when it is due.', () => {
    expect(report([reported], [admins, staff])).toEqual(ok([]))
    expect(report([reported], [admins, staff], true)).toEqual(ok([reported]))
    const others = { ...reported.data, groups: [staff, admins] }
    expect(report([reported], [staff, admins])).toEqual(
      ok([{ type: 'membership.reported', data: others }]),
    )
  })

  test('of no groups begins nothing.', () => {
    expect(report([], [])).toEqual(ok([]))
    expect(report([reported, removed], [])).toEqual(ok([]))
  })
})

describe('A membership', () => {
  const remove = (past: readonly MembershipEvent[]) =>
    given(membership, past).when({ type: 'RemoveMembership', data: id })

  test('is removed if there is one.', () => {
    expect(remove([reported])).toEqual(ok([removed]))
    const missing = err({ kind: 'NotFound', object: { type: 'membership', ...id } })
    expect(remove([])).toEqual(missing)
    expect(remove([reported, removed])).toEqual(missing)
  })

  test('is shown with the groups of the last report.', () => {
    const view = membershipView(undefined, reported)
    expect(view).toStrictEqual({ ...id, groups: [admins, staff], state: 'active' })
    expect(view && membershipView(view, removed)).toBeUndefined()
  })

  test('says as a fact which groups the user is in.', () => {
    const fact = { in: 'member', orgId: 'acme', ...id, groups: [admins, staff] }
    expect(factAfter('membership', [reported])).toEqual(fact)
    expect(factAfter('membership', [reported, removed])).toBeUndefined()
    expect(memberships.target(id, 'acme')).toEqual({ type: 'identity_provider', id: 'google' })
  })
})

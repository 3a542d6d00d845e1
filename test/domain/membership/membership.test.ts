import { err, ok } from 'neverthrow'
import { describe, expect, test } from 'vitest'
import { membership } from '../../../src/domain/membership/aggregate.js'
import type { MembershipEvent } from '../../../src/domain/membership/events.js'
import type { GroupName } from '../../../src/domain/values.js'
import { given } from '../../../src/testing/host-tests.js'
import { admins, id, removed, reported, staff } from './examples.js'

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
})

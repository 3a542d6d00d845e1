import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { setupLink } from '../../../src/domain/setup-link/aggregate.js'
import { given } from '../../../src/testing/index.js'
import {
  checked,
  complete,
  completed,
  completeLate,
  confirm,
  confirmLate,
  id,
  issue,
  issued,
  revoke,
  revoked,
  useBefore,
  used,
  useLate,
} from './examples.js'

const object = { type: 'setup_link', ...id }
const notFound = err({ kind: 'NotFound', object })

describe('A set-up link', () => {
  it('is issued once: its id stays taken when it is over.', () => {
    expect(given(setupLink, []).when(issue)).toEqual(ok([issued]))
    const taken = err({ kind: 'AlreadyExists', object })
    for (const past of [[issued], [issued, completed], [issued, revoked]])
      expect(given(setupLink, past).when(issue)).toEqual(taken)
  })

  it('is used once on record, and opens until it is over.', () => {
    expect(given(setupLink, [issued]).when(useBefore)).toEqual(ok([used]))
    expect(given(setupLink, [issued, used]).when(useBefore)).toEqual(ok([]))
  })

  it('is completed, whether or not it was opened.', () => {
    expect(given(setupLink, [issued]).when(complete)).toEqual(ok([completed]))
    expect(given(setupLink, [issued, used]).when(complete)).toEqual(ok([completed]))
  })

  it('records once what its provider passed, until the provider or the check is another one.', () => {
    expect(given(setupLink, [issued]).when(confirm)).toEqual(ok([checked]))
    expect(given(setupLink, [issued, used, checked]).when(confirm)).toEqual(ok([]))
    for (const changed of [{ sequence: '8' }, { check: 'sign_in' }] as const) {
      const other = { ...confirm, data: { ...confirm.data, ...changed } }
      const recorded = { ...checked, data: { ...checked.data, ...changed } }
      expect(given(setupLink, [issued, checked]).when(other)).toEqual(ok([recorded]))
    }
  })

  it('stays unknown where its provider passed a check.', () => {
    expect(given(setupLink, [checked]).when(useBefore)).toEqual(notFound)
    expect(setupLink.evolve(setupLink.initialState, checked, 1)).toEqual({ status: 'absent' })
  })

  it('does not open from the moment on at which it expires.', () => {
    for (const past of [[issued], [issued, used]]) {
      expect(given(setupLink, past).when(useLate)).toEqual(notFound)
      expect(given(setupLink, past).when(completeLate)).toEqual(notFound)
      expect(given(setupLink, past).when(confirmLate)).toEqual(notFound)
    }
  })

  it.each([useBefore, confirm, complete])(
    'that is unknown, completed or revoked is refused by $type with one answer.',
    (command) => {
      for (const past of [
        [],
        [issued, used, completed],
        [issued, revoked],
        [issued, used, revoked],
      ])
        expect(given(setupLink, past).when(command)).toEqual(notFound)
    },
  )

  it('is revoked until it is over, and then stays as it is.', () => {
    expect(given(setupLink, []).when(revoke)).toEqual(notFound)
    expect(given(setupLink, [issued]).when(revoke)).toEqual(ok([revoked]))
    expect(given(setupLink, [issued, used]).when(revoke)).toEqual(ok([revoked]))
    expect(given(setupLink, [issued, used, completed]).when(revoke)).toEqual(ok([]))
    expect(given(setupLink, [issued, revoked]).when(revoke)).toEqual(ok([]))
  })
})

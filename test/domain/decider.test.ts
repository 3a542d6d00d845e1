import { describe, expect, it } from 'vitest'
import { exists, fold } from '../../src/domain/decider.js'

describe('fold', () => {
  const decider = {
    initialState: '',
    evolve: (state: string, event: string) => `${state}${event}`,
  }

  it('is the initial state before the first event', () => {
    expect(fold(decider, [])).toBe('')
    expect(fold({ ...decider, initialState: 'start' }, [])).toBe('start')
  })

  it('applies events in their order', () => {
    expect(fold(decider, ['a', 'b', 'c'])).toBe('abc')
  })
})

describe('exists', () => {
  it.each([
    { status: 'absent', found: false },
    { status: 'removed', found: false },
    { status: 'active', found: true },
    { status: 'inactive', found: true },
  ])('says $found of what is $status', ({ status, found }) => {
    expect(exists({ status })).toBe(found)
  })
})
